"""Place labels beside points so that they do not cover each other."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Box", "PlacedLabel", "place_labels", "text_width"]

_HEIGHT = 12.0
_NARROW, _WIDE = 6.3, 11.5
_DISTANCE = 6.0


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def contains(self, other: Box) -> bool:
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )


@dataclass(frozen=True)
class PlacedLabel:
    """A text that begins at ``x`` on the base line ``y``."""

    x: float
    y: float
    text: str


def place_labels(
    points: Sequence[tuple[float, float, str]], field: Box
) -> list[PlacedLabel | None]:
    """A place for the label of every point, or None; earlier points are served first."""
    taken = [Box(x - 3, y - 3, x + 3, y + 3) for x, y, _ in points]
    placed: list[PlacedLabel | None] = []
    for number, (x, y, text) in enumerate(points):
        width = text_width(text)
        label = None
        for left, base in (
            (x + _DISTANCE, y + 4),
            (x - _DISTANCE - width, y + 4),
            (x - width / 2, y - _DISTANCE),
            (x - width / 2, y + _DISTANCE + _HEIGHT - 3),
        ):
            box = Box(left, base - _HEIGHT + 2, left + width, base + 2)
            others = (other for place, other in enumerate(taken) if place != number)
            if field.contains(box) and not any(box.overlaps(other) for other in others):
                label = PlacedLabel(left, base, text)
                taken.append(box)
                break
        placed.append(label)
    return placed


def text_width(text: str) -> float:
    """About the width of a small text: East Asian characters are wide."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return _WIDE * wide + _NARROW * (len(text) - wide)
