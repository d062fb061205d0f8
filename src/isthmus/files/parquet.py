"""Read Parquet tables with pyarrow."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Any, BinaryIO

from isthmus.files import limits
from isthmus.files.blocks import Block, Table, TableBlock
from isthmus.files.columns import check_unique_columns
from isthmus.files.errors import DocumentFileError, NoDocumentsError
from isthmus.files.json_lines import without_surrogates
from isthmus.files.text_table import FileStamp
from isthmus.files.text_writers import json_text

__all__ = ["ParquetTable", "ParquetWriter", "import_pyarrow"]

# A batch is in memory as a whole, so it has fewer rows if they are long.
BATCH_ROWS = 2048
BATCH_BYTES = 4 * 1024**2
# A text that a batch may repeat in every row, and the dictionary that is searched for longer ones.
LONG_TEXT = 8 * 1024
MAX_DICTIONARY_BYTES = 16 * 1024**2
# Nested values may need much more memory than the file states.
BATCH_ROWS_OF_NESTED = 16
WRITTEN_ROWS = 4096


def import_pyarrow(name: str) -> Any:
    """Import pyarrow with its Parquet module, or raise an error that says how to install it."""
    try:
        pyarrow: Any = import_module("pyarrow")
        import_module("pyarrow.parquet")
    except ImportError as error:
        raise DocumentFileError(
            f"The Parquet file {name} needs pyarrow: pip install 'isthmus[parquet]'."
        ) from error
    return pyarrow


@dataclass(frozen=True)
class _RowGroups:
    """Some consecutive row groups of a Parquet file.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    n_bytes : int
        The unpacked size of the groups.
    stamp : FileStamp
        The file as it was when its footer was read.
    groups : range
        The numbers of the groups.
    n_rows_before : int
        The number of rows in all groups before.
    """

    path: Path
    n_bytes: int
    stamp: FileStamp
    groups: range
    n_rows_before: int

    def blocks(self) -> Generator[Block]:
        """Read the rows; every call starts from the beginning."""
        self.stamp.check(self.path, f"'{self.path}'")
        yield from ParquetTable(self.path).read(self.groups, self.n_rows_before)


class ParquetTable(Table):
    """A Parquet file, read in small batches of rows."""

    format = "parquet"

    def __init__(self, path: Path) -> None:
        self.name = f"'{path}'"
        self._path = path
        self._arrow = import_pyarrow(self.name)
        with self._open() as table:  # only the footer is read
            schema, n_rows = table.schema_arrow, table.metadata.num_rows
        names = schema.names
        self._text_columns = [
            field.name for field in schema if _is_text(field.type, self._arrow.types)
        ]
        check_unique_columns(names, self.name)
        if n_rows == 0:
            raise NoDocumentsError(f"The file {self.name} has no rows: name one with documents.")
        self.columns = tuple(names)

    @property
    def n_bytes(self) -> int:
        """The size of the file."""
        return self._path.stat().st_size

    def shards(self, max_bytes: int) -> Iterator[_RowGroups]:
        """Return row groups of about ``max_bytes``, unpacked, that can be read alone."""
        stamp = FileStamp.of(self._path, self.name)
        with self._open() as table:
            metadata = table.metadata
        first = n_rows_before = n_rows = n_bytes = 0
        for group in range(metadata.num_row_groups):
            n_bytes += metadata.row_group(group).total_byte_size
            n_rows += metadata.row_group(group).num_rows
            if n_bytes >= max_bytes or group == metadata.num_row_groups - 1:
                groups = range(first, group + 1)
                # Another process may run in another folder.
                yield _RowGroups(self._path.absolute(), n_bytes, stamp, groups, n_rows_before)
                first, n_rows_before, n_bytes = group + 1, n_rows, 0

    def blocks(self) -> Generator[Block]:
        """Read all rows; every call starts from the beginning."""
        return self.read()

    def read(self, groups: Sequence[int] | None = None, n_rows_before: int = 0) -> Generator[Block]:
        """Read the rows of some row groups, by default of all; every call starts again.

        ``n_rows_before`` is the number of rows before the first group.
        """
        number = n_rows_before
        with closing(self._batches(groups)) as batches:
            while True:
                try:
                    batch = next(batches, None)
                    if batch is None:
                        return
                    columns = [self._cells(column) for column in batch.columns]
                except (OSError, UnicodeError, self._arrow.ArrowException) as error:
                    raise self._damaged(f" after row {number}", error) from error
                rows = list(zip(*columns, strict=True))
                n_fitting = self._n_fitting(columns)
                numbers = range(number + 1, number + len(rows) + 1)
                if n_fitting < len(rows):
                    yield TableBlock("row", numbers[:n_fitting], self.columns, rows[:n_fitting])
                    raise self._too_long(numbers[n_fitting], rows[n_fitting])
                yield TableBlock("row", numbers, self.columns, rows)
                number += len(rows)

    def _batches(self, groups: Sequence[int] | None) -> Generator[Any]:
        """Read the rows as batches of Arrow.

        A small file may repeat a long text in every row. Such texts are read as indexes into their
        dictionary, which takes more time and memory for texts that are not repeated.
        """
        with (
            self._open() as table,
            self._open(metadata=table.metadata, read_dictionary=self._text_columns) as repeating,
        ):
            size = _batch_size(table, self._arrow.types)
            for group in range(table.num_row_groups) if groups is None else groups:
                may_repeat = self._may_repeat_long_texts(repeating, group)
                reader = repeating if may_repeat else table
                yield from reader.iter_batches(batch_size=size, row_groups=[group])

    def _may_repeat_long_texts(self, repeating: Any, group: int) -> bool:
        """Return whether rows of a group may need much more memory than the file states."""
        metadata = repeating.metadata.row_group(group)
        columns = [metadata.column(i) for i in range(metadata.num_columns)]
        has_dictionary = any(column.has_dictionary_page for column in columns)
        if not has_dictionary or not self._text_columns:
            return False
        if metadata.num_rows <= BATCH_ROWS:
            return True  # reading them takes no longer than looking at them
        # The first batch has the dictionary that is stored in the file.
        first = next(
            repeating.iter_batches(batch_size=1, row_groups=[group], columns=self._text_columns)
        )
        return any(_has_long_texts(column.dictionary) for column in first.columns)

    def _n_fitting(self, columns: list[list[Any]]) -> int:
        """Return the number of rows before the first one with a value beyond the limit."""
        return min(next((i for i, v in enumerate(c) if _is_too_long(v)), len(c)) for c in columns)

    def _too_long(self, number: int, row: Sequence[Any]) -> DocumentFileError:
        column = next(c for c, v in zip(self.columns, row, strict=True) if _is_too_long(v))
        return DocumentFileError(
            f"Row {number} of {self.name} has more than {limits.MAX_CHARACTERS} characters in "
            f"'{column}': no document is that long, remove it."
        )

    def _cells(self, column: Any) -> list[Any]:
        if not isinstance(column, self._arrow.DictionaryArray):
            return list(column.to_pylist())
        indices = column.indices.to_pylist()
        used = set(indices)
        if len(used) == len(indices):
            return list(column.dictionary_decode().to_pylist())
        # Rows with the same text share one string.
        used.discard(None)
        places = sorted(used)
        texts = column.dictionary.take(self._arrow.array(places, self._arrow.int64())).to_pylist()
        by_index = dict(zip(places, texts, strict=True))
        return [by_index.get(index) for index in indices]

    def _open(self, **options: Any) -> Any:
        try:
            return self._arrow.parquet.ParquetFile(self._path, **options)
        except (OSError, self._arrow.ArrowException) as error:
            raise self._damaged("", error) from error

    def _damaged(self, where: str, error: Exception) -> DocumentFileError:
        reason = " ".join(str(error).split()).rstrip(".")
        return DocumentFileError(
            f"The file {self.name} cannot be read as Parquet{where} ({reason}): copy it again."
        )


def _is_too_long(value: Any) -> bool:
    return isinstance(value, str | bytes) and len(value) > limits.MAX_CHARACTERS


def _has_long_texts(dictionary: Any) -> bool:
    if dictionary.nbytes > MAX_DICTIONARY_BYTES:
        return True
    return any(len(text) > LONG_TEXT for text in dictionary.to_pylist() if text is not None)


def _is_text(kind: Any, types: Any) -> bool:
    checks = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(check(kind) for check in checks)


def _batch_size(table: Any, types: Any) -> int:
    """Return the number of rows of a batch."""
    metadata = table.metadata
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    longest = max((g.total_byte_size // max(g.num_rows, 1) for g in groups), default=0)
    nested = any(types.is_nested(field.type) for field in table.schema_arrow)
    most = BATCH_ROWS_OF_NESTED if nested else BATCH_ROWS
    return max(1, min(most, BATCH_BYTES // max(longest, 1)))


class ParquetWriter:
    """Writes rows in batches; the first batch decides the types of the columns.

    A column whose values have several types is written as JSON text.
    """

    # The types of the columns are decided here, so rows cannot be encoded elsewhere.
    encoder = None

    def __init__(self, stream: BinaryIO, columns: Sequence[str], name: str) -> None:
        self._arrow = import_pyarrow(name)
        self._stream = stream
        self._columns = tuple(columns)
        self._name = name
        self._batch: list[list[Any]] = [[] for _ in self._columns]
        self._number = 0
        self._schema: Any = None
        self._writer: Any = None

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row; values that are not among the columns are left out."""
        for column, column_values in zip(self._columns, self._batch, strict=True):
            column_values.append(values.get(column))
        if len(self._batch[0]) == WRITTEN_ROWS:
            self._write_batch()

    def write_encoded(self, data: bytes, n_rows: int) -> None:
        """Raise TypeError: a Parquet table takes no encoded rows."""
        raise TypeError("A Parquet table takes no encoded rows: use write.")

    def finish(self) -> None:
        """Write the last rows and the footer."""
        if self._batch[0] or self._writer is None:
            self._write_batch()
        self._writer.close()

    def abandon(self) -> None:
        """Close the file, which will be deleted."""
        self._batch = []
        if self._writer is not None:
            self._writer.close()

    def _write_batch(self) -> None:
        if self._writer is None:
            types = map(self._type, self._batch)
            self._schema = self._arrow.schema(list(zip(self._columns, types, strict=True)))
            self._writer = self._arrow.parquet.ParquetWriter(self._stream, self._schema)
        arrays = [self._array(*column) for column in zip(self._schema, self._batch, strict=True)]
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))
        self._number += len(self._batch[0])
        self._batch = [[] for _ in self._columns]

    def _type(self, values: list[Any]) -> Any:
        try:
            inferred = self._arrow.array(values).type
        except (self._arrow.ArrowException, OverflowError, UnicodeError):
            return self._arrow.string()
        # The type of a column of missing values is unknown.
        return self._arrow.string() if self._arrow.types.is_null(inferred) else inferred

    def _array(self, field: Any, values: list[Any]) -> Any:
        try:
            if self._arrow.types.is_string(field.type):
                return self._texts(values)
            return self._arrow.array(values, type=field.type)
        except (self._arrow.ArrowException, OverflowError, TypeError) as error:
            first, last = self._number + 1, self._number + len(values)
            raise DocumentFileError(
                f"A value of column '{field.name}' in rows {first} to {last} for {self._name} is "
                f"not of the type {field.type} of the values before: write .jsonl or .csv."
            ) from error

    def _texts(self, values: list[Any]) -> Any:
        string = self._arrow.string()
        if set(map(type, values)) <= {str, NoneType}:
            with contextlib.suppress(UnicodeError):  # a lone surrogate
                return self._arrow.array(values, string)
        return self._arrow.array([self._text(value) for value in values], string)

    def _text(self, value: Any) -> Any:
        if value is None:
            return None
        text = value if isinstance(value, str) else json_text(value, self._name, self._number + 1)
        return without_surrogates(text)
