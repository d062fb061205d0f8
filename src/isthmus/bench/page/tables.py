"""Tables of a report, with what the page has to know about their columns."""

from __future__ import annotations

import re
from dataclasses import dataclass

from isthmus.bench.blocks import Cell, Table

__all__ = ["TableView", "leading_number", "view_table"]

_MINUS = "\N{MINUS SIGN}"
_NUMBER = re.compile(rf"[<>≤≥~±\s]*([+\-{_MINUS}]?(?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)")
_NOTHING = frozenset(["", "-", "\N{EN DASH}", "\N{EM DASH}"])


@dataclass(frozen=True)
class TableView:
    """A table whose cells say by which number they are sorted, None for those of texts."""

    label: str
    titles: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[tuple[Cell, float | None], ...], ...]


def view_table(table: Table, label: str) -> TableView:
    """Find the columns of numbers; the first column names the rows and is none of them."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.titles)
    numeric = tuple(place > 0 and _is_numeric(column) for place, column in enumerate(columns))
    rows = tuple(
        tuple(
            (cell, leading_number(cell.text) if number else None)
            for cell, number in zip(row, numeric, strict=True)
        )
        for row in table.rows
    )
    return TableView(label, table.titles, numeric, rows)


def leading_number(text: str) -> float | None:
    """The number that a cell begins with: 96.57 of "96.57 (paper 92.01)"."""
    found = _NUMBER.match(text)
    return float(found[1].replace(",", "").replace(_MINUS, "-")) if found else None


def _is_numeric(column: tuple[Cell, ...]) -> bool:
    texts = [cell.text.strip() for cell in column]
    # A column of dashes alone is one of numbers that are still to come.
    return any(texts) and all(
        text in _NOTHING or leading_number(text) is not None for text in texts
    )
