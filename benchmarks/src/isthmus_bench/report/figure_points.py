"""The points of a figure's lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.plan.entries import Entry
from isthmus_bench.report.summary import EntryResults, Results

__all__ = ["Points", "has_logarithms", "line_points", "training_size"]

Points = dict[float, float]


def line_points(
    x: str,
    entries: Sequence[Entry],
    results: Results,
    tasks: Sequence[BenchmarkTask],
    metric: str,
    logarithm: bool = True,
) -> Points:
    """The points of a line over some problems; incomplete points are left out.

    ``entries`` are those of a sweep, or one. ``x`` is the x axis of the figure. ``logarithm`` says
    whether objectives are shown by their decimal logarithm.
    """
    if x == "sweep":
        return _known({e.sweep_value: _mean(results[e.id], tasks, metric) for e in entries})
    (entry,) = entries
    of_entry = results[entry.id]
    if x == "problems":
        return _known({i: of_entry.complete_mean(t.name, metric) for i, t in enumerate(tasks)})
    if x == "training size":
        sizes: dict[float, list[BenchmarkTask]] = {}
        for task in tasks:
            sizes.setdefault(training_size(task), []).append(task)
        return _known({size: _mean(of_entry, part, metric) for size, part in sizes.items()})
    return _curve_means(of_entry, tasks, math.log10 if logarithm else float)


def has_logarithms(
    entries: Sequence[Entry], results: Results, tasks: Sequence[BenchmarkTask]
) -> bool:
    """Whether all objectives of a figure are positive; some methods have negative ones."""
    curves = [
        curve
        for entry in entries
        for task in tasks
        for curve in results[entry.id].objectives.get(task.name, {}).values()
    ]
    return all(value > 0 for curve in curves for value in curve.values())


def training_size(task: BenchmarkTask) -> int:
    """The number of labeled documents of the sources."""
    size = task.sample_of(0) or 0
    # As they are drawn: a fraction of every class, at least one document.
    shown = max(1, round(task.labeled_source * size)) if size else 0
    return shown * sum(len(selection) for selection in task.sources)


def _mean(results: EntryResults, tasks: Sequence[BenchmarkTask], metric: str) -> float | None:
    """The mean over problems; None if one of them is incomplete."""
    means = [results.complete_mean(task.name, metric) for task in tasks]
    known = [mean for mean in means if mean is not None]
    return fmean(known) if len(known) == len(means) else None


def _curve_means(
    results: EntryResults, tasks: Sequence[BenchmarkTask], scale: Callable[[float], float]
) -> Points:
    """The mean objective at the iterations of all fits; nothing if a fit is missing."""
    curves: list[dict[int, float]] = []
    for task in tasks:
        of_task = list(results.objectives.get(task.name, {}).values())
        if not results.is_complete(task.name) or len(of_task) < results.planned[task.name]:
            return {}
        curves += of_task
    if not curves:
        return {}
    steps = set(curves[0]).intersection(*curves[1:])
    return {step: fmean(scale(curve[step]) for curve in curves) for step in sorted(steps)}


def _known(points: Mapping[float, float | None]) -> Points:
    return {x: y for x, y in points.items() if y is not None}
