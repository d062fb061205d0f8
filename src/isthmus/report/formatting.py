"""Labels, numbers and small pieces of markup that all sections use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isthmus.inspection.marked_text import points
from isthmus.pages import Html, clean_text, tag

__all__ = [
    "Numbers",
    "count",
    "cut",
    "documents",
    "label_text",
    "line_of",
    "minutes",
    "named",
    "percent",
    "points",
    "scrolling",
    "section",
    "table",
]

# Longer names of classes, files and domains are cut; the full name is in a tooltip.
_MAX_LABEL = 240
_MAX_NAME = 40


class Numbers(str):
    """The head of a column of numbers."""

    __slots__ = ()


def label_text(label: Any) -> str:
    """A label as text; very long ones are cut."""
    return cut(str(label), _MAX_LABEL) or "(empty label)"


def line_of(label: Any, length: int) -> str:
    """A label on one line of a figure, cut to this length."""
    return cut(" ".join(clean_text(label_text(label)).split()), length) or "(empty label)"


def cut(text: str, length: int) -> str:
    """The text, with an ellipsis inside if it was longer: long names often end differently."""
    if len(text) <= length:
        return text
    n_end = (length - 1) // 3
    return f"{text[: length - 1 - n_end].rstrip()}…{text[len(text) - n_end :].lstrip()}"


def named(label: Any, length: int = _MAX_NAME, class_: str = "") -> Html:
    """A label or name inside a sentence; a long one is cut and has a tooltip.

    ``bdi`` keeps names that are written from right to left from moving the words around them.
    """
    full = label_text(label)
    short = cut(full, length)
    return tag("bdi", short, title=full if short != full else None, class_=class_ or None)


def percent(part: float, digits: int = 0) -> str:
    """A part of 1 as a percentage."""
    return f"{100 * part:.{digits}f} %"


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def documents(number: int) -> str:
    """A number of documents."""
    return count(number, "document")


def minutes(seconds: float) -> str:
    """A time."""
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def section(name: str, title: str, *children: object) -> Html:
    """A section of the page."""
    return tag("section", tag("h2", title, id=f"{name}-title"), *children, id=name)


def scrolling(label: str, *children: object) -> Html:
    """Wide content in a box that scrolls sideways, also by the keyboard."""
    return tag("div", *children, class_="box", tabindex=0, role="region", aria_label=label)


def table(
    caption: str, heads: Sequence[str], rows: Sequence[Sequence[object]], *, sortable: bool = False
) -> Html:
    """A table; the first cell of every row is its head. It scrolls sideways if it is wide."""
    is_number = [isinstance(head, Numbers) for head in heads]
    head = tag(
        "tr",
        [
            tag("th", name, scope="col", class_="number" if right else None)
            for name, right in zip(heads, is_number, strict=True)
        ],
    )
    body = [
        tag(
            "tr",
            tag("th", first, scope="row"),
            [
                tag("td", cell, class_="number" if right else None)
                for cell, right in zip(others, is_number[1:], strict=True)
            ],
        )
        for first, *others in rows
    ]
    element = tag(
        "table",
        tag("caption", caption, class_="hidden"),
        tag("thead", head),
        tag("tbody", body),
        class_="sortable" if sortable else None,
    )
    return scrolling(caption, element)
