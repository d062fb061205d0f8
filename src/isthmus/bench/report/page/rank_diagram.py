"""The critical-difference diagram (Demsar, JMLR 7, 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from isthmus.bench.report.charts import RankDiagram
from isthmus.bench.report.page.canvas import FONT_SIZE, make_figure
from isthmus.bench.report.page.labels import stack
from isthmus.bench.report.page.palette import INK, SERIES
from isthmus.bench.report.page.rank_groups import rank_groups
from isthmus.bench.report.page.svg import Hint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["rank_figure"]

_WIDTH = 960.0
_TOP = 66.0  # from the upper edge to the axis, with the critical difference between
_BAR_ROW = 9.0
_LABEL_ROW = 18.0
_EDGE = 6.0
_MOST_TICKS = 20
_RANK_WIDTH = 38.0
_LINE: dict[str, Any] = {"color": INK, "linewidth": 0.8, "solid_capstyle": "butt"}


@dataclass(frozen=True)
class _Axis:
    """From ranks to pixels."""

    best: float
    worst: float
    left: float
    right: float

    def pixel(self, rank: float) -> float:
        share = (rank - self.best) / (self.worst - self.best)
        return self.left + share * (self.right - self.left)


def rank_figure(diagram: RankDiagram) -> tuple[Figure, list[Hint]]:
    """Draw mean ranks, best on the left, with bars over methods that no test tells apart.

    Parameters
    ----------
    diagram : RankDiagram
        The better half of its methods is named on the left, the others on the right.

    Returns
    -------
    figure : Figure
        As high as its methods and bars need.
    hints : list of Hint
        What the dots and the bars mean.
    """
    ranks = sorted(diagram.ranks, key=lambda named: named[1])
    half = ceil(len(ranks) / 2)
    axis = _axis(diagram, [name for name, _ in ranks[:half]], [name for name, _ in ranks[half:]])
    groups = rank_groups([rank for _, rank in ranks], diagram.critical_difference)
    spans = [(axis.pixel(ranks[first][1]), axis.pixel(ranks[last][1])) for first, last in groups]
    rows = stack(spans, gap=16.0)
    bars = (max(rows, default=-1) + 1) * _BAR_ROW + 8.0
    height = _TOP + bars + half * _LABEL_ROW + _EDGE
    figure = make_figure(_WIDTH, height)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, _WIDTH), ylim=(0.0, height))
    axes.set_axis_off()
    level = height - _TOP
    _draw_axis(axes, axis, level, diagram.critical_difference)
    first_row = level - bars - _LABEL_ROW / 2
    for place, (name, rank) in enumerate(ranks[:half]):
        _draw_method(axes, axis, (name, rank), level, first_row - place * _LABEL_ROW, side=-1)
    for place, (name, rank) in enumerate(reversed(ranks[half:])):
        _draw_method(axes, axis, (name, rank), level, first_row - place * _LABEL_ROW, side=1)
    found = [Hint(axis.pixel(r), level, f"{name}: mean rank {r:.2f}", 8.0) for name, r in ranks]
    for (first, last), (left, right), row in zip(groups, spans, rows, strict=True):
        up = level - 9.0 - row * _BAR_ROW
        axes.plot(
            [left - 3, right + 3], [up, up], color=SERIES[1][0], linewidth=4, solid_capstyle="round"
        )
        text = f"{ranks[first][0]} to {ranks[last][0]}: {last - first + 1} not told apart"
        found.append(Hint((left + right) / 2, up, text, right - left + 6, _BAR_ROW))
    return figure, found


def _axis(diagram: RankDiagram, left: list[str], right: list[str]) -> _Axis:
    values = [rank for _, rank in diagram.ranks]
    best = float(floor(min(values)))
    # The critical difference is drawn to the same scale and has to fit.
    worst = max(ceil(max(values)), best + ceil(diagram.critical_difference), best + 1)
    margin = 2 * _EDGE + _RANK_WIDTH + 14.0
    return _Axis(best, float(worst), _widest(left) + margin, _WIDTH - _widest(right) - margin)


def _widest(names: list[str]) -> float:
    from matplotlib.textpath import TextPath

    return max(
        (float(TextPath((0, 0), name, size=FONT_SIZE).get_extents().width) for name in names),
        default=0.0,
    )


def _draw_axis(axes: Axes, axis: _Axis, level: float, difference: float) -> None:
    axes.plot([axis.left, axis.right], [level, level], **_LINE)
    step = ceil((axis.worst - axis.best) / _MOST_TICKS)
    for rank in range(int(axis.best), int(axis.worst) + 1, step):
        across = axis.pixel(rank)
        axes.plot([across, across], [level, level + 5], **_LINE)
        axes.text(across, level + 8, str(rank), ha="center", va="bottom")
    start, end, up = axis.left, axis.pixel(axis.best + difference), level + 32
    axes.plot([start, end], [up, up], color=INK, linewidth=1.6, solid_capstyle="butt")
    for across in (start, end):
        axes.plot([across, across], [up - 4, up + 4], color=INK, linewidth=1.6)
    axes.text(
        (start + end) / 2, up + 6, f"critical difference {difference:.2f}", ha="center", va="bottom"
    )


def _draw_method(
    axes: Axes, axis: _Axis, named: tuple[str, float], level: float, up: float, side: int
) -> None:
    """A line from the axis down and aside, to the name and the rank; ``side`` is -1 or 1."""
    name, rank = named
    across = axis.pixel(rank)
    elbow = axis.left - 14.0 if side < 0 else axis.right + 14.0
    axes.plot([across, across, elbow], [level, up, up], **_LINE, alpha=0.7)
    axes.plot([across], [level], color=INK, marker="o", markersize=4, markeredgewidth=0)
    number = elbow + side * 4.0
    align = "right" if side < 0 else "left"
    axes.text(number, up, f"{rank:.2f}", ha=align, va="center_baseline", alpha=0.7)
    axes.text(number + side * _RANK_WIDTH, up, name, ha=align, va="center_baseline")
