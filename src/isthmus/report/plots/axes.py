"""Axes, colors and legends that all plots share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from isthmus.pages.colors import COLORS
from isthmus.report.plots.texts import text_style

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = [
    "GRAY",
    "N_COLORS",
    "apply_layout",
    "axes_width",
    "check_matplotlib",
    "color",
    "legend",
    "legend_above",
    "new_axes",
    "prepare",
]

#: For lines and areas in the background, on a light and on a dark figure.
GRAY = "#808080"
N_COLORS = len(COLORS)
# Points of one column of a legend above the axes.
_LEGEND_COLUMN = 130.0


def check_matplotlib(purpose: str) -> None:
    """Raise ImportError with one sentence if matplotlib is missing."""
    try:
        import matplotlib.pyplot  # noqa: F401
    except ImportError:
        raise ImportError(
            f"{purpose} needs matplotlib, which is not installed: pip install 'isthmus[report]'."
        ) from None


def new_axes(width: float, height: float) -> Axes:
    """Axes of a new figure (inches), which notebooks show and close by themselves."""
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def color(code: int) -> str:
    """The color of a class or a series."""
    return COLORS[code % N_COLORS][0]


def prepare(ax: Axes, grid: str) -> None:
    """Remove the frame, and draw grid lines across one axis or "both"."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(visible=True, axis=grid, color=GRAY, alpha=0.25)  # type: ignore[arg-type]


def apply_layout(ax: Axes) -> None:
    """Give the axes of a new figure their place, so that it is known how much room there is."""
    figure: Any = ax.get_figure()
    figure.draw_without_rendering()


def axes_width(ax: Axes) -> float:
    """The width of the axes in points."""
    figure = ax.get_figure()
    return 0.0 if figure is None else ax.get_window_extent().width * 72 / figure.dpi


def legend(ax: Axes, handles: Sequence[Artist], names: Sequence[str], **options: Any) -> None:
    """Add a legend in which names may begin with an underscore and contain dollar signs."""
    # matplotlib leaves out names that begin with an underscore, so they are set afterwards.
    numbers = [str(number) for number in range(len(names))]
    added = ax.legend(handles, numbers, frameon=False, fontsize="small", **options)
    style = text_style(*names)
    for text, name in zip(added.get_texts(), names, strict=True):
        text.set(text=name, **style)


def legend_above(ax: Axes, handles: Sequence[Artist], names: Sequence[str], right: bool) -> None:
    """Add a legend above the axes, with as many columns as there is room for."""
    columns = int(axes_width(ax) // _LEGEND_COLUMN)
    legend(
        ax,
        handles,
        names,
        loc="lower right" if right else "lower left",
        bbox_to_anchor=(1.0 if right else 0.0, 1.0),
        ncols=max(1, min(columns, len(names))),
    )
