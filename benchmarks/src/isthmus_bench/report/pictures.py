"""Figures of single fits: coordinates of the documents, and which of them are similar."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import Any

from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.figures import Figure
from isthmus_bench.report.blocks import Block, Chart, Grid, Grids, Panels, Series, table
from isthmus_bench.report.summary import Results

__all__ = ["picture_blocks"]

_Fit = tuple[str, BenchmarkTask, Any]


def picture_blocks(
    figure: Figure, entries: Sequence[Entry], tasks: Sequence[BenchmarkTask], results: Results
) -> list[Block]:
    """One drawing and one table; nothing without results.

    Of every entry and problem, the fit with the first seed that has a result is drawn.
    """
    fits: list[_Fit] = []
    for task in tasks:
        for entry in entries:
            of_seeds = results[entry.id].pictures.get(task.name, {})
            measured = [record[figure.x] for record in of_seeds.values() if figure.x in record]
            if measured:
                title = f"{entry.label}, {task.name}" if len(tasks) > 1 else entry.label
                fits.append((title, task, measured[0]))
    if not fits:
        return []
    if figure.x == "similarity":
        return [Grids(figure.title, tuple(_grid(*fit) for fit in fits)), _shares(fits)]
    charts = tuple(_scatter(*fit) for fit in fits)
    drawing = Panels(figure.title, charts) if len(charts) > 1 else charts[0]
    return [drawing, _coordinates(fits)]


def _name(group: dict[str, Any], task: BenchmarkTask) -> str:
    return f"{task.classes[group['label']]}, {'target' if group['target'] else 'source'}"


def _scatter(title: str, task: BenchmarkTask, groups: Any) -> Chart:
    """Documents as points: the class has a color, and sources have open circles."""
    series = tuple(
        Series(
            _name(group, task),
            tuple(group["x"]),
            tuple(group["y"]),
            joined=False,
            style=(group["label"], not group["target"]),
        )
        for group in groups
    )
    return Chart(title, "first coordinate", "second coordinate", series, own_axes=True)


def _coordinates(fits: Sequence[_Fit]) -> str:
    """The mean and the standard deviation of the coordinates of every group."""
    titles = ["fit", "group", "documents"]
    titles += [f"{place} coordinate{what}" for place in ("first", "second") for what in ("", " ±")]
    rows = [
        [title, _name(group, task), str(len(group["x"]))]
        + [f"{f(group[axis]):.3f}" for axis in ("x", "y") for f in (fmean, pstdev)]
        for title, task, groups in fits
        for group in groups
    ]
    return table(titles, rows)


def _grid(title: str, task: BenchmarkTask, pattern: Any) -> Grid:
    groups = tuple((_name(group, task), group["cells"]) for group in pattern["groups"])
    return Grid(title, tuple(pattern["rows"]), groups)


def _shares(fits: Sequence[_Fit]) -> str:
    """The percentage of the pairs of every two groups that are above the mean."""
    names = dict.fromkeys(
        _name(group, task) for _, task, pattern in fits for group in pattern["groups"]
    )
    rows = []
    for title, task, pattern in fits:
        own = [_name(group, task) for group in pattern["groups"]]
        for name, shares in zip(own, pattern["shares"], strict=True):
            by_name = dict(zip(own, shares, strict=True))
            cells = [f"{100 * by_name[n]:.1f}" if n in by_name else "-" for n in names]
            rows.append([title, name, *cells])
    return table(["fit", "pairs above the mean (%)", *names], rows)
