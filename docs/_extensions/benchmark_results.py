"""The stored results of the benchmark suites, read once per build."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from statistics import fmean

from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.reading import suites
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.ranking import Ranking, rank_methods
from isthmus_bench.report.summary import Results, collect
from isthmus_bench.run.results import ResultFile

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


def result_files() -> list[Path]:
    """What pages with results depend on."""
    return sorted(FOLDER.glob("*.jsonl"))


def default_entry(suite: Suite, method: str) -> Entry | None:
    """The entry of a suite that is a method with its defaults, or stands for it."""
    entries = [e for e in suite.entries if e.method == method and e.represents_method]
    # An entry that runs on all problems comes before one for the named problems only.
    return min(entries, key=lambda e: e.is_named_only, default=None)


def source_only_entry(suite: Suite) -> Entry | None:
    """The classifier of the source alone that the methods of a suite are compared with."""
    by_id = {entry.id: entry for entry in suite.entries}
    named = [by_id[name] for name in suite.source_only]
    return next(
        filter(None, [*named, *(default_entry(suite, name) for name in ("lg", "svm"))]), None
    )


def default_entries(suite: Suite) -> dict[str, Entry]:
    """The entry of every method with its default parameters."""
    methods = dict.fromkeys(entry.method for entry in suite.entries if not entry.is_peer)
    entries = {method: default_entry(suite, method) for method in methods}
    return {method: entry for method, entry in entries.items() if entry is not None}


def evidence_scores(suite_name: str, sets: Iterable[str] = ()) -> Scores:
    """Accuracies on the evidence problems that every default entry was run on.

    "source-only" is the suite's logistic regression on the source.
    """
    suite, results = suite_results(suite_name)
    entries = default_entries(suite)
    source_only = source_only_entry(suite)
    assert source_only is not None
    entries["source-only"] = source_only
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
