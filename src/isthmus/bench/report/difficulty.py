"""The accuracy on every problem of a set, easy ones last, as in MTrick's Figure 1."""

from __future__ import annotations

from collections.abc import Mapping

from isthmus.bench.documents.tasks import SPLITS
from isthmus.bench.plan.suite import Suite
from isthmus.bench.report.blocks import Block
from isthmus.bench.report.charts import Chart, Series
from isthmus.bench.report.figure_points import complete_mean
from isthmus.bench.report.summary import EntryResults

__all__ = ["difficulty_charts"]


def difficulty_charts(suite: Suite, results: Mapping[str, EntryResults]) -> list[Block]:
    """A chart for every set and split of a suite that says by which entry problems are hard."""
    if suite.difficulty is None:
        return []
    measure, threshold = suite.difficulty
    label = next(entry.label for entry in suite.entries if entry.id == measure)
    charts: list[Block] = []
    for group in suite.sets:
        for split in reversed(SPLITS):
            known = {
                task.name: accuracy
                for task in group.tasks
                if task.split == split
                and (accuracy := complete_mean(results[measure], task.name)) is not None
            }
            tasks = [task for task in group.tasks if task.name in known]
            if len(tasks) < 2:
                continue
            names = tuple(sorted(known, key=lambda name: known[name]))
            hard = sum(known[name] < threshold for name in names)
            charts.append(
                Chart(
                    f"{group.name}, {split}: accuracy on every problem",
                    f"problems, sorted by {label}",
                    "accuracy in per cent",
                    tuple(
                        _series(entry.label, results[entry.id], names)
                        for entry in suite.entries_on(tasks)
                        if entry.preset is None
                    ),
                    marks=((f"{label} reaches {threshold:g} %", hard + 0.5),) if hard else (),
                    note="The hardest problem is on the left.",
                )
            )
    return charts


def _series(label: str, results: EntryResults, names: tuple[str, ...]) -> Series:
    """What is not run yet, or not with every seed, leaves a gap."""
    points = [
        (place, accuracy, name)
        for place, name in enumerate(names, start=1)
        if (accuracy := complete_mean(results, name)) is not None
    ]
    x, y, named = zip(*points, strict=True) if points else ((), (), ())
    return Series(label, tuple(map(float, x)), tuple(y), tuple(named))
