"""Bars: how many documents every class has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from isthmus.inspection.facts import ClassShare
from isthmus.report.formatting import count, label_text
from isthmus.report.plots.axes import GRAY, color, legend_above, new_axes, prepare
from isthmus.report.plots.texts import printable, text_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_label_shares"]

# Names beside the bars stay readable.
_MAX_CLASSES, _MAX_NAME = 16, 24
_BAR = 0.27


def draw_label_shares(ax: Axes | None, shares: Sequence[ClassShare]) -> Axes:
    """Draw three bars per class; the class with most labels is at the top."""
    from matplotlib.ticker import PercentFormatter

    ordered = sorted(shares, key=lambda share: -share.n_found)
    shown = ordered[:_MAX_CLASSES]
    n_hidden = len(ordered) - len(shown)
    if ax is None:
        ax = new_axes(7.0, 1.4 + 0.5 * len(shown))
    prepare(ax, "x")
    series = (
        ("source", [share.source for share in shown], GRAY),
        ("target", [share.found for share in shown], color(0)),
        ("target by the source-only classifier", [share.source_only for share in shown], color(1)),
    )
    handles = []
    for place, (_, parts, bar_color) in enumerate(series):
        positions = [row + (place - 1) * _BAR for row in range(len(shown))]
        handles.append(ax.barh(positions, parts, height=0.9 * _BAR, color=bar_color))
    names = [printable(label_text(share.label), _MAX_NAME) for share in shown]
    ax.set_yticks(range(len(names)), labels=names, **text_style(*names))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(shown) - 0.5, -0.5)
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    hidden = count(n_hidden, "smaller class is", "smaller classes are")
    ax.set_xlabel("part of the documents" + (f"\n({hidden} not shown)" if n_hidden else ""))
    legend_above(ax, [bars[0] for bars in handles], [name for name, _, _ in series], right=True)
    return ax
