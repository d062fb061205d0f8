"""Places for labels, so that none covers another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import hypot

__all__ = ["Box", "place_labels", "spread", "stack"]

_GAP = 5.0
_CLEAR = 11.0
_STEP = 12.0
_AWAY = tuple(float(away) for away in range(5, 120, 5))


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        """Whether the two have a point in common that is not on an edge."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )

    def holds(self, other: Box) -> bool:
        """Whether the other lies within this one."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.bottom <= other.bottom
            and other.top <= self.top
        )

    def distance(self, point: tuple[float, float]) -> float:
        """How far a point is from the nearest edge, 0 for one within."""
        across = max(self.left - point[0], 0.0, point[0] - self.right)
        up = max(self.bottom - point[1], 0.0, point[1] - self.top)
        return hypot(across, up)


def place_labels(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
    others: Iterable[tuple[float, float]] = (),
) -> list[Box]:
    """Find a free place for the label of every point, as near to the point as there is one.

    Parameters
    ----------
    points : sequence of (x, y)
        What the labels belong to.
    sizes : sequence of (width, height)
        Of the labels.
    frame : Box
        The labels stay within.
    others : iterable of (x, y)
        Points without a label, which no label covers either.

    Returns
    -------
    list of Box
        One for every point. Where all places around are taken, the label stands to the right.
    """
    dots = [*points, *others]
    found: list[Box] = []
    for place, (point, size) in enumerate(zip(points, sizes, strict=True)):
        # A label close to another point would be taken for that point's.
        strange = [_dot(dot, _CLEAR) for other, dot in enumerate(dots) if other != place]
        taken = [*found, *strange, _dot(point, _GAP)]
        places = _around(point, size)
        free = (
            box
            for box in places
            if frame.holds(box) and not any(box.meets(other) for other in taken)
        )
        found.append(next(free, places[0]))
    return found


def spread(positions: Sequence[float], gap: float) -> list[float]:
    """Move positions apart until no two are nearer than ``gap``, each as little as can be.

    >>> spread([10.0, 11.0, 30.0], 5.0)
    [8.0, 13.0, 30.0]
    """
    order = sorted(range(len(positions)), key=lambda place: positions[place])
    # Less its number times the gap, every position must not be below the one before: positions
    # that would be are merged, and have their mean in common.
    blocks: list[tuple[float, int]] = []
    for number, place in enumerate(order):
        block = (positions[place] - number * gap, 1)
        while blocks and blocks[-1][0] > block[0]:
            mean, count = blocks.pop()
            total = count + block[1]
            block = ((mean * count + block[0] * block[1]) / total, total)
        blocks.append(block)
    moved = [mean for mean, count in blocks for _ in range(count)]
    found = [0.0] * len(positions)
    for number, place in enumerate(order):
        found[place] = moved[number] + number * gap
    return found


def stack(spans: Sequence[tuple[float, float]], gap: float) -> list[int]:
    """Rows for spans of one line, counted from 0, so that none meets another of its row.

    >>> stack([(0, 10), (5, 15), (12, 20)], gap=1)
    [0, 1, 0]
    """
    ends: list[float] = []
    rows = [0] * len(spans)
    for place in sorted(range(len(spans)), key=lambda place: spans[place]):
        left, right = spans[place]
        row = next((row for row, end in enumerate(ends) if end + gap <= left), len(ends))
        if row == len(ends):
            ends.append(right)
        ends[row] = right
        rows[place] = row
    return rows


def _around(point: tuple[float, float], size: tuple[float, float]) -> list[Box]:
    """Places for a label, the best first: near, and rather right than left, above or below."""
    (x, y), (width, height) = point, size
    beside = [x + _GAP, x - _GAP - width]
    slid = [x - width + step * _STEP for step in range(int(width / _STEP) + 1)]
    slid.sort(key=lambda left: abs(left + width / 2 - x))
    aside = [side for away in _AWAY for side in (x + _GAP + away, x - _GAP - away - width)]
    level = [y - height / 2]
    raised = [up for away in (0.0, *_AWAY) for up in (y + _GAP + away, y - _GAP - away - height)]
    places = [*product(beside, level), *product([*slid, *beside, *aside], [*level, *raised])]
    boxes = [Box(left, bottom, left + width, bottom + height) for left, bottom in places]
    # The sort keeps the order of places that are equally far.
    return sorted(boxes, key=lambda box: round(box.distance(point)))


def _dot(point: tuple[float, float], margin: float) -> Box:
    x, y = point
    return Box(x - margin, y - margin, x + margin, y + margin)
