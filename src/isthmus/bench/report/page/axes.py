"""One chart on a pair of axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, isfinite
from typing import TYPE_CHECKING

from isthmus.bench.report.charts import Chart, Series
from isthmus.bench.report.page.palette import FAINT, INK, SeriesStyle
from isthmus.bench.report.page.svg import Hint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_series", "drawn_points", "has_named_points", "hints", "pixel"]

_MANY_POINTS = 40
_FEW_FACTORS = 200.0
_MOST_CATEGORIES = 48
_CHARACTER = 6.5
_HINT_SIZE = 8.0


def draw_series(axes: Axes, chart: Chart, styles: Mapping[str, SeriesStyle], width: float) -> None:
    """Draw the series with their scales; ``width`` is about that of the axes, in pixels."""
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    for series in chart.series:
        style = styles[series.label]
        points = [(x, y) for _, x, y in drawn_points(chart, series)]
        many = len(points) > _MANY_POINTS
        joined = series.joined and len(points) > 1
        axes.plot(
            [x for x, _ in points],
            [y for _, y in points],
            color=style.colour,
            marker=style.marker,
            markersize=3.5 if many else 6,
            markeredgewidth=0,
            linewidth=0.7 if many else 1.2,
            linestyle=style.line if joined else "none",
        )
    if chart.label_points:
        # Lines end at the edge, and their names stand behind them.
        axes.margins(x=0.12)
    if chart.log_x:
        _scale_by_factors(axes)
    if chart.categories:
        _name_categories(axes, chart.categories, width)


def drawn_points(chart: Chart, series: Series) -> Iterator[tuple[int, float, float]]:
    """Numbers and places of the points that the axes can show."""
    for number, (x, y) in enumerate(zip(series.x, series.y, strict=True)):
        if isfinite(x) and isfinite(y) and (x > 0 or not chart.log_x):
            yield number, x, y


def has_named_points(series: Series) -> bool:
    """Whether every point stands for itself, and its series for a kind of points."""
    return not series.joined and len(series.names) == len(series.x)


def hints(axes: Axes, chart: Chart) -> list[Hint]:
    """The names of the points, once the axes have their places."""
    found = []
    for series in chart.series:
        for number, x, y in drawn_points(chart, series):
            if number < len(series.names):
                across, up = pixel(axes, x, y)
                text = f"{series.names[number]}\n{series.label}: {y:.6g}"
                found.append(Hint(across, up, text, _HINT_SIZE, _HINT_SIZE))
    return found


def pixel(axes: Axes, x: float, y: float) -> tuple[float, float]:
    """Where a point of the data lies in the figure, from its lower left corner."""
    across, up = axes.transData.transform((x, y))
    return float(across), float(up)


def _scale_by_factors(axes: Axes) -> None:
    from matplotlib.ticker import LogLocator

    axes.set_xscale("log")
    low, high = axes.get_xlim()
    if high / low < _FEW_FACTORS:
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    # The scale's own format is mathematics, which the page does not set.
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.xaxis.set_minor_formatter(lambda value, _: "")


def _name_categories(axes: Axes, names: tuple[str, ...], width: float) -> None:
    step = ceil(len(names) / _MOST_CATEGORIES)
    places = range(0, len(names), step)
    shown = [names[place] for place in places]
    axes.set_xlim(-0.5, len(names) - 0.5)
    wide = max(map(len, shown)) * _CHARACTER > width / len(shown)
    if wide:
        axes.set_xticks(places, shown, rotation=40, ha="right", rotation_mode="anchor")
    else:
        axes.set_xticks(places, shown)
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", color=FAINT, labelcolor=INK)
