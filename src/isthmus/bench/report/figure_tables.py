"""The numbers of a figure as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.metrics import METRICS
from isthmus.bench.plan.sweeps import value_text
from isthmus.bench.report.blocks import Table, table
from isthmus.bench.report.figure_points import Points

__all__ = ["Line", "Plot", "line_table", "problem_table", "range_table"]


@dataclass(frozen=True)
class Line:
    """The points of one line; ``metric`` is empty where they are no metric."""

    label: str
    metric: str
    points: Points

    def show(self, value: float | None) -> str:
        """A number of its metric as text."""
        if self.metric:
            return METRICS[self.metric].show(value)
        return "-" if value is None else f"{value:.3f}"


@dataclass(frozen=True)
class Plot:
    """The lines over one pair of axes, and the problems that they are about."""

    title: str
    split: str
    tasks: list[Task]
    lines: list[Line]

    @property
    def has_points(self) -> bool:
        """Whether there is anything to draw."""
        return any(line.points for line in self.lines)

    def is_whole(self, line: Line) -> bool:
        """Whether a line over the problems has a point for each: no mean leaves one out."""
        return len(line.points) == len(self.tasks)


def line_table(plots: Sequence[Plot]) -> Table:
    """A row a line, and a column for every place on the axis."""
    places = sorted({x for plot in plots for line in plot.lines for x in line.points})
    rows = [
        [plot.title, line.label, *(line.show(line.points.get(x)) for x in places)]
        for plot in plots
        for line in plot.lines
    ]
    return table(["problems", "line", *map(value_text, places)], rows)


def problem_table(plots: Sequence[Plot], with_variance: bool) -> Table:
    """A row a problem and a column a line, perhaps with the mean and variance of the row."""
    rows = []
    for plot in plots:
        for i, task in enumerate(plot.tasks):
            numbers = [line.points.get(i) for line in plot.lines]
            cells = [line.show(y) for line, y in zip(plot.lines, numbers, strict=True)]
            if with_variance:
                known = [number for number in numbers if number is not None]
                is_whole = len(known) == len(numbers)
                cells.append(plot.lines[0].show(fmean(known) if is_whole else None))
                cells.append(f"{variance(known):.3f}" if is_whole and len(known) > 1 else "-")
            rows.append([f"{task.name} ({plot.split})", *cells])
        means = [
            fmean(line.points.values()) if plot.is_whole(line) else None for line in plot.lines
        ]
        cells = [line.show(mean) for line, mean in zip(plot.lines, means, strict=True)]
        rows.append([f"mean, {plot.title}", *cells, *(["", ""] if with_variance else [])])
    spread = ["mean", "variance"] if with_variance else []
    return table(["problem", *(line.label for line in plots[0].lines), *spread], rows)


def range_table(plots: Sequence[Plot]) -> Table:
    """A row a line: its mean, and how far it reaches."""
    rows = []
    for plot in plots:
        for line in plot.lines:
            values = list(line.points.values())
            whole = plot.is_whole(line)
            ends = [fmean(values), min(values), max(values)] if whole else [None] * 3
            cells = [line.show(end) for end in ends]
            rows.append([plot.title, line.label, str(len(values)), *cells])
    return table(["problems", "line", "with results", "mean", "least", "greatest"], rows)
