"""Consecutive records of a file.

Readers give records in blocks: work that is done once per block, in loops of the interpreter's own,
takes a fraction of the time of a chain of generators that pass on one record at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, Self

__all__ = ["MISSING", "JsonRecords", "Part", "Records", "TableRecords"]


class _Missing:
    """The type of :data:`MISSING`."""


#: Stands for a value that a record does not have, where None is a value.
MISSING = _Missing()


class Part(NamedTuple):
    """A file that is a part of a corpus.

    Attributes
    ----------
    name : str
        The file name used in messages.
    shown : str
        Its name within the corpus, for the places of its records.
    """

    name: str
    shown: str


class Records(ABC):
    """A block of consecutive records.

    Parameters
    ----------
    unit : str
        What the places count: ``"line"``, ``"row"`` or ``"file"``.
    marks : sequence
        The number of the line or row where every record starts, or the name of its file.

    Attributes
    ----------
    part : Part or None
        The file that the records come from, if the corpus consists of several.
    """

    __slots__ = ("marks", "part", "unit")

    def __init__(self, unit: str, marks: Sequence[object]) -> None:
        self.unit = unit
        self.marks = marks
        self.part: Part | None = None

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.marks)

    def places(self) -> list[str]:
        """Return the place of every record: ``"line 7"``, ``"row 7"`` or ``"file sub/a.txt"``.

        In a corpus of several files it names the file: ``"line 7 of 'b.csv'"``.
        """
        unit = self.unit
        if self.part is None:
            return [f"{unit} {mark}" for mark in self.marks]
        file = self.part.shown
        return [f"{unit} {mark} of '{file}'" for mark in self.marks]

    def where(self, index: int, name: str) -> str:
        """Return the place and file of a record, as the beginning of a message.

        ``name`` is the file name used in messages, if the records are not those of a part.
        """
        name = name if self.part is None else self.part.name
        return f"{self.unit.capitalize()} {self.marks[index]} of {name}"

    def in_part(self, part: Part | None) -> Self:
        """Return these records, marked as those of a part."""
        self.part = part
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
    def select(self, names: Iterable[str]) -> Records:
        """Return the records with some of their columns."""


class TableRecords(Records):
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
        return type(self)(self.unit, *taken).in_part(self.part)

    def select(self, names: Iterable[str]) -> TableRecords:
        """Return the records with some of their columns."""
        kept = tuple(name for name in names if name in self._columns)
        # A table without columns has rows nevertheless.
        rows = list(zip(*map(self.column, kept), strict=True)) if kept else [()] * len(self)
        return TableRecords(self.unit, self.marks, kept, rows).in_part(self.part)


class JsonRecords(Records):
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
        return type(self)(self.unit, marks, taken).in_part(self.part)

    def select(self, names: Iterable[str]) -> JsonRecords:
        """Return the records with some of their columns."""
        names = tuple(names)
        objects = [
            {name: values[name] for name in names if name in values} for values in self._objects
        ]
        return JsonRecords(self.unit, self.marks, objects).in_part(self.part)
