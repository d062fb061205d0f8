"""Tables with one row per entry and one column per set, all metrics beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isthmus_bench.documents.tasks import SPLITS, BenchmarkTask
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.metrics import METRICS
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.blocks import Block, table
from isthmus_bench.report.summary import Results, Summary, summarize
from isthmus_bench.report.tables import (
    COSTS,
    mark_best,
    megabytes,
    number,
    rankable,
)  # fmt: skip

__all__ = ["column_tables"]


def column_tables(suite: Suite, results: Results) -> list[Block]:
    """A table for each split; a cell has the means of all metrics over the problems of a set."""
    blocks: list[Block] = []
    for split in reversed(SPLITS):
        parts = {
            f"{group.name} ({len(tasks)})": tasks
            for group in suite.sets
            if (tasks := [task for task in group.tasks if task.split == split])
        }
        every = [task for tasks in parts.values() for task in tasks]
        if not every:
            continue
        if len(parts) > 1:
            parts = {f"all ({len(every)})": every, **parts}
        metrics = " / ".join(suite.metrics)
        blocks.append(f"### {split.capitalize()}, {len(every)} problems")
        blocks.append(f"Means over the problems of each set: {metrics}.")
        blocks.append(_table(suite.entries_on(every), parts, every, results, suite.metrics))
    return blocks


def _table(
    entries: Sequence[Entry],
    parts: Mapping[str, Sequence[BenchmarkTask]],
    every: Sequence[BenchmarkTask],
    results: Results,
    metrics: Sequence[str],
) -> str:
    columns: dict[str, list[str]] = {"method": [entry.label for entry in entries]}
    for name, tasks in parts.items():
        by_metric = [_cells(entries, tasks, results, metric) for metric in metrics]
        whole = [summarize(results[entry.id], tasks) for entry in entries]
        columns[name] = [
            _joined(summary, texts) for summary, *texts in zip(whole, *by_metric, strict=True)
        ]
    costs = [summarize(results[entry.id], every) for entry in entries]
    columns[COSTS[0]] = [number(summary.seconds) for summary in costs]
    columns[COSTS[1]] = [megabytes(summary.memory) for summary in costs]
    return table(columns, zip(*columns.values(), strict=True))


def _cells(
    entries: Sequence[Entry], tasks: Sequence[BenchmarkTask], results: Results, metric: str
) -> list[str]:
    summaries = [summarize(results[entry.id], tasks, metric) for entry in entries]
    ranked = [rankable(*pair) for pair in zip(entries, summaries, strict=True)]
    texts = [METRICS[metric].show(summary.mean) for summary in summaries]
    return mark_best(texts, ranked, METRICS[metric])


def _joined(summary: Summary, texts: Sequence[str]) -> str:
    """The means by all metrics, or why there are none; ``summary`` is by the accuracy."""
    if summary.mean is None:
        return summary.failure or "-"
    return " / ".join(texts) + ("" if summary.complete else " (incomplete)")
