"""Open a user's table that need not hold any text, and read some of its columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from isthmus.files.columns import column_by_name, listed, not_there
from isthmus.files.errors import DocumentFileError
from isthmus.files.readers import Reader, find_reader
from isthmus.files.values import Unfit, as_label

__all__ = ["Column", "TableFile", "open_table"]


@dataclass(frozen=True)
class Column:
    """A column of a file, read.

    Attributes
    ----------
    name : str
        The column.
    file : str
        The file as messages call it.
    places : sequence of str
        Where every row stands: ``"line 7"``, ``"row 7"`` or ``"file sub/a.txt"``.
    values : sequence of str or None
        The values without blanks around them; None where there is nothing.
    """

    name: str
    file: str
    places: Sequence[str]
    values: Sequence[str | None]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    def filled(self, what: str) -> list[str]:
        """Return the values, or say where one is missing; ``what`` names them in the message."""
        full = [value for value in self.values if value is not None]
        if len(full) < len(self):
            raise DocumentFileError(
                f"{self.where(self.values.index(None))} has nothing in '{self.name}': every row "
                f"needs {what}."
            )
        return full

    def where(self, row: int) -> str:
        """Return a row's place and file, to begin a message with."""
        place = self.places[row]
        return f"{place[0].upper()}{place[1:]} of {self.file}"


@dataclass(frozen=True)
class TableFile:
    """A table whose columns are known; made by :func:`open_table`.

    Attributes
    ----------
    name : str
        The file as messages call it.
    columns : tuple of str
        All columns in order.
    """

    name: str
    columns: tuple[str, ...]
    _reader: Reader = field(repr=False)
    _encoding: str | None = field(repr=False, default=None)

    def require(self, column: str, option: str) -> str:
        """Return the column, or say that it is not there and which option named it."""
        if column.strip() in self.columns:
            return column.strip()
        if column not in self.columns:
            raise not_there(column, option, self.columns, self.name)
        return column

    def find(self, usual: Sequence[str], taken: Sequence[str] = ()) -> str | None:
        """Return the first column of a usual name, written in small letters without signs."""
        free = tuple(column for column in self.columns if column not in taken)
        return column_by_name(free, tuple(usual), None)

    def listed(self) -> str:
        """Return the columns in words, for messages."""
        return listed(self.columns)

    def read(self, columns: Iterable[str]) -> dict[str, Column]:
        """Read some columns, in one pass over the file.

        Raises
        ------
        DocumentFileError
            If a row cannot be read; the message names its place.
        """
        places: list[str] = []
        cells: dict[str, list[str | None]] = {column: [] for column in columns}
        for place, values in self._reader.records():
            places.append(place)
            for column, read in cells.items():
                try:
                    read.append(as_label(values.get(column), self._encoding))
                except Unfit as unfit:
                    where = Column(column, self.name, places, read).where(-1)
                    raise DocumentFileError(
                        f"{where} holds {unfit} in '{column}': write it as text."
                    ) from None
        return {name: Column(name, self.name, places, read) for name, read in cells.items()}


def open_table(
    path: str | os.PathLike[str], *, encoding: str | None = None, quotes: bool = True
) -> TableFile:
    """Open a table in any format that :func:`~isthmus.files.open_documents` reads.

    Parameters
    ----------
    path : path
        The file or folder; ``-`` is standard input, which can be read once.
    encoding : str, optional
        The encoding of text files; by default what the byte order mark says, or UTF-8.
    quotes : bool
        Whether double quotes enclose fields of CSV and TSV files; if not, they are text.

    Returns
    -------
    TableFile
        The table, ready to be read.

    Raises
    ------
    DocumentFileError
        If the file is not there or cannot be read.
    """
    reader, source, encoding = find_reader(path, encoding, quotes)
    if source is not None:
        source.settle()
    return TableFile(reader.name, reader.columns, reader, encoding)
