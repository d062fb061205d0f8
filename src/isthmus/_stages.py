"""How long the stages of a piece of work take."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TypeVar

__all__ = ["StageTimes", "record_stages", "stage", "timed"]

T = TypeVar("T")


class StageTimes:
    """Seconds per stage, in the order in which the stages began.

    A stage is not charged while another one within it runs, so that the times add up to the whole.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._running: list[str] = []
        self._since = time.perf_counter()

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Add the time of a block to a stage."""
        self.seconds.setdefault(name, 0.0)
        self._charge()
        self._running.append(name)
        try:
            yield
        finally:
            self._charge()
            self._running.pop()

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Charge no stage for a block."""
        self._charge()
        try:
            yield
        finally:
            self._since = time.perf_counter()

    def add(self, other: StageTimes) -> None:
        """Add the times of a part of the work that was recorded separately."""
        for name, seconds in other.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    def _charge(self) -> None:
        """Add the time since the last change to the stage that is running."""
        now = time.perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now


_current: ContextVar[StageTimes | None] = ContextVar("_current", default=None)


@contextmanager
def record_stages(name: str) -> Iterator[StageTimes]:
    """Record the stages of a block; its other time is that of a stage ``name``, the last one.

    Within another such block, the times are also added to those of the other one at the end.
    """
    outer, times = _current.get(), StageTimes()
    token = _current.set(times)
    try:
        with nullcontext() if outer is None else outer.pause(), times.measure(name):
            yield times
    finally:
        _current.reset(token)
        times.seconds[name] = times.seconds.pop(name)
        if outer is not None:
            outer.add(times)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Measure a block as a stage, if stages are recorded."""
    times = _current.get()
    if times is None:
        yield
        return
    with times.measure(name):
        yield


def timed(items: Iterable[T], name: str) -> Iterator[T]:
    """Yield the items; measure as a stage how long it takes to get them."""
    remaining = iter(items)
    while True:
        with stage(name):
            try:
                item = next(remaining)
            except StopIteration:
                return
        yield item
