"""How long the rest of a benchmark will take."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median

from isthmus.bench.run.results import Record
from isthmus.bench.run.runs import Run

__all__ = ["RemainingTime"]

_ENOUGH = 3


class RemainingTime:
    """Expect of every run what runs of its entry took, and correct by how the work goes.

    Parameters
    ----------
    pending : sequence of Run
        What is to do.
    records : iterable of Record
        Results that are there, of whatever suites.
    clock : callable
        Seconds since some moment.
    """

    def __init__(
        self,
        pending: Sequence[Run],
        records: Iterable[Record],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        seconds: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for record in records:
            if record.get("error") is None:
                seconds[(record["suite"], record["entry"])].append(record["seconds"])
                seconds[(record["method"],)].append(record["seconds"])
        self._known = {key: median(values) for key, values in seconds.items()}
        self._usual = fmean(self._known.values()) if self._known else 1.0
        self._left = sum(self._expected(r.suite, r.entry.id, r.entry.method) for r in pending)
        self._done = 0.0
        self._n_done = 0
        self._clock = clock
        self._begin = clock()

    def advance(self, record: Record) -> None:
        """Take note of a run that has ended."""
        expected = self._expected(record["suite"], record["entry"], record["method"])
        self._left -= expected
        self._done += expected
        self._n_done += 1

    @property
    def seconds(self) -> float | None:
        """What is left to do, None while that cannot be known."""
        if self._n_done < _ENOUGH or self._done <= 0:
            return None
        return max(0.0, self._left) * (self._clock() - self._begin) / self._done

    def _expected(self, suite: str, entry: str, method: str) -> float:
        # Reading and weighting take a moment, however quick the fit.
        return 0.05 + self._known.get((suite, entry), self._known.get((method,), self._usual))
