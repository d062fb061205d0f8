"""Figures of matplotlib that look the same on every machine."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from isthmus.bench.report.page.palette import FAINT, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FONT_SIZE", "make_figure", "page_style"]

FONT_SIZE = 11.0
_DOTS_PER_INCH = 72
_SETTINGS: dict[str, Any] = {
    # Texts stay texts, names of the parts do not change from run to run.
    "svg.fonttype": "none",
    "svg.hashsalt": "isthmus",
    "text.parse_math": False,
    "font.size": FONT_SIZE,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": FONT_SIZE + 1,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.formatter.useoffset": False,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.constrained_layout.h_pad": 0.08,
    "figure.constrained_layout.w_pad": 0.08,
    "legend.frameon": False,
    "legend.labelcolor": INK,
}


@contextmanager
def page_style() -> Iterator[None]:
    """The style of the page for as long as the context lasts, whatever the user's own style is."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        # The page's font draws the texts; matplotlib's only guesses at their widths.
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        matplotlib.rcdefaults()
        # The names of all settings are one type, which changes from version to version.
        settings: Any = matplotlib.rcParams
        settings.update(_SETTINGS)
        yield


def make_figure(
    width: float, height: float, layout: Literal["constrained"] | None = None
) -> Figure:
    """An empty figure of so many pixels, which nothing draws on but SVG."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(
        figsize=(width / _DOTS_PER_INCH, height / _DOTS_PER_INCH),
        dpi=_DOTS_PER_INCH,
        layout=layout,
    )
    FigureCanvasSVG(figure)
    return figure
