"""Figures of a suite: charts, each with a table of the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from isthmus_bench.documents.tasks import SPLITS, BenchmarkTask
from isthmus_bench.plan.entries import Entry, value_text
from isthmus_bench.plan.figures import PICTURES, Figure
from isthmus_bench.plan.metrics import METRICS
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.blocks import Block, Chart, Panels, Series, table
from isthmus_bench.report.figure_points import Points, has_logarithms, line_points
from isthmus_bench.report.pictures import picture_blocks
from isthmus_bench.report.summary import EntryResults, Results

__all__ = ["difficulty_charts", "figure_blocks"]

# More problems than this get neither a name on the axis nor a row of the table.
_MOST_NAMED = 20
_NOTHING = "There are no results to draw yet."
_AXIS_NAMES = {
    "training size": "labeled documents of the source",
    "problems": "problem",
    "iterations": "iteration",
}
Lines = list[tuple[str, list[Entry]]]


@dataclass(frozen=True)
class _Line:
    """The points of one line; ``metric`` is empty for objectives."""

    label: str
    metric: str
    points: Points

    def show(self, value: float | None) -> str:
        if self.metric:
            return METRICS[self.metric].show(value)
        return "-" if value is None else f"{value:.3f}"


@dataclass(frozen=True)
class _Plot:
    """The lines on one pair of axes, and their problems."""

    title: str
    split: str
    tasks: list[BenchmarkTask]
    lines: list[_Line]

    def is_whole(self, line: _Line) -> bool:
        """Whether a line over the problems has a point for each."""
        return len(line.points) == len(self.tasks)


def figure_blocks(suite: Suite, results: Results) -> list[Block]:
    """For every figure of a suite its title, its note, one drawing and one table."""
    blocks: list[Block] = []
    for figure in suite.figures:
        blocks += [f"### {figure.title}", *([figure.note] if figure.note else [])]
        shown: Lines = []
        for name in figure.entries:
            family = [entry for entry in suite.entries if entry.family_id == name]
            shown.append((family[0].family_label, family))
        entries = [entry for _, family in shown for entry in family]
        tasks = [task for task in suite.tasks if all(entry.runs_on(task) for entry in entries)]
        if figure.x in PICTURES:
            blocks += picture_blocks(figure, entries, tasks, results) or [_NOTHING]
            continue
        logarithm = figure.x != "iterations" or has_logarithms(entries, results, tasks)
        plots = _plots(figure, shown, tasks, results, logarithm)
        if not plots:
            blocks.append(_NOTHING)
            continue
        if not logarithm:
            blocks.append("Objectives are shown without logarithm, because some are not positive.")
        x_label = figure.x_label or _AXIS_NAMES.get(figure.x) or _parameter(entries)
        charts = tuple(_chart(figure, plot, plots, x_label, logarithm) for plot in plots)
        blocks.append(Panels(figure.title, charts) if len(charts) > 1 else charts[0])
        blocks.append(_table(figure, plots))
    return blocks


def _parameter(entries: Sequence[Entry]) -> str:
    return next(entry.sweep.parameter for entry in entries if entry.sweep is not None)


def _plots(
    figure: Figure, shown: Lines, tasks: Sequence[BenchmarkTask], results: Results, logarithm: bool
) -> list[_Plot]:
    """The plots with any points; development and evidence problems never share one."""
    plots = []
    for split in SPLITS:
        part = [task for task in tasks if task.split == split]
        name = part[0].name if len(part) == 1 else f"{len(part)} problems"
        groups = {f"{split} ({name})": part} if part else {}
        if figure.panels == "problems":
            groups = {f"{task.name} ({split})": [task] for task in part}
        for title, chosen in groups.items():
            lines = _lines(figure, shown, results, chosen, logarithm)
            if any(line.points for line in lines):
                plots.append(_Plot(title, split, chosen, lines))
    return plots


def _lines(
    figure: Figure, shown: Lines, results: Results, tasks: Sequence[BenchmarkTask], logarithm: bool
) -> list[_Line]:
    groups: dict[str, list[BenchmarkTask]] = {}
    for task in tasks:
        names = {"mean": "", "sets": task.set_name, "problems": task.name}
        groups.setdefault(names[figure.lines], []).append(task)
    metrics = ("",) if figure.x == "iterations" else figure.metrics
    # What all lines have in common is not in their labels.
    several = [len(shown) > 1, len(metrics) > 1, len(groups) > 1]
    lines = []
    for label, entries in shown:
        for metric in metrics:
            for group, part in groups.items():
                names_of = zip((label, metric, group), several, strict=True)
                text = ", ".join(name for name, is_shown in names_of if is_shown)
                points = line_points(figure.x, entries, results, part, metric, logarithm)
                lines.append(_Line(text or label, metric, points))
    return lines


def _few_problems(plots: Sequence[_Plot]) -> bool:
    return all(len(plot.tasks) <= _MOST_NAMED for plot in plots)


def _chart(
    figure: Figure, plot: _Plot, plots: Sequence[_Plot], x_label: str, logarithm: bool
) -> Chart:
    by_problem = figure.x == "problems"
    names = tuple(task.name for task in plot.tasks)
    share = all(METRICS[name].share for name in figure.metrics)
    y_label = ", ".join(figure.metrics) + ("" if share else " (%)")
    least_span = 0.05 if share else 5.0
    if figure.x == "iterations":
        y_label, least_span = ("log10 of the objective" if logarithm else "objective"), 0.0
    series = []
    for line in plot.lines:
        points = {x: y for x, y in line.points.items() if x > 0 or not figure.log_x}
        named = tuple(names[int(x)] for x in points) if by_problem else ()
        if points:
            x, y = tuple(points), tuple(points.values())
            series.append(Series(line.label, x, y, named, joined=not by_problem))
    return Chart(
        title=plot.title,
        x_label=x_label,
        y_label=y_label,
        series=tuple(series),
        log_x=figure.log_x,
        categories=names if by_problem and _few_problems(plots) else (),
        marks=tuple(figure.marks.items()),
        least_span=least_span,
    )


def _table(figure: Figure, plots: Sequence[_Plot]) -> str:
    if figure.x != "problems":
        places = sorted({x for plot in plots for line in plot.lines for x in line.points})
        rows = [
            [plot.title, line.label, *(line.show(line.points.get(x)) for x in places)]
            for plot in plots
            for line in plot.lines
        ]
        return table(["problems", "line", *map(value_text, places)], rows)
    return _problem_table(plots, figure.variance) if _few_problems(plots) else _range_table(plots)


def _problem_table(plots: Sequence[_Plot], with_variance: bool) -> str:
    """One row per problem and one column per line, with the mean and variance of the row."""
    rows = []
    for plot in plots:
        for i, task in enumerate(plot.tasks):
            numbers = [line.points.get(i) for line in plot.lines]
            cells = [line.show(y) for line, y in zip(plot.lines, numbers, strict=True)]
            if with_variance:
                known = [number for number in numbers if number is not None]
                whole = len(known) == len(numbers)
                cells.append(plot.lines[0].show(fmean(known) if whole else None))
                cells.append(f"{variance(known):.3f}" if whole and len(known) > 1 else "-")
            rows.append([f"{task.name} ({plot.split})", *cells])
        means = [
            line.show(fmean(line.points.values()) if plot.is_whole(line) else None)
            for line in plot.lines
        ]
        rows.append([f"mean, {plot.title}", *means, *(["", ""] if with_variance else [])])
    spread = ["mean", "variance"] if with_variance else []
    return table(["problem", *(line.label for line in plots[0].lines), *spread], rows)


def _range_table(plots: Sequence[_Plot]) -> str:
    """One row per line: its mean and its range."""
    rows = []
    for plot in plots:
        for line in plot.lines:
            values = list(line.points.values())
            whole = plot.is_whole(line)
            ends = [fmean(values), min(values), max(values)] if whole else [None] * 3
            rows.append([plot.title, line.label, str(len(values)), *map(line.show, ends)])
    return table(["problems", "line", "with results", "mean", "least", "greatest"], rows)


def difficulty_charts(suite: Suite, results: Results) -> list[Block]:
    """The accuracy on every problem of each set and split, easy ones last (MTrick, Figure 1)."""
    if suite.difficulty is None:
        return []
    by, threshold = results[suite.difficulty.entry], suite.difficulty.threshold
    label = suite.label(suite.difficulty.entry)
    charts: list[Block] = []
    for group in suite.sets:
        for split in reversed(SPLITS):
            tasks = [task for task in group.tasks if task.split == split]
            means = {task.name: by.complete_mean(task.name) for task in tasks}
            known = {name: mean for name, mean in means.items() if mean is not None}
            if len(known) < 2:
                continue
            names = sorted(known, key=lambda name: known[name])
            hard = sum(mean < threshold for mean in known.values())
            entries = suite.entries_on([task for task in tasks if task.name in known])
            charts.append(
                Chart(
                    f"{group.name}, {split}: accuracy on every problem",
                    f"problems, sorted by {label}",
                    "accuracy (%)",
                    tuple(
                        _problem_series(entry.label, results[entry.id], names)
                        for entry in entries
                        if entry.preset is None and entry.ranked is not False
                    ),
                    marks=((f"{label} reaches {threshold:g} %", hard + 0.5),) if hard else (),
                    note="The hardest problem is on the left.",
                )
            )
    return charts


def _problem_series(label: str, results: EntryResults, names: Sequence[str]) -> Series:
    points = {place: results.complete_mean(name) for place, name in enumerate(names, start=1)}
    known = {float(x): y for x, y in points.items() if y is not None}
    return Series(label, tuple(known), tuple(known.values()))
