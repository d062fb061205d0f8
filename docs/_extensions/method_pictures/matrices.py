"""Matrices as blocks of square cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from method_pictures.canvas import Canvas, Point

CELL = 0.14


@dataclass(frozen=True)
class Block:
    """Where a matrix was drawn."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        return self.y - self.height / 2

    @property
    def top(self) -> float:
        return self.y + self.height / 2


def matrix(
    canvas: Canvas,
    center: Point,
    values: np.ndarray,
    colors: str | list[str] | np.ndarray,
    *,
    cell: float = CELL,
    frame: str | None = None,
    **options: Any,
) -> Block:
    """Draw a matrix of values from 0 to 1, shaded in one color, or one per column or cell."""
    rows, columns = values.shape
    block = Block(*center, columns * cell, rows * cell)
    wanted = np.broadcast_to(np.asarray(colors), values.shape)
    # Few shades: the picture stays small.
    shades = np.round(np.clip(values, 0, 1) * 8) / 8
    row, column = np.nonzero(shades > 0)
    canvas.ax.scatter(
        block.left + (column + 0.5) * cell,
        block.top - (row + 0.5) * cell,
        marker="s",
        s=(cell * 72 - 0.8) ** 2,
        c=[canvas.theme.mix(wanted[i, j], shades[i, j]) for i, j in zip(row, column, strict=True)],
        linewidths=0,
        clip_on=False,
        zorder=2,
    )
    settings = {"ec": canvas.theme.muted, "lw": 1.2, "zorder": 3}
    if frame is not None:
        settings |= {"ec": frame, "lw": 2.4}
    canvas.box(*center, block.width + 0.03, block.height + 0.03, **(settings | options))
    return block


def low_rank(G: np.ndarray, S: np.ndarray, F: np.ndarray, seed: int) -> np.ndarray:
    """The product of three factors, a little noisy, with a maximum of 1."""
    noise = np.random.default_rng(seed).uniform(0.55, 1.1, size=(len(G), F.shape[1]))
    product = G @ S @ F * noise
    return product / product.max()
