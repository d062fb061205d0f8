"""Drawings of a report as SVG, by matplotlib."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Sequence
from html import escape
from itertools import accumulate, pairwise
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

from isthmus.pages.colors import COLORS
from isthmus_bench.report.blocks import Chart, Grid, Grids, Panels, RankDiagram, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw"]

_LINES = ("solid", "dashed", "dotted", "dashdot")
_MARKERS = "os^DvPX<>"
_INK, _FAINT = "#010101", "#020202"
# The page replaces the colors, so that a drawing is readable on a light and on a dark page.
_CSS = {_INK: "currentColor", _FAINT: "var(--faint)"} | {
    light: f"var(--series-{number})" for number, (light, _) in enumerate(COLORS, start=1)
}
_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.formatter.useoffset": False,
    "grid.linewidth": 0.6,
    "grid.color": _FAINT,
    "legend.frameon": False,
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), _INK
    ),
}
_WIDTH = 13.0
_MOST_COLUMNS = 3
_MOST_CATEGORIES = 48
_MANY_POINTS = 40
_CELLS = "cells"
# Open circles are above the triangles.
_OPEN: dict[str, Any] = {
    "markersize": 6.5, "markeredgewidth": 1.1, "markerfacecolor": "none", "zorder": 3,
}  # fmt: skip
_FILLED: dict[str, Any] = {"markersize": 5, "markeredgewidth": 0, "alpha": 0.65}


def draw(drawing: Chart | Panels | Grids | RankDiagram, name: str) -> str:
    """Draw a chart, panels, grids or ranks as an ``svg`` element; ``name`` makes its ids unique."""
    import matplotlib
    from matplotlib.figure import Figure

    style: Any = {**matplotlib.rcParamsDefault, **_STYLE, "svg.hashsalt": name}
    with matplotlib.rc_context(), warnings.catch_warnings():
        # The font of the page draws the texts.
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        matplotlib.rcParams.update({k: v for k, v in style.items() if not k.startswith("backend")})
        figure = Figure(layout="constrained", dpi=72)
        if isinstance(drawing, RankDiagram):
            _draw_ranks(figure, drawing)
        elif isinstance(drawing, Grids):
            _draw_grids(figure, drawing.grids)
        else:
            _draw_charts(figure, drawing.charts if isinstance(drawing, Panels) else (drawing,))
        written = io.StringIO()
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    return _as_element(written.getvalue(), drawing.title)


def _as_element(svg: str, label: str) -> str:
    """The ``svg`` element in the colors and the font of the page."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    # Without smoothing there are no lines between cells of the same color.
    svg = svg.replace(f'<g id="{_CELLS}"', '<g shape-rendering="crispEdges"')
    svg = re.sub(r'(<g|<svg) id="[^"]*"', r"\1", svg)
    svg = re.sub(r"(font-family: |font: [\d.]*px )[^;\"]*;?", _font_size, svg)
    svg = re.sub("|".join(_CSS), lambda match: _CSS[match[0]], svg, flags=re.IGNORECASE)
    head = f'<svg role="img" aria-label="{escape(label)}" stroke-linejoin="round"'
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", "\ufffd", svg.replace("<svg", head, 1))


def _font_size(match: re.Match[str]) -> str:
    size = re.search(r"[\d.]+px", match[1])
    return f"font-size: {size[0]};" if size else ""


def _draw_charts(figure: Figure, charts: Sequence[Chart]) -> None:
    """Charts as panels with one legend; equal labels look alike in all of them."""
    columns = min(len(charts), _MOST_COLUMNS)
    rows = ceil(len(charts) / columns)
    labels = list(dict.fromkeys(series.label for chart in charts for series in chart.series))
    one_quantity = len({(chart.y_label, chart.own_axes) for chart in charts}) == 1
    one_quantity &= not charts[0].own_axes
    grid = figure.subplots(rows, columns, squeeze=False, sharey=one_quantity).ravel()
    handles = {}
    for axes, chart in zip(grid, charts, strict=False):
        for series in chart.series:
            handles[series.label] = _plot(axes, chart, series, labels.index(series.label))
        for text, x in chart.marks:
            handles[text] = axes.axvline(x, color=_INK, linestyle="dashdot", linewidth=0.9)
        axes.set(xlabel=chart.x_label, ylabel=chart.y_label)
        if len(charts) > 1:
            axes.set_title(fill(chart.title, 120 // columns), fontsize=11)
        if chart.log_x:
            _set_log_scale(axes, "x")
        if chart.log_y:
            _set_log_scale(axes, "y")
        if chart.categories:
            _name_categories(axes, chart.categories)
        if chart.label_points:
            _label_best(axes, chart)
        axes.tick_params(labelleft=True)
    # Panels may share an axis, whose range is known when all of them are drawn.
    for axes, chart in zip(grid, charts, strict=False):
        low, high = axes.get_ylim()
        missing = max(0.0, chart.least_span - (high - low)) / 2
        axes.set_ylim(low - missing, high + missing)
    for axes in grid[len(charts) :]:
        axes.set_axis_off()
    height = 4.2 * rows if rows > 1 or len(charts) == 1 else 4.8
    # Matplotlib leaves out labels that begin with an underscore.
    names = [f"\u200b{label}" if label.startswith("_") else label for label in handles]
    beside = len(handles) > 6
    where: Any = "outside right upper" if beside else "outside lower center"
    figure.legend(handles.values(), names, loc=where, ncols=1 if beside else max(1, len(names)))
    figure.set_size_inches(_WIDTH, max(height, 0.25 * len(handles) if beside else 0.0))


def _plot(axes: Axes, chart: Chart, series: Series, place: int) -> Any:
    many = len(series.x) > _MANY_POINTS
    number = place
    look: dict[str, Any] = {"markersize": 3.5 if many else 6, "markeredgewidth": 0}
    marker = _MARKERS[place % len(_MARKERS)]
    if series.style is not None:
        number, is_open = series.style
        marker, look = ("o", _OPEN) if is_open else ("^", _FILLED)
    points = [(x, y) for x, y in zip(series.x, series.y, strict=True) if x > 0 or not chart.log_x]
    (line,) = axes.plot(
        [x for x, _ in points],
        [y for _, y in points],
        color=COLORS[number % len(COLORS)][0],
        marker=marker,
        linewidth=0.7 if many else 1.2,
        linestyle=_LINES[place // len(COLORS) % len(_LINES)] if series.joined else "none",
        **look,
    )
    return line


def _set_log_scale(axes: Axes, which: Literal["x", "y"]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set(**{f"{which}scale": "log"})
    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = axis.get_view_interval()
    if high / low < 200:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def _name_categories(axes: Axes, names: Sequence[str]) -> None:
    shown = range(0, len(names), ceil(len(names) / _MOST_CATEGORIES))
    turned: Any = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(shown, [names[i] for i in shown], **(turned if len(names) > 4 else {}))
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.grid(visible=False, axis="x")


def _label_best(axes: Axes, chart: Chart) -> None:
    """Name the points that no other one exceeds both to the left and above."""
    points = sorted(p for s in chart.series for p in zip(s.x, s.y, s.names, strict=False))
    best = [
        (x, y, name)
        for x, y, name in points
        if not any(a <= x and b >= y and (a, b) != (x, y) for a, b, _ in points)
    ]
    for number, (x, y, name) in enumerate(best):
        # Neighbors have their names on different sides.
        offset, side = ((4, 5), "left") if number % 2 else ((-6, -4), "right")
        axes.annotate(name, (x, y), offset, textcoords="offset points", ha=side)
    axes.margins(x=0.1, y=0.12)


def _draw_grids(figure: Figure, grids: Sequence[Grid]) -> None:
    """Squares of cells, the fuller the more opaque, with lines between the groups."""
    columns = min(len(grids), 2 if len(grids) == 4 else _MOST_COLUMNS)
    rows = ceil(len(grids) / columns)
    figure.set_size_inches(_WIDTH, rows * (_WIDTH / columns + 0.2))
    places = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, grid in zip(places, grids, strict=False):
        for digit in sorted({*"".join(grid.rows)} - {"0"}):
            axes.add_patch(_cells(grid.rows, digit))
        ends = [0, *accumulate(size for _, size in grid.groups)]
        for end in ends:
            axes.axhline(end, color=_INK, linewidth=0.8)
            axes.axvline(end, color=_INK, linewidth=0.8)
        middles = [(start + end) / 2 for start, end in pairwise(ends)]
        names = [fill(name, 12) for name, _ in grid.groups]
        axes.set_xticks(middles, names)
        axes.set_yticks(middles, names)
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.set(xlim=(0, ends[-1]), ylim=(ends[-1], 0), aspect="equal")
        axes.set_title(fill(grid.title, 120 // columns), fontsize=11)
    for axes in places[len(grids) :]:
        axes.set_axis_off()


def _cells(rows: Sequence[str], digit: str) -> Any:
    """The cells with a digit as one shape; neighbors in a row are one rectangle."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    runs = [
        Path([(a, y), (b, y), (b, y + 1), (a, y + 1), (a, y)], closed=True)
        for y, row in enumerate(rows)
        for a, b in (run.span() for run in re.finditer(f"{digit}+", row))
    ]
    look: Any = {"facecolor": COLORS[0][0], "alpha": int(digit) / 9, "linewidth": 0, "gid": _CELLS}
    return PathPatch(Path.make_compound_path(*runs), **look)


def _draw_ranks(figure: Figure, diagram: RankDiagram) -> None:
    """Mean ranks with intervals: those of two methods overlap unless the methods differ."""
    names = [f"{name}  {rank:.2f}" for name, rank in diagram.ranks]
    ranks = [rank for _, rank in diagram.ranks]
    figure.set_size_inches(_WIDTH, 1.2 + 0.25 * len(ranks))
    axes = figure.subplots()
    half = diagram.critical_difference / 2
    axes.axvspan(ranks[0] - half, ranks[0] + half, color=COLORS[0][0], alpha=0.12, linewidth=0)
    axes.errorbar(ranks, range(len(ranks)), xerr=half, fmt="o", color=COLORS[0][0], elinewidth=1.5)
    axes.set_yticks(range(len(ranks)), names)
    axes.set(xlabel="mean rank", ylim=(len(ranks) - 0.5, -0.5))
