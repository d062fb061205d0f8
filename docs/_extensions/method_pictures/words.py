"""Words as boxes, and links between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from method_pictures.canvas import SIZE, Canvas, text_width


@dataclass(frozen=True)
class Word:
    """A word in a box, around a center."""

    text: str
    x: float
    y: float
    width: float
    height: float = 0.34

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2


def word(
    canvas: Canvas, text: str, x: float, y: float, *, shared: bool = False, **options: Any
) -> Word:
    """Draw a word; shared words have the accent color."""
    theme = canvas.theme
    box = Word(text, x, y, options.pop("width", text_width(text, SIZE) + 0.26))
    settings: dict[str, Any] = {"ec": theme.muted, "fc": theme.paper, "zorder": 3}
    if shared:
        settings |= {"ec": theme.accent, "fc": theme.mix(theme.accent, 0.14), "lw": 2}
    canvas.box(x, y, box.width, box.height, **(settings | options))
    canvas.text(x, y, text)
    return box


def link(canvas: Canvas, first: Word, second: Word, **options: Any) -> None:
    """A line between the facing sides of two words."""
    start = first.right if first.x < second.x else first.left
    end = second.left if first.x < second.x else second.right
    canvas.line([(start, first.y), (end, second.y)], **({"zorder": 1.8} | options))


def pointer(canvas: Canvas, first: Word, second: Word, **options: Any) -> None:
    """An arrow between the facing sides of two words."""
    sign = 1 if first.x < second.x else -1
    start = first.right if sign > 0 else first.left
    end = second.left if sign > 0 else second.right
    canvas.arrow((start + 0.03 * sign, first.y), (end - 0.04 * sign, second.y), **options)
