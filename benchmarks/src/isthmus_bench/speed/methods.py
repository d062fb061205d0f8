"""Fit every method to more and more documents, and store what each fit costs."""

from __future__ import annotations

import contextlib
import os
import platform
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isthmus.estimators.registry import find_classifier, find_method
from isthmus.matrices.threads import thread_limit
from isthmus_bench.run.method_costs import (
    COST_FILE,
    CostEntry,
    Costs,
    collect_costs,
    cost_entries,
)
from isthmus_bench.run.results import Record, ResultFile, record_key
from isthmus_bench.run.worker import NOT_TRIED, versions
from isthmus_bench.speed.corpus import make_documents, save_corpus, weighted
from isthmus_bench.speed.measuring import measure_fit

__all__ = ["COUNTS", "MethodFits", "counts_up_to", "hardware", "measure_methods"]

COUNTS = (1_000, 10_000, 100_000, 1_000_000)
"""Documents of the fits."""
_SEED = 0
_LONGEST_MESSAGE = 300
_MEMORY_INFO = Path("/proc/meminfo")
OnProgress = Callable[[str], None]


@dataclass(frozen=True)
class MethodFits:
    """What is fitted: some methods or all, each fit for ``time_limit`` seconds at most.

    Costs are appended to a file in the folder ``results``, and those that are there are not
    measured ``again``.
    """

    methods: tuple[str, ...] = ()
    time_limit: float = 120.0
    results: Path | None = None
    again: bool = False

    def __post_init__(self) -> None:
        for name in self.methods:
            find_classifier(name)


def counts_up_to(largest: int) -> tuple[int, ...]:
    """The numbers of documents up to the largest."""
    return tuple(count for count in COUNTS if count <= largest) or (largest,)


def hardware() -> str:
    """The processor and the threads."""
    return f"{platform.machine()}, {os.cpu_count()} cores, {thread_limit()} threads used"


def measure_methods(
    fits: MethodFits, counts: Sequence[int], terms: int, words: int, on_progress: OnProgress
) -> Costs | None:
    """Measure all fits, the small ones of every method first, and return all costs.

    More documents are tried unless the fit is expected to exceed the time limit or the memory, with
    a cost that grows linearly.
    """
    with tempfile.TemporaryDirectory() as folder:
        run = _Measurement(fits, terms, words, Path(folder), on_progress)
        for place, count in enumerate(counts):
            for entry in cost_entries(fits.methods):
                run.fit(entry, count, counts[:place])
            run.remove_corpus()
    return collect_costs(run.shown)


class _Measurement:
    """One run: the records so far, and the documents of the current size."""

    def __init__(
        self, fits: MethodFits, terms: int, words: int, folder: Path, on_progress: OnProgress
    ) -> None:
        self._fits = fits
        self._terms, self._words = terms, words
        self._corpus = folder / "documents.npz"
        self._on_progress = on_progress
        self._file = None if fits.results is None else ResultFile(fits.results / COST_FILE)
        self._stored = {} if self._file is None else self._file.read()
        self.shown: dict[str, Record] = {}

    def fit(self, entry: CostEntry, count: int, fewer: Sequence[int]) -> None:
        """Measure one fit, unless its result is known or those of fewer documents forbid it."""
        blank = self._blank(entry, count)
        key = record_key(blank)
        stored = self._stored.get(key)
        what = f"{entry.id}, {count:,} documents"
        if stored is not None and not self._fits.again and self._is_final(stored):
            self._on_progress(f"{what}: stored, {_summary(stored)}")
            self.shown[key] = stored
            return
        if reason := self._obstacle(entry, count, fewer):
            outcome = {"error": f"{NOT_TRIED}: {reason}", "time_limit": self._fits.time_limit}
        else:
            self._on_progress(f"{what}: fitting")
            outcome = self._measure(entry, count)
        record = {**blank, **outcome}
        self._on_progress(f"{what}: {_summary(record)}")
        if record != stored and self._file is not None:
            self._file.append(record)
        self.shown[key] = record

    def remove_corpus(self) -> None:
        """Delete the documents of a size when all methods were fitted to them."""
        self._corpus.unlink(missing_ok=True)

    def _blank(self, entry: CostEntry, count: int) -> Record:
        problem = {
            "documents": count,
            "terms": self._terms,
            "words": self._words,
            "dtype": "float32",
            "machine": hardware(),
        }
        numbers = {"python": platform.python_version(), **versions()}
        fields = {"entry": entry.id, "problem": problem, "setup": entry.setup, "seed": _SEED}
        return {**fields, "versions": numbers, "error": None}

    def _is_final(self, record: Record) -> bool:
        """Whether it is a measurement, or a limit was exceeded that was not raised since."""
        if record["error"] is None:
            return True
        limit = record.get("time_limit")
        tried = not record["error"].startswith(NOT_TRIED)
        return tried and limit is not None and limit >= self._fits.time_limit

    def _obstacle(self, entry: CostEntry, count: int, fewer: Sequence[int]) -> str:
        """Why a fit is not tried, by the cost of fewer documents; empty if it is."""
        records = [(n, self.shown[record_key(self._blank(entry, n))]) for n in fewer]
        for n, record in records:
            if record["error"] is not None:
                return f"{n:,} documents were not fitted"
        if not records:
            return ""
        last, record = records[-1]
        if _expected([(n, r["seconds"]) for n, r in records], count) > self._fits.time_limit:
            return f"{last:,} documents took {record['seconds']:.1f} seconds"
        available = _available_memory()
        if available is None or record["memory"] is None:
            return ""
        known = [(n, r["memory"]) for n, r in records if r["memory"] is not None]
        if _expected(known, count) > available:
            return f"{last:,} documents needed {record['memory'] / 1e6:.0f} MB of memory"
        return ""

    def _measure(self, entry: CostEntry, count: int) -> dict[str, Any]:
        if not self._corpus.exists():
            made = make_documents(count, self._terms, self._words, "float32")
            save_corpus(weighted(made), self._corpus)
        limit = self._fits.time_limit
        sizes = (count, self._terms, self._words)
        try:
            cost = measure_fit(entry.method, _parameters(entry), *sizes, True, limit, self._corpus)
        except TimeoutError as error:
            return {"error": str(error), "time_limit": limit}
        except RuntimeError as error:
            return {"error": " ".join(str(error).split())[:_LONGEST_MESSAGE]}
        return {
            "seconds": round(cost.seconds, 6),
            "memory": cost.growth,
            "accuracy": round(cost.accuracy, 6),
            "sizes": {"n_nonzeros": cost.nonzeros, "matrix_bytes": cost.matrix_bytes},
        }


def _expected(costs: Sequence[tuple[int, float]], count: int) -> float:
    """The cost of more documents, if it is linear: a fixed part and one per document.

    A single cost, or one without a fixed part, grows in proportion to the documents. A cost that
    grows faster is underestimated: the time limit ends such a fit.
    """
    last, cost = costs[-1]
    in_proportion = cost * count / last
    if len(costs) == 1:
        return in_proportion
    fewer, less = costs[-2]
    per_document = max(0.0, cost - less) / (last - fewer)
    return min(in_proportion, cost + per_document * (count - last))


def _parameters(entry: CostEntry) -> dict[str, Any]:
    parameters: dict[str, Any] = dict(entry.parameters)
    if "random_state" in find_method(entry.method).build().get_params(deep=False):
        parameters["random_state"] = _SEED
    return parameters


def _summary(record: Record) -> str:
    if record["error"] is not None:
        return str(record["error"])
    memory = "" if record["memory"] is None else f", {record['memory'] / 1e6:.0f} MB"
    return f"{record['seconds']:.2f} seconds{memory}"


def _available_memory() -> int | None:
    """Bytes that programs can still get; None except on Linux."""
    with contextlib.suppress(OSError, KeyError, ValueError, IndexError):
        lines = dict(line.split(":", 1) for line in _MEMORY_INFO.read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    return None
