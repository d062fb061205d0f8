"""Figures of a suite: charts, each with a table of the same numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isthmus.bench.documents.tasks import SPLITS, Task
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.figure_fields import Figure
from isthmus.bench.plan.metrics import METRICS
from isthmus.bench.plan.scope import runs_on
from isthmus.bench.plan.suite import Suite
from isthmus.bench.report.blocks import Block, Heading
from isthmus.bench.report.charts import Chart, Panels, Series
from isthmus.bench.report.figure_points import (
    POINTS,
    Points,
    PointsOf,
    has_logarithms,
    objective_points,
)
from isthmus.bench.report.figure_tables import Line, Plot, line_table, problem_table, range_table
from isthmus.bench.report.summary import EntryResults

__all__ = ["figure_blocks"]

# More problems have no room for their names below an axis, nor for a row each.
_MOST_NAMED = 20
_AXIS_NAMES = {
    "training size": "labelled documents of the source",
    "problems": "problem",
    "iterations": "iteration",
}

_WITHOUT_LOGARITHM = (
    "These are the objectives themselves, not their logarithms: some are not above 0."
)


def figure_blocks(suite: Suite, results: Mapping[str, EntryResults]) -> list[Block]:
    """What a report shows of the figures of a suite.

    Parameters
    ----------
    suite : Suite
        Says what to draw.
    results : mapping of str to EntryResults
        As :func:`isthmus.bench.report.summary.collect` returns them.

    Returns
    -------
    list of Block
        For every figure its title, its note, one drawing and one table.
    """
    blocks: list[Block] = []
    for figure in suite.figures:
        blocks += [Heading(figure.title), *([figure.note] if figure.note else [])]
        logarithm = _has_logarithm(suite, figure, results)
        points_of = POINTS[figure.x] if logarithm else objective_points
        plots = [plot for plot in _plots(suite, figure, results, points_of) if plot.has_points]
        if plots:
            blocks += [] if logarithm else [_WITHOUT_LOGARITHM]
            blocks += [_drawing(suite, figure, plots, logarithm), _table(figure, plots)]
        else:
            blocks.append("There are no results to draw yet.")
    return blocks


def _has_logarithm(suite: Suite, figure: Figure, results: Mapping[str, EntryResults]) -> bool:
    """False for a figure of objectives one of which is not above 0."""
    if figure.x != "iterations":
        return True
    shown = _entries(suite, figure)
    return has_logarithms([e for _, part in shown for e in part], results, _tasks(suite, shown))


def _tasks(suite: Suite, shown: Sequence[tuple[str, Sequence[Entry]]]) -> list[Task]:
    """The problems that all entries of a figure run on."""
    return [t for t in suite.tasks if all(runs_on(e, t) for _, part in shown for e in part)]


def _plots(
    suite: Suite, figure: Figure, results: Mapping[str, EntryResults], points_of: PointsOf
) -> list[Plot]:
    """Development and evidence problems never share a chart."""
    shown = _entries(suite, figure)
    tasks = _tasks(suite, shown)
    found = []
    for split in SPLITS:
        part = [task for task in tasks if task.split == split]
        if figure.panels == "problems":
            groups = {f"{task.name} ({split})": [task] for task in part}
        else:
            groups = {f"{split} ({_call(part)})": part} if part else {}
        for title, chosen in groups.items():
            lines = _lines(figure, shown, results, chosen, points_of)
            found.append(Plot(title, split, chosen, lines))
    return found


def _call(tasks: Sequence[Task]) -> str:
    """A problem by its name, several by their number."""
    return tasks[0].name if len(tasks) == 1 else f"{len(tasks)} problems"


def _entries(suite: Suite, figure: Figure) -> list[tuple[str, list[Entry]]]:
    """The label of every line of a figure, and its entries: several if it is a sweep."""
    found = []
    for name in figure.entries:
        part = [entry for entry in suite.entries if entry.chosen_by[-1] == name]
        first = part[0]
        found.append((first.label if first.sweep is None else first.sweep.label, part))
    return found


def _lines(
    figure: Figure,
    shown: Sequence[tuple[str, Sequence[Entry]]],
    results: Mapping[str, EntryResults],
    tasks: Sequence[Task],
    points_of: PointsOf,
) -> list[Line]:
    groups = _groups(figure, tasks)
    metrics = ("",) if figure.x == "iterations" else figure.metrics
    lines = []
    for label, entries in shown:
        for metric in metrics:
            for group, part in groups.items():
                points = points_of(entries, results, part, metric)
                # A part that all lines have in common is said in the title.
                several = [len(shown) > 1, len(metrics) > 1, len(groups) > 1]
                said = [t for t, s in zip((label, metric, group), several, strict=True) if s]
                lines.append(Line(", ".join(said) or label, metric, points))
    return lines


def _groups(figure: Figure, tasks: Sequence[Task]) -> dict[str, list[Task]]:
    """The problems of every line."""
    if figure.lines == "mean":
        return {"": list(tasks)}
    found: dict[str, list[Task]] = {}
    for task in tasks:
        name = task.set_name if figure.lines == "sets" else task.name
        found.setdefault(name, []).append(task)
    return found


def _drawing(
    suite: Suite, figure: Figure, plots: Sequence[Plot], logarithm: bool
) -> Chart | Panels:
    named = _can_be_named(plots)
    charts = tuple(_chart(suite, figure, plot, named, logarithm) for plot in plots)
    if len(charts) > 1:
        return Panels(figure.title, charts)
    return charts[0]


def _can_be_named(plots: Sequence[Plot]) -> bool:
    return all(len(plot.tasks) <= _MOST_NAMED for plot in plots)


def _chart(suite: Suite, figure: Figure, plot: Plot, named: bool, logarithm: bool) -> Chart:
    over_problems = figure.x == "problems"
    names = tuple(task.name for task in plot.tasks)
    return Chart(
        title=plot.title,
        x_label=figure.x_label or _axis_name(suite, figure),
        y_label=_y_label(figure, logarithm),
        series=tuple(
            _series(line, figure, names if over_problems else ())
            for line in plot.lines
            if line.points
        ),
        log_x=figure.log_x,
        categories=names if over_problems and named else (),
        marks=figure.marks,
        least_span=_least_span(figure),
    )


def _least_span(figure: Figure) -> float:
    """Five points, or as much of a share; an objective has no natural measure."""
    if figure.x == "iterations":
        return 0.0
    return 0.05 if all(METRICS[name].share for name in figure.metrics) else 5.0


def _series(line: Line, figure: Figure, names: Sequence[str]) -> Series:
    points: Points = {x: y for x, y in line.points.items() if x > 0 or not figure.log_x}
    return Series(
        label=line.label,
        x=tuple(points),
        y=tuple(points.values()),
        names=tuple(names[int(x)] for x in points) if names else (),
        joined=figure.x != "problems",
    )


def _axis_name(suite: Suite, figure: Figure) -> str:
    if figure.x != "sweep":
        return _AXIS_NAMES[figure.x]
    (parameter,) = {
        entry.sweep.parameter
        for _, part in _entries(suite, figure)
        for entry in part
        if entry.sweep is not None
    }
    return parameter


def _y_label(figure: Figure, logarithm: bool) -> str:
    if figure.x == "iterations":
        return "log10 of the objective" if logarithm else "objective"
    unit = "" if METRICS[figure.metrics[0]].share else " (%)"
    return ", ".join(figure.metrics) + unit


def _table(figure: Figure, plots: Sequence[Plot]) -> Block:
    if figure.x != "problems":
        return line_table(plots)
    return problem_table(plots, figure.variance) if _can_be_named(plots) else range_table(plots)
