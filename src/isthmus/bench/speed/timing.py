"""Sides measured in turn, so that a busy moment of the machine meets all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from isthmus.bench.speed.contestants import Iteration
from isthmus.matrices.chunks import cut_evenly
from isthmus.matrices.threads import run_all

_COPIED = 64 * 2**20


@dataclass(frozen=True)
class Seconds:
    """What an iteration took in every round."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return float(np.median(self.rounds))

    @property
    def least(self) -> float:
        return min(self.rounds)


def in_turn(
    sides: Mapping[str, Iteration], rounds: int, tell: Callable[[str], None]
) -> dict[str, Seconds]:
    """Warm every side up once, then time all of them, round by round."""
    for name, iterate in sides.items():
        tell(f"{name}: warming up")
        iterate()
    found: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds):
        for name, iterate in sides.items():
            tell(f"{name}: round {number + 1} of {rounds}")
            found[name].append(iterate())
    return {name: Seconds(tuple(seconds)) for name, seconds in found.items()}


def copy_bandwidth(threads: int, rounds: int = 7) -> float:
    """Bytes read and written in a second by a copy on so many threads, at best."""
    source = np.ones(_COPIED, np.float32)
    target = np.empty_like(source)
    pieces = [slice(*piece) for piece in cut_evenly(_COPIED, threads)]
    best = np.inf
    for _ in range(rounds):
        begin = time.perf_counter()
        run_all(lambda piece: np.copyto(target[piece], source[piece]), pieces)
        best = min(best, time.perf_counter() - begin)
    return 2 * source.nbytes / best
