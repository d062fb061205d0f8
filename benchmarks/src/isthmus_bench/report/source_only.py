"""The table that says where entries are below the classifiers that use the source only."""

from __future__ import annotations

from collections.abc import Sequence

from isthmus_bench.documents.tasks import SPLITS, BenchmarkTask
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.metrics import METRICS
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.blocks import Block, table
from isthmus_bench.report.summary import EntryResults, Results, summarize
from isthmus_bench.report.tables import mark_best, rankable, score_text

__all__ = ["losses", "source_only_tables"]

# Means of the same numbers in another order may differ in the last digit.
_EQUAL = 1e-9
_EXPLANATION = (
    "Source-only classifiers are trained on the labeled source documents alone: {names}. "
    '"Below" is the number of problems on which a method is worse than that, of the problems '
    'that both were run on; "worst loss" is the largest difference on one of them, in the unit of '
    "the metric."
)


def source_only_tables(suite: Suite, results: Results) -> list[Block]:
    """For each split the means, and for each source-only entry the problems below it."""
    tables: list[Block] = []
    for split in reversed(SPLITS) if suite.source_only else ():
        tasks = [task for task in suite.tasks if task.split == split]
        entries = [
            entry
            for entry in suite.entries_on(tasks)
            if entry.sweep is None
            and entry.competes
            and summarize(results[entry.id], tasks).problems
        ]
        if entries:
            tables.append(f"{split.capitalize()}, {len(tasks)} problems:")
            tables.append(_table(suite, entries, tasks, results))
    if not tables:
        return []
    names = " and ".join(suite.label(entry) for entry in suite.source_only)
    return ["### Below the source-only classifier", _EXPLANATION.format(names=names), *tables]


def losses(
    results: EntryResults, base: EntryResults, tasks: Sequence[BenchmarkTask], metric: str
) -> list[float]:
    """By how much an entry is worse than another on the problems that both have completely.

    A problem on which it is better or equal has the loss 0.
    """
    values = []
    for task in tasks:
        mean = results.complete_mean(task.name, metric)
        other = base.complete_mean(task.name, metric)
        if mean is not None and other is not None:
            loss = -METRICS[metric].margin(mean, other)
            values.append(loss if loss > _EQUAL else 0.0)
    return values


def _table(
    suite: Suite, entries: Sequence[Entry], tasks: Sequence[BenchmarkTask], results: Results
) -> str:
    columns: dict[str, list[str]] = {"method": [entry.label for entry in entries]}
    for metric in suite.metrics:
        summaries = [summarize(results[entry.id], tasks, metric) for entry in entries]
        ranked = [rankable(*pair) for pair in zip(entries, summaries, strict=True)]
        texts = [score_text(summary, METRICS[metric]) for summary in summaries]
        columns[f"mean {metric}"] = mark_best(texts, ranked, METRICS[metric])
    for base in suite.source_only:
        for metric in suite.metrics:
            lost = [losses(results[e.id], results[base], tasks, metric) for e in entries]
            label = f"{suite.label(base)}, {metric}"
            columns[f"below {label}"] = [
                "-" if entry.id == base or not values else _count(values, len(tasks))
                for entry, values in zip(entries, lost, strict=True)
            ]
            columns[f"worst loss against {label}"] = [
                "-" if entry.id == base or not values else METRICS[metric].show(max(values))
                for entry, values in zip(entries, lost, strict=True)
            ]
    return table(columns, zip(*columns.values(), strict=True))


def _count(values: Sequence[float], n_tasks: int) -> str:
    below = sum(value > 0 for value in values)
    return f"{below}" if len(values) == n_tasks else f"{below} of {len(values)}"
