"""The parts of a report: Markdown and drawings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = [
    "Block", "Chart", "Drawing", "Grid", "Grids", "GrowthChart", "GrowthLine", "Panels",
    "RankDiagram", "Report", "Section", "Series", "bullets", "details", "render_markdown", "table",
]  # fmt: skip

_NUMBER = re.compile(r"(\*\*)?[<>+-]?\s?(\d|\.\d)|-$")


@dataclass(frozen=True)
class Series:
    """Points of one label, connected by a line unless ``joined`` is False, with their names.

    ``style`` has the number of a color, and whether the markers are open circles instead of
    triangles; by default every label has its own color and marker.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    names: tuple[str, ...] = ()
    joined: bool = True
    style: tuple[int, bool] | None = None


@dataclass(frozen=True)
class Chart:
    """Series on one pair of axes.

    ``categories`` are the names of the x positions 0, 1, 2, ... ``marks`` are vertical lines with
    their labels. ``label_points`` writes the names of the best points beside them. The y axis spans
    at least ``least_span``. Panels share a y axis if it has the same label in all of them, except
    with ``own_axes``. ``note`` is a sentence below.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    categories: tuple[str, ...] = ()
    marks: tuple[tuple[str, float], ...] = ()
    label_points: bool = False
    least_span: float = 0.0
    own_axes: bool = False
    note: str = ""


@dataclass(frozen=True)
class Panels:
    """Small charts side by side, under one title."""

    title: str
    charts: tuple[Chart, ...]
    note: str = ""


@dataclass(frozen=True)
class Grid:
    """A square of cells, a text of digits per row: 0 is empty and 9 is full.

    ``groups`` has the names of consecutive rows, and as many columns, and their numbers.
    """

    title: str
    rows: tuple[str, ...]
    groups: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Grids:
    """Grids side by side, under one title."""

    title: str
    grids: tuple[Grid, ...]
    note: str = ""


@dataclass(frozen=True)
class RankDiagram:
    """Methods with their mean ranks, best first, and the critical difference of two of them."""

    title: str
    ranks: tuple[tuple[str, float], ...]
    critical_difference: float
    note: str = ""


@dataclass(frozen=True)
class GrowthLine:
    """Points (x, y) of a label, all positive; lines of a group have one color.

    ``above`` is a point that is known to be too low: the value at this x is larger.
    """

    label: str
    group: str
    points: tuple[tuple[float, float], ...]
    above: tuple[float, float] | None = None


@dataclass(frozen=True)
class GrowthChart:
    """Many lines on logarithmic axes, each with its name; ``units`` follow a number of each axis.

    A horizontal line marks the ``limit``, if there is one.
    """

    title: str
    x_label: str
    y_label: str
    units: tuple[str, str]
    lines: tuple[GrowthLine, ...]
    limit: float | None = None
    note: str = ""


Drawing = Chart | Panels | Grids | RankDiagram | GrowthChart
Block = str | Drawing
"""A string is Markdown."""


@dataclass(frozen=True)
class Section:
    """A suite, or the ranks over all; ``name`` is unique and used in addresses."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report:
    """A whole report."""

    title: str
    intro: str
    sections: tuple[Section, ...]


def render_markdown(report: Report) -> str:
    """The whole report without its drawings."""
    parts = [f"# {report.title}", report.intro]
    for section in report.sections:
        parts.append(f"## {section.title}")
        parts += [block for block in section.blocks if isinstance(block, str)]
    return "\n\n".join(parts) + "\n"


def bullets(items: Iterable[str], intro: str = "") -> str:
    """A list after an introduction."""
    lines = "\n".join(f"- {item}" for item in items)
    return f"{intro}\n\n{lines}" if intro else lines


def details(title: str, items: Iterable[str]) -> str:
    """A list that is collapsed under its title."""
    return f"<details>\n<summary>{title}</summary>\n\n{bullets(items)}\n\n</details>"


def table(titles: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; columns of numbers, except the first column, are aligned to the right."""
    lines = [
        [re.sub(r"\s+", " ", text).replace("|", "\\|") for text in row] for row in (titles, *rows)
    ]
    is_number = [
        place > 0 and sum(bool(_NUMBER.match(text)) for text in column) > len(column) / 2
        for place, (_, *column) in enumerate(zip(*lines, strict=True))
    ]
    lines.insert(1, ["---:" if number else "---" for number in is_number])
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
