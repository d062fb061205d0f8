"""The points of a figure's lines: from results to numbers over an axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.entries import Entry
from isthmus.bench.report.summary import EntryResults

__all__ = ["POINTS", "Points", "training_size"]

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
    return _known({i: results[entry.id].mean(task.name, metric) for i, task in enumerate(tasks)})


def iteration_points(
    entries: Sequence[Entry], results: Results, tasks: Sequence[Task], metric: str
) -> Points:
    """The decimal logarithm of the objective, a mean where every fit has the iteration."""
    (entry,) = entries
    found = results[entry.id].objectives
    curves = [curve for task in tasks for curve in found.get(task.name, {}).values()]
    if not curves or not all(task.name in found for task in tasks):
        return {}
    steps = set(curves[0]).intersection(*curves[1:])
    return {step: fmean(math.log10(curve[step]) for curve in curves) for step in sorted(steps)}


def training_size(task: Task) -> int:
    """How many labelled documents the sources have."""
    return (task.sample_of(0) or 0) * sum(len(selection) for selection in task.sources)


POINTS: dict[str, Callable[[Sequence[Entry], Results, Sequence[Task], str], Points]] = {
    "sweep": sweep_points,
    "training size": size_points,
    "problems": problem_points,
    "iterations": iteration_points,
}
"""(entries of a line, results, problems, metric) -> points, by what the axis is."""


def _mean(results: EntryResults, tasks: Sequence[Task], metric: str) -> float | None:
    """The mean over problems; None if one of them has no result, or the line would jump."""
    means = [results.mean(task.name, metric) for task in tasks]
    known = [mean for mean in means if mean is not None]
    return fmean(known) if len(known) == len(means) else None


def _known(points: Mapping[float, float | None]) -> Points:
    return {x: y for x, y in points.items() if y is not None}
