"""Read some columns of a table that need not contain any text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Self

from isthmus.files.blocks import Block, Table
from isthmus.files.columns import column_by_name, listed, no_such_column, option_name
from isthmus.files.document_blocks import LabelCache, UnsuitableValue, as_label
from isthmus.files.documents import find_table
from isthmus.files.errors import DocumentFileError

__all__ = ["Column", "TableFile", "open_table"]


@dataclass(frozen=True)
class Column:
    """The values of one column of a file.

    Attributes
    ----------
    name : str
        The column.
    file : str
        The file name used in messages.
    places : sequence of str
        The place of every row: ``"line 7"``, ``"row 7"`` or ``"file sub/a.txt"``.
    values : sequence of str or None
        The values without the blanks around them; None if a value is missing.
    """

    name: str
    file: str
    places: Sequence[str]
    values: Sequence[str | None]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    def filled(self, what: str) -> list[str]:
        """Return the values; raise an error that says ``what`` is missing and where."""
        present = [value for value in self.values if value is not None]
        if len(present) < len(self):
            raise DocumentFileError(
                f"{self.where(self.values.index(None))} has no value in '{self.name}': every row "
                f"needs {what}."
            )
        return present

    def where(self, row: int) -> str:
        """Return the place and file of a row, as the beginning of a message."""
        place = self.places[row]
        return f"{place[0].upper()}{place[1:]} of {self.file}"


@dataclass(frozen=True)
class TableFile:
    """A table whose columns are known; made by :func:`open_table`.

    The file stays open until it is read: use the table in a ``with`` statement, or close it.

    Attributes
    ----------
    name : str
        The file name used in messages.
    columns : tuple of str
        All columns in order.
    """

    name: str
    columns: tuple[str, ...]
    _table: Table = field(repr=False)
    _encoding: str | None = field(repr=False, default=None)

    def __enter__(self) -> Self:
        """Return the table."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file, even if it was not read."""
        self._table.close()

    def require(self, column: str, option: str) -> str:
        """Return the column; raise an error that names the option if it does not exist."""
        if column.strip() in self.columns:
            return column.strip()
        if column not in self.columns:
            raise no_such_column(column, option_name(option), self.columns, self.name)
        return column

    def find(self, usual: Sequence[str], taken: Sequence[str] = ()) -> str | None:
        """Return the first column with a usual name (in lower case, letters and digits only)."""
        free = tuple(column for column in self.columns if column not in taken)
        return column_by_name(free, tuple(usual), None)

    def listed(self) -> str:
        """Return the columns as messages list them."""
        return listed(self.columns)

    def read(self, columns: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Column]:
        """Read some columns, in one pass over the file.

        An ``optional`` column is left out if a value, such as a list in JSON, is not plain text.

        Raises
        ------
        DocumentFileError
            If a row cannot be read; the message names its place.
        """
        places: list[str] = []
        cells: dict[str, list[str | None]] = {column: [] for column in (*columns, *optional)}
        unsuitable: set[str] = set()
        labels = LabelCache(self._encoding)
        with closing(self._table.blocks()) as blocks:
            for records in blocks:
                places += records.places()
                for column, column_values in cells.items():
                    try:
                        column_values += labels.of(records.column(column))
                    except UnsuitableValue:
                        if column not in optional:
                            raise self._unsuitable(columns, records) from None
                        unsuitable.add(column)
                        column_values += [None] * len(records)
        return {
            name: Column(name, self.name, places, column_values)
            for name, column_values in cells.items()
            if name not in unsuitable
        }

    def _unsuitable(self, columns: Sequence[str], records: Block) -> DocumentFileError:
        """Return the error about the first value of some columns that is not plain text."""
        for place, values in zip(records.places(), records.rows(), strict=True):
            for column in columns:
                try:
                    as_label(values.get(column), self._encoding)
                except UnsuitableValue as error:
                    where = Column(column, self.name, [place], [None]).where(0)
                    return DocumentFileError(
                        f"{where} contains {error} in '{column}': write it as text."
                    )
        raise AssertionError("a value was unsuitable")


def open_table(
    path: str | os.PathLike[str], *, encoding: str | None = None, quotes: bool = True
) -> TableFile:
    """Open a table in any format that :func:`~isthmus.files.open_documents` reads.

    Parameters
    ----------
    path : path
        The file, folder or pattern; ``-`` is standard input, which can be read once.
    encoding : str, optional
        The encoding of text files; by default that of the byte order mark, or UTF-8.
    quotes : bool
        Whether double quotes enclose fields of CSV and TSV files; otherwise they are text.

    Returns
    -------
    TableFile
        The table, ready to be read.

    Raises
    ------
    DocumentFileError
        If the file does not exist or cannot be read.
    """
    table, encoding = find_table(path, encoding, quotes)
    table.settle()
    return TableFile(table.name, table.columns, table, encoding)
