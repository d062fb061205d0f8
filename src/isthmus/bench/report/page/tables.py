"""Tables of a report, with what the page has to know about their columns."""

from __future__ import annotations

import re
from dataclasses import dataclass

from isthmus.bench.report.blocks import Cell, Table

__all__ = ["TableView", "leading_number", "view_table"]

_MINUS = "\N{MINUS SIGN}"
_NUMBER = re.compile(rf"[<>≤≥~±\s]*([+\-{_MINUS}]?(?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)")
_NOTHING = frozenset(["-", "\N{EN DASH}", "\N{EM DASH}"])


@dataclass(frozen=True)
class TableView:
    """A table whose cells say by which number they are sorted, None for those of texts.

    ``kinds`` are the classes of the columns in the page: "number", "number noted" where something
    stands beside some of the numbers, and nothing for texts.
    """

    label: str
    titles: tuple[str, ...]
    kinds: tuple[str, ...]
    rows: tuple[tuple[tuple[Cell, float | None], ...], ...]
    n_summary: int = 0

    @property
    def body(self) -> tuple[tuple[tuple[Cell, float | None], ...], ...]:
        """The rows that a reader may sort."""
        return self.rows[: len(self.rows) - self.n_summary]

    @property
    def foot(self) -> tuple[tuple[tuple[Cell, float | None], ...], ...]:
        """The rows about those."""
        return self.rows[len(self.rows) - self.n_summary :]


def view_table(table: Table, label: str) -> TableView:
    """Find the columns of numbers; the first column names the rows and is none of them."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.titles)
    kinds = tuple("" if place == 0 else _kind(column) for place, column in enumerate(columns))
    rows = tuple(
        tuple(
            (cell, leading_number(cell.text) if kind else None)
            for cell, kind in zip(row, kinds, strict=True)
        )
        for row in table.rows
    )
    return TableView(label, table.titles, kinds, rows, table.n_summary)


def leading_number(text: str) -> float | None:
    """The number that a cell begins with: 96.57 of "96.57 (paper 92.01)"."""
    found = _NUMBER.match(text)
    return float(found[1].replace(",", "").replace(_MINUS, "-")) if found else None


def _kind(column: tuple[Cell, ...]) -> str:
    texts = [text for cell in column if (text := cell.text.strip())]
    # A row may say something else than numbers, such as the split of every problem; and a column
    # of dashes alone is one of numbers that are still to come.
    fitting = sum(text in _NOTHING or leading_number(text) is not None for text in texts)
    if 2 * fitting <= len(texts):
        return ""
    return "number noted" if any(cell.beside for cell in column) else "number"
