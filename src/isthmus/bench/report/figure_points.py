"""The points of a figure's lines: from results to numbers over an axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.entries import Entry
from isthmus.bench.report.summary import EntryResults

__all__ = [
    "POINTS", "Points", "PointsOf", "complete_mean", "has_logarithms", "objective_points",
    "training_size",
]  # fmt: skip

Points = dict[float, float]
Results = Mapping[str, EntryResults]


def sweep_points(
    entries: Sequence[Entry], results: Results, tasks: Sequence[Task], metric: str
) -> Points:
    """The mean over the problems at every value."""
    means = {
        entry.sweep.value: _mean(results[entry.id], tasks, metric)
        for entry in entries
        if entry.sweep is not None
    }
    return _known(means)


def size_points(
    entries: Sequence[Entry], results: Results, tasks: Sequence[Task], metric: str
) -> Points:
    """The mean over the problems of every training size."""
    (entry,) = entries
    sizes: dict[float, list[Task]] = {}
    for task in tasks:
        sizes.setdefault(training_size(task), []).append(task)
    return _known({size: _mean(results[entry.id], part, metric) for size, part in sizes.items()})


def problem_points(
    entries: Sequence[Entry], results: Results, tasks: Sequence[Task], metric: str
) -> Points:
    """Every problem by itself, numbered from 0."""
    (entry,) = entries
    found = results[entry.id]
    return _known({i: complete_mean(found, task.name, metric) for i, task in enumerate(tasks)})


def iteration_points(
    entries: Sequence[Entry], results: Results, tasks: Sequence[Task], metric: str
) -> Points:
    """The decimal logarithm of the objective, a mean where every fit has the iteration."""
    (entry,) = entries
    return _curve_means(_curves(results[entry.id], tasks), math.log10)


def objective_points(
    entries: Sequence[Entry], results: Results, tasks: Sequence[Task], metric: str
) -> Points:
    """The objective itself, for figures in which it has no logarithm everywhere."""
    (entry,) = entries
    return _curve_means(_curves(results[entry.id], tasks), float)


def has_logarithms(entries: Sequence[Entry], results: Results, tasks: Sequence[Task]) -> bool:
    """Whether all objectives of a figure are above 0; some methods have negative ones."""
    found = [results[entry.id].objectives.get(task.name, {}) for entry in entries for task in tasks]
    curves = [curve for of_task in found for curve in of_task.values()]
    return all(value > 0 for curve in curves for value in curve.values())


def training_size(task: Task) -> int:
    """How many documents of the sources show their label."""
    size = task.sample_of(0) or 0
    # As they are drawn: a share of every class, one document or more.
    shown = max(1, round(task.labelled_source * size)) if size else 0
    return shown * sum(len(selection) for selection in task.sources)


PointsOf = Callable[[Sequence[Entry], Results, Sequence[Task], str], Points]
POINTS: dict[str, PointsOf] = {
    "sweep": sweep_points,
    "training size": size_points,
    "problems": problem_points,
    "iterations": iteration_points,
}
"""(entries of a line, results, problems, metric) -> points, by what the axis is."""


def complete_mean(results: EntryResults, task: str, metric: str = "accuracy") -> float | None:
    """The mean over the seeds of a problem; None until every one of them is there."""
    # Results from before a metric was recorded do not have it.
    scored = len(results.scores[metric].get(task, {}))
    if not results.is_complete(task) or scored < results.planned[task]:
        return None
    return results.mean(task, metric)


def _mean(results: EntryResults, tasks: Sequence[Task], metric: str) -> float | None:
    """The mean over problems; None if one of them is not complete, or the line would jump."""
    means = [complete_mean(results, task.name, metric) for task in tasks]
    known = [mean for mean in means if mean is not None]
    return fmean(known) if len(known) == len(means) else None


def _curves(results: EntryResults, tasks: Sequence[Task]) -> list[dict[int, float]]:
    """The objectives of all fits of some problems; none at all until every fit is there."""
    found = [list(results.objectives.get(task.name, {}).values()) for task in tasks]
    for task, curves in zip(tasks, found, strict=True):
        if not results.is_complete(task.name) or len(curves) < results.planned[task.name]:
            return []
    return [curve for curves in found for curve in curves]


def _curve_means(curves: Sequence[dict[int, float]], scale: Callable[[float], float]) -> Points:
    if not curves:
        return {}
    steps = set(curves[0]).intersection(*curves[1:])
    return {step: fmean(scale(curve[step]) for curve in curves) for step in sorted(steps)}


def _known(points: Mapping[float, float | None]) -> Points:
    return {x: y for x, y in points.items() if y is not None}
