"""What the symbols of a picture mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from method_pictures.canvas import Canvas, text_width
from method_pictures.documents import centers, documents, wrong
from method_pictures.graphs import CUT


def legend(canvas: Canvas, *items: str, x: float = 3.6, y: float = 0.2) -> None:
    """A line of symbols with their meaning, centered.

    An item is the name of a symbol, which is also printed, or "symbol: text".
    """
    parts = [(item.partition(":")[0], item.partition(":")[2].strip() or item) for item in items]
    room = [0.38 if symbol in _WIDE else 0.22 for symbol, _ in parts]
    widths = [
        space + text_width(text, 11) + 0.28 for space, (_, text) in zip(room, parts, strict=True)
    ]
    left = x - (sum(widths) - 0.28) / 2
    for (symbol, text), space, width in zip(parts, room, widths, strict=True):
        _SYMBOLS[symbol](canvas, left, y)
        canvas.text(left + space, y, text, ha="left", size=11, color=canvas.theme.muted)
        left += width


def _two(domain: str) -> Callable[[Canvas, float, float], None]:
    """One document of either class."""
    return lambda canvas, left, y: documents(
        canvas, [(left + 0.06, y), (left + 0.22, y)], domain, [0, 1]
    )


_SYMBOLS: dict[str, Callable[[Canvas, float, float], None]] = {
    "source": _two("source"),
    "labeled target": _two("target"),
    "target": lambda canvas, left, y: documents(canvas, [(left + 0.06, y)], "target"),
    "wrong": lambda canvas, left, y: wrong(canvas, np.array([(left + 0.05, y)])),
    "center": lambda canvas, left, y: centers(canvas, [(left + 0.05, y)], [canvas.theme.ink]),
    "shared center": lambda canvas, left, y: centers(
        canvas, [(left + 0.05, y)], [canvas.theme.accent]
    ),
    "accent line": lambda canvas, left, y: canvas.line(
        [(left, y), (left + 0.28, y)], color=canvas.theme.accent, lw=2.2
    ),
    "cut": lambda canvas, left, y: canvas.line(
        [(left, y), (left + 0.28, y)], color=canvas.theme.ink, **CUT
    ),
    "dashed line": lambda canvas, left, y: canvas.line(
        [(left, y), (left + 0.28, y)], ls=(0, (3, 2))
    ),
}
_WIDE = {"source", "labeled target", "accent line", "dashed line", "cut"}
