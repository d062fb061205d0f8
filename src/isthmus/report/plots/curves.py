"""Lines: confidence against coverage, and the objective by iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from isthmus.inspection.confidence import Coverage
from isthmus.report.plots.axes import color, legend, new_axes, prepare

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_confidence", "draw_convergence"]

# Largest value as a multiple of the smallest one above which the axis is logarithmic.
_WIDE = 20


def draw_confidence(ax: Axes | None, coverage: Coverage) -> Axes:
    """Draw the confidence of the documents that are kept."""
    from matplotlib.ticker import PercentFormatter

    if ax is None:
        ax = new_axes(6.0, 4.0)
    prepare(ax, "both")
    names = ["mean confidence of those kept", "least confidence of those kept"]
    marker = _marker(coverage.coverage)
    lines = [
        ax.plot(coverage.coverage, values, color=color(code), linestyle=style, marker=marker)[0]
        for code, (values, style) in enumerate(
            ((coverage.mean_confidence, "solid"), (coverage.threshold, "dashed"))
        )
    ]
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(top=max(1.0, ax.get_ylim()[1]))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.set_xlabel("part of the documents that is kept")
    ax.set_ylabel("confidence")
    legend(ax, lines, names, loc="best")
    return ax


def draw_convergence(ax: Axes | None, objective: NDArray[Any]) -> Axes:
    """Draw the objective before the first and after every iteration."""
    from matplotlib.ticker import MaxNLocator

    if ax is None:
        ax = new_axes(6.0, 4.0)
    prepare(ax, "both")
    ax.plot(np.arange(len(objective)), objective, color=color(0), marker=_marker(objective))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("iteration")
    ax.set_ylabel("objective")
    if objective.min() > 0 and objective.max() > _WIDE * objective.min():
        # The first steps are often so large that the others would be a flat line.
        ax.set_yscale("log")
    return ax


def _marker(points: NDArray[Any]) -> str | None:
    """Few points are marked: a single one has no line."""
    return "." if len(points) <= 30 else None
