"""Parts of a picture, and arrows from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from method_pictures.canvas import Canvas, Point


@dataclass(frozen=True)
class Panel:
    """A part of the sheet, with coordinates of its own."""

    left: float
    bottom: float
    width: float
    height: float
    scale: float = 1.0

    def place(self, points: np.ndarray | list[Point]) -> np.ndarray:
        """Points of the panel on the sheet."""
        return np.array([self.left, self.bottom]) + self.scale * np.asarray(points, dtype=float)

    @property
    def x(self) -> float:
        return self.left + self.width / 2

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def y(self) -> float:
        return self.bottom + self.height / 2

    @property
    def top(self) -> float:
        return self.bottom + self.height

    def frame(self, canvas: Canvas) -> None:
        """Draw the border."""
        canvas.box(self.x, self.y, self.width, self.height)


def two_panels() -> tuple[Panel, Panel]:
    """The usual halves of a picture, with room for headings and a legend."""
    return Panel(0.3, 0.49, 3.05, 1.92), Panel(3.85, 0.49, 3.05, 1.92)


def three_panels(bottom: float = 0.5, height: float = 1.9, scale: float = 1.0) -> list[Panel]:
    """The usual thirds of a picture."""
    return [Panel(left, bottom, 2.05, height, scale) for left in (0.12, 2.58, 5.03)]


def arrows_between(canvas: Canvas, panels: Sequence[Panel]) -> None:
    """An arrow from every panel to the next one."""
    for before, after in pairwise(panels):
        canvas.arrow((before.right + 0.06, before.y), (after.left - 0.06, before.y))
