"""The sheet of a picture, with coordinates in inches, and what is drawn on all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.path import Path as OutlinePath
from matplotlib.textpath import TextPath

from method_pictures.theme import Theme

WIDTH, HEIGHT = 7.2, 2.8
SIZE = 11.5
"""Font size of labels; headings are larger."""
HEADING = 12.5
HALF_LETTER = 0.33
"""Half the height of letters, relative to the font size."""
SETTINGS = {
    "svg.fonttype": "path",
    "svg.hashsalt": "isthmus",
    "font.family": "DejaVu Sans",
}
ARROW = "-|>,head_length=6,head_width=3.5"
LONG_NUMBER = re.compile(r"(\b[1-9]\d*\.\d\d)\d+")
Point = tuple[float, float]


def text_width(text: str, size: float = SIZE) -> float:
    """The width of a line of text in inches."""
    return float(TextPath((0, 0), text, size=size).get_extents().width) / 72


class Canvas:
    """One picture in the colors of a theme."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.figure = Figure(figsize=(WIDTH, HEIGHT))
        self.ax = self.figure.add_axes((0, 0, 1, 1))
        self.ax.set(xlim=(0, WIDTH), ylim=(0, HEIGHT))
        self.ax.set_axis_off()

    def save(self, path: Path) -> None:
        """Write the picture, without a date and with as many digits as one can see."""
        text = StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        self.figure.savefig(text, format="svg", transparent=True, metadata=nothing)
        path.write_text(LONG_NUMBER.sub(r"\1", text.getvalue()), encoding="utf-8")

    def text(self, x: float, y: float, text: str, **options: Any) -> None:
        """Centered text, unless the options say something else."""
        settings = {"ha": "center", "va": "center", "size": SIZE, "color": self.theme.ink} | options
        if settings["va"] == "center" and "\n" not in text and "rotation" not in options:
            # Letters of neighboring texts stand on one line, whether or not some hang below it.
            settings["va"] = "baseline"
            y -= HALF_LETTER * settings["size"] / 72
        self.ax.text(x, y, text, clip_on=False, zorder=6, linespacing=1.15, **settings)

    def heading(self, x: float, text: str, y: float = 2.62, **options: Any) -> None:
        """Larger text above a part of the picture."""
        self.text(x, y, text, **({"size": HEADING} | options))

    def line(self, points: Sequence[Point] | np.ndarray, **options: Any) -> None:
        """A line through points."""
        x, y = np.asarray(points, dtype=float).T
        settings = {
            "color": self.theme.muted,
            "lw": 1.5,
            "solid_capstyle": "round",
            "zorder": 2,
            "clip_on": False,
        }
        self.ax.plot(x, y, **(settings | options))

    def arrow(self, start: Point, end: Point, *, bend: float = 0, **options: Any) -> None:
        """An arrow; with a bend, its middle lies beside the straight line."""
        settings = {"color": self.theme.muted, "lw": 1.8, "zorder": 4, "clip_on": False}
        self.ax.add_patch(
            FancyArrowPatch(
                start,
                end,
                arrowstyle=ARROW,
                connectionstyle=f"arc3,rad={bend}",
                shrinkA=0,
                shrinkB=0,
                **(settings | options),
            )
        )

    def route(self, points: Sequence[Point], **options: Any) -> None:
        """An arrow with corners."""
        settings = {"color": self.theme.muted, "lw": 1.8, "zorder": 4, "joinstyle": "round"}
        path = OutlinePath(points)
        self.ax.add_patch(FancyArrowPatch(path=path, arrowstyle=ARROW, **(settings | options)))

    def box(self, x: float, y: float, width: float, height: float, **options: Any) -> None:
        """A box with round corners around a center."""
        settings = {"fc": "none", "ec": self.theme.faint, "lw": 1.3, "zorder": 1}
        corner = (x - width / 2, y - height / 2)
        style = "round,pad=0,rounding_size=0.07"
        self.ax.add_patch(
            FancyBboxPatch(corner, width, height, boxstyle=style, **(settings | options))
        )

    def bar(
        self, left: float, bottom: float, width: float, height: float, color: str, zorder: float = 3
    ) -> None:
        """A filled rectangle."""
        corner = (left, bottom)
        self.ax.add_patch(Rectangle(corner, width, height, fc=color, lw=0, zorder=zorder))

    def ellipse(
        self, center: Point, width: float, height: float, angle: float = 0, **options: Any
    ) -> None:
        """An outline around a group."""
        settings = {"fc": "none", "ec": self.theme.muted, "lw": 1.6, "zorder": 1.5}
        self.ax.add_patch(Ellipse(center, width, height, angle=angle, **(settings | options)))
