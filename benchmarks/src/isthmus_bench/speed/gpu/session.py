"""One run of the benchmark: what is chosen, what is known, and how much time is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isthmus_bench.speed.gpu.lines import Line, LineFile, identity
from isthmus_bench.speed.gpu.processes import in_new_process

__all__ = ["DEFAULT_METHODS", "BudgetSpentError", "Choice", "Session"]

DEFAULT_METHODS = (
    "mtrick", "mtrick0", "dkt", "ktw", "plsa", "pjnmf", "cocc", "lssttc", "cdsc", "sfa",
    "self-training", "auto",
)  # fmt: skip
# Imported once for all processes.
_PRELOAD = (
    "isthmus_bench.speed.gpu.fitting", "isthmus.estimators.tri_factorization.mtrick",
    "sklearn.linear_model", "numba",
)  # fmt: skip
# With less time left, nothing is started.
_LEAST_SECONDS = 5.0


class BudgetSpentError(Exception):
    """The time budget of the run is spent."""


@dataclass(frozen=True)
class Choice:
    """What is measured.

    ``sizes`` are numbers of documents; empty for the defaults of every part. ``time_limit`` is in
    seconds of one fit, ``budget`` in seconds of the whole run, 0 for no limit.
    """

    methods: tuple[str, ...] = DEFAULT_METHODS
    sizes: tuple[int, ...] = ()
    engines: tuple[str, ...] = ("gpu", "cpu")
    terms: int = 50_000
    rounds: int = 5
    time_limit: float = 120.0
    budget: float = 0.0
    again: bool = False


class Session:
    """The results so far, the folder for documents and labels, and the time left."""

    def __init__(
        self,
        choice: Choice,
        file: LineFile,
        folder: Path,
        on_progress: Callable[[str], None],
        run: Callable[..., Iterator[Any]] = in_new_process,
    ) -> None:
        self.choice, self.folder, self.on_progress = choice, folder, on_progress
        self.known = file.read()
        self._file, self._run = file, run
        self._measured: set[str] = set()
        self._end = time.monotonic() + (choice.budget or float("inf"))

    def find(self, line: Line) -> Line | None:
        """The result of a measurement."""
        return self.known.get(identity(line))

    def is_done(self, line: Line) -> bool:
        """Whether there is a result that need not be measured again.

        An exceeded time limit is one unless the limit was raised; other failures are repeated.
        """
        stored = self.find(line)
        if stored is None or (self.choice.again and identity(line) not in self._measured):
            return False
        return "error" not in stored or stored.get("time_limit", 0) >= self.choice.time_limit

    def record(self, line: Line) -> None:
        """Store a result."""
        self._file.append(line)
        self.known[identity(line)] = line
        self._measured.add(identity(line))

    def run(self, work: Any, argument: Any) -> Iterator[Any]:
        """Yield what a process sends; TimeoutError means that the limit of one fit was exceeded."""
        left = self._end - time.monotonic()
        if left < _LEAST_SECONDS:
            raise BudgetSpentError
        limit = min(self.choice.time_limit, left)
        try:
            yield from self._run(work, argument, limit, _PRELOAD)
        except TimeoutError:
            if limit < self.choice.time_limit:
                raise BudgetSpentError from None
            raise

    def sizes(self, default: Sequence[int]) -> tuple[int, ...]:
        """The chosen numbers of documents, ascending."""
        return tuple(sorted(self.choice.sizes or default))
