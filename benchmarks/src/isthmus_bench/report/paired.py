"""Tables that compare entries of a suite with another one, over all problems and on each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isthmus.evaluation.accuracy import paired_test
from isthmus_bench.documents.tasks import BenchmarkTask, split_parts
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.blocks import Block, table
from isthmus_bench.report.signed_ranks import signed_ranks
from isthmus_bench.report.summary import EntryResults, Results

__all__ = ["paired_tables"]

_MANY_ENTRIES = 8


def paired_tables(suite: Suite, results: Results) -> list[Block]:
    """The comparisons with each of ``suite.paired_with``, then the pairs of ``paired_tests``."""
    entries = {entry.id: entry for entry in suite.entries if entry.competes}
    blocks: list[Block] = []
    for base in suite.paired_with:
        others = [entry for entry in entries.values() if entry.id != base]
        if base in entries and others:
            blocks += _against(suite, base, others, results)
    for pair in suite.paired_tests:
        # Peers that were not run are not among the entries.
        if {*pair} <= {*entries}:
            blocks += _problem_by_problem(suite, [entries[name] for name in pair], results)
    return blocks


def _against(
    suite: Suite, base: str, others: Sequence[Entry], results: Results
) -> tuple[Block, ...]:
    label = suite.label(base)
    titles = [
        "method", "problems", "mean difference", "better / equal / worse", "p (Wilcoxon)",
        f"only it correct / only {label}", "p (McNemar)",
    ]  # fmt: skip
    rows = []
    for entry in others:
        parts = split_parts([task for task in suite.tasks if entry.runs_on(task)])
        evidence = {name: part for name, part in parts.items() if name.startswith("evidence")}
        if evidence and len(others) > _MANY_ENTRIES:
            parts = evidence
        for name, tasks in parts.items():
            rows.append([entry.label, *_cells(name, tasks, results[entry.id], results[base])])
    explanation = (
        "Differences are in percentage points of accuracy. Wilcoxon's signed-rank test compares "
        f"the method with {label} over the problems. {_about_documents(suite)}"
    )
    return f"### Against {label}", table(titles, rows), explanation


def _problem_by_problem(suite: Suite, pair: Sequence[Entry], results: Results) -> tuple[Block, ...]:
    tasks = [task for task in suite.tasks if all(entry.runs_on(task) for entry in pair)]
    parts = {f"{task.name} ({task.split})": [task] for task in tasks} | split_parts(tasks)
    rows = []
    for name, part in parts.items():
        cells = _cells(name, part, *(results[entry.id] for entry in pair))
        rows.append([*cells[:2], *cells[4:]])
    first, second = (entry.label for entry in pair)
    titles = ["problem", "mean difference", f"only {first} correct / only {second}", "p (McNemar)"]
    explanation = (
        f"{first} and {second} label the same documents, and their difference is in percentage "
        f"points of accuracy. {_about_documents(suite)}"
    )
    return f"### {first} against {second} on each problem", table(titles, rows), explanation


def _cells(
    name: str, tasks: Sequence[BenchmarkTask], results: EntryResults, base: EntryResults
) -> list[str]:
    """The cells of an entry on the problems that both have completely."""
    both = [t for t in tasks if results.is_complete(t.name) and base.is_complete(t.name)]
    if len(both) < len(tasks):
        name += f", {len(both)} of them run"
    if not both:
        return [name, *["-"] * 5]
    means = [[of_entry.mean(task.name) for task in both] for of_entry in (results, base)]
    test = signed_ranks(*means)
    return [
        name,
        f"{test.difference:+.2f}",
        f"{test.better} / {test.equal} / {test.worse}",
        _p_value(test.p_value),
        *_document_cells(both, results, base),
    ]


def _document_cells(
    tasks: Sequence[BenchmarkTask], results: EntryResults, base: EntryResults
) -> tuple[str, str]:
    masks = [_correct(task, of_entry) for of_entry in (results, base) for task in tasks]
    known = [mask for mask in masks if mask is not None]
    # Older results have no masks.
    if any(task.draws_scored for task in tasks) or len(known) < len(masks):
        return "-", "-"
    first, second = np.concatenate(known[: len(tasks)]), np.concatenate(known[len(tasks) :])
    test = paired_test(np.ones(len(first), bool), first, second)
    return f"{test.first_only:,} / {test.second_only:,}", _p_value(test.p_value)


def _correct(task: BenchmarkTask, results: EntryResults) -> np.ndarray | None:
    """Which scored documents of a problem are correct, each once; None if it is not known."""
    by_seed = results.correct.get(task.name, {})
    if task.folds is not None:
        # The folds have different documents, which together are the whole.
        known = len(by_seed) == results.planned[task.name]
        return np.concatenate(list(by_seed.values())) if known else None
    return next(iter(by_seed.values()), None)


def _p_value(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def _about_documents(suite: Suite) -> str:
    text = (
        "McNemar's exact test compares them over the documents that only one of the two labels "
        "correctly; it assumes that the documents of all problems are independent, although "
        "problems share sources and targets."
    )
    if any(task.draws_scored for task in suite.tasks):
        text += " Where the seed draws the scored documents, there is only Wilcoxon's test."
    elif any(task.folds is None for task in suite.tasks):
        text += (
            " For a method with several seeds, McNemar's test uses the first seed: a majority vote "
            "of several seeds would be another method."
        )
    return text
