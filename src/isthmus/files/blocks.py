"""What a file is read as: tables, which give blocks of records and can be cut into shards.

Records are read in blocks: work that is done once per block, in loops of the interpreter's own,
takes a fraction of the time of a chain of generators that pass on one record at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from isthmus.files import limits

__all__ = [
    "MISSING",
    "Block",
    "FileName",
    "JsonBlock",
    "Shard",
    "Table",
    "TableBlock",
    "first_rows",
]


class _Missing:
    """The type of :data:`MISSING`."""


#: Stands for a value that a record does not have, where None is a value.
MISSING = _Missing()


class FileName(NamedTuple):
    """The names of a file that is one of several.

    Attributes
    ----------
    name : str
        The file name used in messages.
    shown : str
        Its name within the corpus, for the places of its records.
    """

    name: str
    shown: str


class Block(ABC):
    """A block of consecutive records.

    Parameters
    ----------
    unit : str
        What the places count: ``"line"``, ``"row"`` or ``"file"``.
    marks : sequence
        The number of the line or row where every record starts, or the name of its file.

    Attributes
    ----------
    file : FileName or None
        The file that the records come from, if the table consists of several.
    """

    __slots__ = ("file", "marks", "unit")

    def __init__(self, unit: str, marks: Sequence[object]) -> None:
        self.unit = unit
        self.marks = marks
        self.file: FileName | None = None

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.marks)

    def places(self) -> list[str]:
        """Return the place of every record: ``"line 7"``, ``"row 7"`` or ``"file sub/a.txt"``.

        In a table of several files it names the file: ``"line 7 of 'b.csv'"``.
        """
        unit = self.unit
        if self.file is None:
            return [f"{unit} {mark}" for mark in self.marks]
        return [f"{unit} {mark} of '{self.file.shown}'" for mark in self.marks]

    def where(self, index: int, name: str) -> str:
        """Return the place and file of a record, as the beginning of a message.

        ``name`` is the file name used in messages, if the table is one file.
        """
        name = name if self.file is None else self.file.name
        return f"{self.unit.capitalize()} {self.marks[index]} of {name}"

    def of_file(self, file: FileName | None) -> Self:
        """Return these records, marked as those of one of several files."""
        self.file = file
        return self

    @abstractmethod
    def column(self, name: str, default: Any = None) -> list[Any]:
        """Return the values of a column; ``default`` for records that do not have it."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the values of every record by column."""

    @abstractmethod
    def names(self) -> Iterable[str]:
        """Return the columns of these records, in the order in which they appear."""

    @abstractmethod
    def cells(self) -> list[Any]:
        """Return all values of all records."""

    @abstractmethod
    def take(self, indices: Iterable[int]) -> Self:
        """Return some of the records."""

    @abstractmethod
    def select(self, names: Iterable[str]) -> Block:
        """Return the records with some of their columns."""


class TableBlock(Block):
    """Rows of a table; every row has a value for every column."""

    __slots__ = ("_columns", "_rows")

    def __init__(
        self,
        unit: str,
        marks: Sequence[object],
        columns: tuple[str, ...],
        rows: Sequence[Sequence[Any]],
    ) -> None:
        super().__init__(unit, marks)
        self._columns = columns
        self._rows = rows

    def column(self, name: str, default: Any = None) -> list[Any]:
        """Return the values of a column; ``default`` for records that do not have it."""
        if name not in self._columns:
            return [default] * len(self)
        place = self._columns.index(name)
        return [row[place] for row in self._rows]

    def rows(self) -> list[dict[str, Any]]:
        """Return the values of every record by column."""
        columns = self._columns
        return [dict(zip(columns, row)) for row in self._rows]  # noqa: B905 -- checked by readers

    def names(self) -> Iterable[str]:
        """Return the columns of these records, in the order in which they appear."""
        return self._columns

    def cells(self) -> list[Any]:
        """Return all values of all records."""
        return list(chain.from_iterable(self._rows))

    def take(self, indices: Iterable[int]) -> Self:
        """Return some of the records."""
        indices = list(indices)
        marks, rows = self.marks, self._rows
        taken = [marks[i] for i in indices], self._columns, [rows[i] for i in indices]
        return type(self)(self.unit, *taken).of_file(self.file)

    def select(self, names: Iterable[str]) -> TableBlock:
        """Return the records with some of their columns."""
        kept = tuple(name for name in names if name in self._columns)
        # A table without columns has rows nevertheless.
        rows = list(zip(*map(self.column, kept), strict=True)) if kept else [()] * len(self)
        return TableBlock(self.unit, self.marks, kept, rows).of_file(self.file)


class JsonBlock(Block):
    """JSON objects, each with keys of its own."""

    __slots__ = ("_objects",)

    def __init__(self, unit: str, marks: Sequence[object], objects: list[dict[str, Any]]) -> None:
        super().__init__(unit, marks)
        self._objects = objects

    def column(self, name: str, default: Any = None) -> list[Any]:
        """Return the values of a column; ``default`` for records that do not have it."""
        return [values.get(name, default) for values in self._objects]

    def rows(self) -> list[dict[str, Any]]:
        """Return the values of every record by column."""
        return self._objects

    def names(self) -> Iterable[str]:
        """Return the columns of these records, in the order in which they appear."""
        return dict.fromkeys(chain.from_iterable(self._objects))

    def cells(self) -> list[Any]:
        """Return all values of all records."""
        return [value for values in self._objects for value in values.values()]

    def take(self, indices: Iterable[int]) -> Self:
        """Return some of the records."""
        indices = list(indices)
        taken = [self._objects[i] for i in indices]
        marks = [self.marks[i] for i in indices]
        return type(self)(self.unit, marks, taken).of_file(self.file)

    def select(self, names: Iterable[str]) -> JsonBlock:
        """Return the records with some of their columns."""
        names = tuple(names)
        objects = [
            {name: values[name] for name in names if name in values} for values in self._objects
        ]
        return JsonBlock(self.unit, self.marks, objects).of_file(self.file)


class Shard(Protocol):
    """Some consecutive records of a table; it can be pickled, and another process can read it."""

    @property
    def path(self) -> Path:
        """The file or folder."""

    @property
    def n_bytes(self) -> int:
        """About the number of bytes to read."""

    def blocks(self) -> Generator[Block]:
        """Read the records; every call starts from the beginning."""


class Table(ABC):
    """A file or several files in one format, with columns that are known.

    Attributes
    ----------
    name : str
        The file name used in messages.
    format : str
        The name of the format.
    columns : tuple of str
        The columns in order.
    can_be_read_again : bool
        Whether there may be several passes; a pipe can be read once.
    """

    name: str
    format: str
    columns: tuple[str, ...]
    can_be_read_again = True

    @property
    def n_bytes(self) -> int:
        """The size on the disk; 0 for a pipe or a folder of texts."""
        return 0

    @abstractmethod
    def blocks(self) -> Generator[Block]:
        """Read the records; every call is a pass from the beginning.

        Records before one that cannot be read are yielded before the error is raised, and no block
        waits for more of a pipe than it needs.
        """

    @abstractmethod
    def shards(self, max_bytes: int) -> Iterator[Shard] | None:
        """Return shards of about ``max_bytes`` in order; None if they cannot be read alone.

        The blocks of all shards have the records of :meth:`blocks`.
        """

    def settle(self) -> None:  # noqa: B027 -- most tables are not open
        """End the inspection of a file that is open: the next pass reads the whole table."""

    def fraction_read(self) -> float | None:
        """Return how much of the table the current pass has read, or None if that is unknown."""
        return None

    def close(self) -> None:  # noqa: B027
        """Close what is open, even if a pass has not reached its end."""


def first_rows(blocks: Generator[Block]) -> list[dict[str, Any]]:
    """Return the rows from which the columns are recognized."""
    rows: list[dict[str, Any]] = []
    size = 0
    with closing(blocks):
        for values in chain.from_iterable(block.rows() for block in blocks):
            rows.append(values)
            size += sum(len(value) for value in values.values() if isinstance(value, str))
            if len(rows) >= limits.SAMPLE_ROWS or size > limits.SAMPLE_CHARACTERS:
                break
    return rows
