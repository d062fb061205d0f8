"""Small charts as SVG elements: scales, axes and marks.

Colors come from the classes of the style sheet, so that a chart fits a light and a dark page and
the security policy needs no style attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from isthmus.pages.html import Html, tag

__all__ = ["Frame", "Scale", "chart", "circle", "line", "number", "path", "rect", "text", "ticks"]


@dataclass(frozen=True)
class Scale:
    """A linear map from values to positions."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        span = self.high - self.low or 1.0
        return self.start + (value - self.low) / span * (self.stop - self.start)


def number(value: float) -> str:
    """A position, short."""
    return f"{value:.1f}".removesuffix(".0")


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers between two values, about this many."""
    if not high > low:
        return [low]
    raw = (high - low) / max(1, count)
    power = 10.0 ** floor(log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    return [step * k for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def chart(width: float, height: float, label: str, *children: object, class_: str = "") -> Html:
    """An ``svg`` element with a text for screen readers."""
    return tag(
        "svg",
        *children,
        viewBox=f"0 0 {number(width)} {number(height)}",
        role="img",
        aria_label=label,
        class_=class_ or None,
    )


def text(x: float, y: float, content: object, class_: str = "", anchor: str = "") -> Html:
    """A line of text."""
    return tag(
        "text",
        content,
        x=number(x),
        y=number(y),
        class_=class_ or None,
        text_anchor=anchor or None,
    )


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Html:
    """A straight line."""
    return tag("line", x1=number(x1), y1=number(y1), x2=number(x2), y2=number(y2), class_=class_)


def rect(x: float, y: float, width: float, height: float, class_: str) -> Html:
    """A rectangle."""
    return tag(
        "rect",
        x=number(x),
        y=number(y),
        width=number(max(0.0, width)),
        height=number(height),
        class_=class_,
    )


def circle(x: float, y: float, radius: float, class_: str, title: str = "") -> Html:
    """A dot, with a tooltip if there is a title."""
    return tag(
        "circle",
        tag("title", title) if title else None,
        cx=number(x),
        cy=number(y),
        r=number(radius),
        class_=class_,
    )


def path(points: Sequence[tuple[float, float]], class_: str) -> Html:
    """A line through points."""
    steps = [f"{number(x)} {number(y)}" for x, y in points]
    return tag("path", d="M" + "L".join(steps), class_=class_)


@dataclass(frozen=True)
class Frame:
    """The axes of a chart."""

    x: Scale
    y: Scale

    def axes(
        self,
        x_ticks: Sequence[tuple[float, str]],
        y_ticks: Sequence[tuple[float, str]],
        x_label: str,
        y_label: str,
    ) -> list[Html]:
        """Grid lines, tick labels and names of both axes."""
        left, right = self.x.start, self.x.stop
        bottom, top = self.y.start, self.y.stop
        parts = []
        for value, name in x_ticks:
            parts += [
                line(self.x(value), bottom, self.x(value), top, "grid"),
                text(self.x(value), bottom + 18, name, "tick", "middle"),
            ]
        for value, name in y_ticks:
            parts += [
                line(left, self.y(value), right, self.y(value), "grid"),
                text(left - 6, self.y(value) + 4, name, "tick", "end"),
            ]
        parts += [
            line(left, bottom, right, bottom, "axis"),
            line(left, bottom, left, top, "axis"),
            text((left + right) / 2, bottom + 38, x_label, "name", "middle"),
            text(left, top - 10, y_label, "name", "start"),
        ]
        return parts
