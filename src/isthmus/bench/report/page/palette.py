"""Colours of the charts, in light and in dark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["FAINT", "INK", "PAPER", "SERIES", "VARIABLES", "SeriesStyle", "series_style"]

# Matplotlib draws with these; the page has its own colours in their place.
INK, FAINT, PAPER = "#010101", "#020202", "#030303"

SERIES = (
    # Okabe and Ito's colours, in light and in dark. Yellow is darker on white and black is grey,
    # or they would not be seen; blue and sky blue are lighter on black.
    ("#0072b2", "#3d95e0"),
    ("#d55e00", "#e8703a"),
    ("#009e73", "#1fb98c"),
    ("#cc79a7", "#dd8fbb"),
    ("#e69f00", "#efb02e"),
    ("#56b4e9", "#a2dcff"),
    ("#8f8300", "#f0e442"),
    ("#5a5a5a", "#b4b4b4"),
)
Line = Literal["solid", "dashed", "dotted", "dashdot"]

_LINES: tuple[Line, ...] = ("solid", "dashed", "dotted", "dashdot")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")

VARIABLES = {
    INK: "currentColor",
    FAINT: "var(--faint)",
    PAPER: "var(--page)",
    **{light: f"var(--series-{place})" for place, (light, _) in enumerate(SERIES, start=1)},
}
"""What stands in the page for a colour that matplotlib drew with."""


@dataclass(frozen=True)
class SeriesStyle:
    """How the points of one label look."""

    colour: str
    marker: str
    line: Line


def series_style(place: int) -> SeriesStyle:
    """The look of a series: no two of the first 72 have the same colour and marker."""
    return SeriesStyle(
        colour=SERIES[place % len(SERIES)][0],
        marker=_MARKERS[place % len(_MARKERS)],
        line=_LINES[place // len(SERIES) % len(_LINES)],
    )
