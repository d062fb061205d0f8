"""What a report is made of, before it becomes Markdown or a web page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isthmus.bench.report.charts import Drawing

__all__ = ["Block", "Bullets", "Cell", "Details", "Heading", "Report", "Section", "Table", "table"]


@dataclass(frozen=True)
class Cell:
    """A cell of a table; ``best`` where no other of its kind is better.

    ``beside`` stands behind the text, and is never the best.
    """

    text: str
    best: bool = False
    beside: str = ""


@dataclass(frozen=True)
class Heading:
    """The title of what follows within a section."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list of short remarks; ``intro`` is the line before it."""

    items: tuple[str, ...]
    intro: str = ""


@dataclass(frozen=True)
class Table:
    """Titles of the columns, and rows of as many cells.

    The last ``n_summary`` rows are about the others, such as their means, and stay below them.
    """

    titles: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_summary: int = 0


@dataclass(frozen=True)
class Details:
    """Remarks that few readers need: a page folds them away behind their title."""

    title: str
    bullets: Bullets


Block = str | Heading | Bullets | Table | Details | Drawing
"""A string is a paragraph. In every kind of text, code stands between backticks and what is bold
between double stars.
"""


@dataclass(frozen=True)
class Section:
    """A suite, or what is said over all of them; ``name`` is unique and fit for an address."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report:
    """A whole report: what is said first, then section after section."""

    title: str
    intro: str
    sections: tuple[Section, ...]


def table(titles: Sequence[str], rows: Sequence[Sequence[Cell | str]], n_summary: int = 0) -> Table:
    """A table from cells, or from their texts."""
    cells = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows]
    return Table(tuple(titles), tuple(map(tuple, cells)), n_summary)
