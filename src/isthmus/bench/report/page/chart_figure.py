"""Charts side by side, with one legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING

from isthmus.bench.report.charts import Chart
from isthmus.bench.report.page.axes import draw_series, has_named_points, hints
from isthmus.bench.report.page.canvas import make_figure
from isthmus.bench.report.page.palette import SeriesStyle, series_style
from isthmus.bench.report.page.remarks import Remarks, name_points
from isthmus.bench.report.page.svg import Hint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["chart_figure"]

_WIDTH = 960.0
_HEIGHT = 400.0
_PANEL_HEIGHT = 280.0
_MOST_COLUMNS = 3
_FEW_SERIES = 6
_LEGEND_ROW = 17.0
_TITLE_CHARACTER = 6.0
_MARK_ROOM = 18.0
_LEGEND_CHARACTER = 6.2
_LEGEND_HANDLE = 45.0


def chart_figure(charts: Sequence[Chart]) -> tuple[Figure, list[Hint]]:
    """Draw charts whose series look alike where they have the same label.

    Parameters
    ----------
    charts : sequence of Chart
        One, or several that become small panels with their titles.

    Returns
    -------
    figure : Figure
        With everything in its place.
    hints : list of Hint
        The names of the points.
    """
    columns = min(len(charts), _MOST_COLUMNS)
    rows = ceil(len(charts) / columns)
    labels = list(dict.fromkeys(series.label for chart in charts for series in chart.series))
    styles = {label: series_style(place) for place, label in enumerate(labels)}
    in_legend = _legend_labels(charts)
    joined = {series.label for chart in charts for series in chart.series if series.joined}
    height = _HEIGHT if len(charts) == 1 else rows * _PANEL_HEIGHT
    height = max(height, len(in_legend) * _LEGEND_ROW + 20) if _aside(in_legend) else height
    figure = make_figure(_WIDTH, height, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    remarks = []
    for axes, chart in zip(grid, charts, strict=False):
        draw_series(axes, chart, styles, 0.8 * _WIDTH / columns)
        remarks.append(Remarks(axes, chart))
        if len(charts) > 1:
            lines = wrap(chart.title, int(0.8 * _WIDTH / columns / _TITLE_CHARACTER))
            # The texts of marks stand between the axes and the title.
            axes.set_title("\n".join(lines), pad=_MARK_ROOM if chart.marks else None)
    _share_heights(list(grid), charts)
    for axes in grid[len(charts) :]:
        axes.set_axis_off()
    if in_legend:
        _add_legend(figure, {label: styles[label] for label in in_legend}, joined)
    figure.draw_without_rendering()
    if any(chart.marks for chart in charts):
        for remark in remarks:
            remark.stack_marks()
        # Their rows need room above the axes, so that everything else moves.
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    found = []
    for axes, chart, remark in zip(grid, charts, remarks, strict=False):
        remark.spread_levels()
        if chart.label_points:
            name_points(axes, chart)
        found += hints(axes, chart)
    return figure, found


def _share_heights(grid: Sequence[Axes], charts: Sequence[Chart]) -> None:
    """Panels of one quantity have one scale, and no scale is narrower than its chart allows."""
    for label in {chart.y_label for chart in charts}:
        alike = [(a, c) for a, c in zip(grid, charts, strict=False) if c.y_label == label]
        limits = [axes.get_ylim() for axes, chart in alike if chart.series]
        if not limits:
            continue
        low, high = min(low for low, _ in limits), max(high for _, high in limits)
        wanting = max(0.0, max(chart.least_span for _, chart in alike) - (high - low)) / 2
        # A line that has its own panel to itself would lie on the edge of the common scale.
        room = wanting or (0.04 * (high - low) if len(alike) > 1 else 0.0)
        for axes, _ in alike:
            axes.set_ylim(low - room, high + room)


def _legend_labels(charts: Sequence[Chart]) -> list[str]:
    labels = [
        series.label
        for chart in charts
        for series in chart.series
        # Names beside the points do not say of which kind the points are.
        if not chart.label_points or (has_named_points(series) and len(chart.series) > 1)
    ]
    return list(dict.fromkeys(labels))


def _aside(labels: Sequence[str]) -> bool:
    return len(labels) > _FEW_SERIES


def _add_legend(figure: Figure, styles: Mapping[str, SeriesStyle], joined: Set[str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=style.colour,
            marker=style.marker,
            linestyle=style.line if label in joined else "none",
            markeredgewidth=0,
        )
        for label, style in styles.items()
    ]
    aside = _aside(list(styles))
    longest = max(map(len, styles)) * _LEGEND_CHARACTER + _LEGEND_HANDLE
    rows = ceil(len(styles) / max(1, int(_WIDTH / longest)))
    legend = figure.legend(
        handles,
        # Matplotlib leaves out labels that begin with an underscore.
        [f"series {place}" for place in range(len(styles))],
        loc="outside right upper" if aside else "outside lower center",
        ncols=1 if aside else ceil(len(styles) / rows),
    )
    for text, label in zip(legend.get_texts(), styles, strict=True):
        text.set_text(label)
