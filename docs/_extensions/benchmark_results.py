"""The stored results of the benchmark suites, read once per build."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from statistics import fmean

from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.reading import suites
from isthmus.bench.plan.suite import Suite
from isthmus.bench.report.ranking import Ranking, rank_methods
from isthmus.bench.report.summary import Results, collect
from isthmus.bench.run.results import ResultFile

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "results"

Scores = dict[str, dict[str, float]]
"""Accuracy in per cent by method, then by problem."""


@cache
def suite_results(name: str) -> tuple[Suite, Results]:
    """A suite and its current results."""
    suite = suites()[name]
    return suite, collect(suite, ResultFile(FOLDER / f"{name}.jsonl").read())


def all_results() -> list[tuple[Suite, Results]]:
    """Every suite that has results."""
    return [suite_results(name) for name in suites() if (FOLDER / f"{name}.jsonl").exists()]


@cache
def ranking(kind: str = "classifier") -> Ranking:
    """The ranks of the methods over the evidence problems that most of them share."""
    ranked = rank_methods(all_results(), kind, "evidence")
    assert ranked is not None
    return ranked


def default_entries(suite: Suite) -> dict[str, Entry]:
    """The entry of every method with its default parameters."""
    entries: dict[str, Entry] = {}
    for entry in suite.entries:
        if entry.represents_method and not entry.is_peer:
            entries.setdefault(entry.method, entry)
    return entries


def evidence_scores(suite_name: str, sets: Iterable[str] = ()) -> Scores:
    """Accuracies on the evidence problems that every default entry was run on.

    "source-only" is the suite's logistic regression on the source.
    """
    suite, results = suite_results(suite_name)
    entries = default_entries(suite)
    by_id = {entry.id: entry for entry in suite.entries}
    entries["source-only"] = by_id[suite.source_only[0] if suite.source_only else "lg"]
    limited = any(entry.is_named_only for entry in suite.entries)
    tasks = [
        task.name
        for group in suite.sets
        for task in group.tasks
        if task.split == "evidence"
        and (task.named or not limited)
        and (not sets or group.name in sets)
    ]
    scores = {
        method: {name: results[entry.id].complete_mean(name) for name in tasks}
        for method, entry in entries.items()
    }
    return {
        method: {name: float(score) for name, score in by_task.items() if score is not None}
        for method, by_task in scores.items()
        if all(score is not None for score in by_task.values())
    }


def mean_scores(scores: Scores) -> dict[str, float]:
    """The mean accuracy of every method."""
    return {method: fmean(by_task.values()) for method, by_task in scores.items() if by_task}
