"""Write rows of results as a Parquet table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from isthmus.files.errors import DocumentFileError
from isthmus.files.json_lines import without_surrogates
from isthmus.files.parquet import import_pyarrow
from isthmus.files.text_tables import json_text

__all__ = ["ParquetWriter"]

BATCH_ROWS = 4096


class ParquetWriter:
    """Writes rows in batches; the first batch decides the types of the columns.

    A column whose values have several types is written as JSON text.
    """

    def __init__(self, stream: BinaryIO, columns: Sequence[str], name: str) -> None:
        self._arrow = import_pyarrow(name)
        self._stream = stream
        self._columns = tuple(columns)
        self._name = name
        self._batch: list[Mapping[str, Any]] = []
        self._number = 0
        self._schema: Any = None
        self._writer: Any = None

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row; values that are not among the columns are left out."""
        self._batch.append({column: values.get(column) for column in self._columns})
        if len(self._batch) == BATCH_ROWS:
            self._write_batch()

    def finish(self) -> None:
        """Write the last rows and the footer."""
        if self._batch or self._writer is None:
            self._write_batch()
        self._writer.close()

    def abandon(self) -> None:
        """Close the file, which will be deleted."""
        self._batch = []
        if self._writer is not None:
            self._writer.close()

    def _write_batch(self) -> None:
        if self._writer is None:
            self._schema = self._arrow.schema([(c, self._type(c)) for c in self._columns])
            self._writer = self._arrow.parquet.ParquetWriter(self._stream, self._schema)
        arrays = [self._array(column) for column in self._columns]
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))
        self._number += len(self._batch)
        self._batch = []

    def _type(self, column: str) -> Any:
        try:
            inferred = self._arrow.array([row[column] for row in self._batch]).type
        except (self._arrow.ArrowException, OverflowError):
            return self._arrow.string()
        # The type of a column of missing values is unknown.
        return self._arrow.string() if self._arrow.types.is_null(inferred) else inferred

    def _array(self, column: str) -> Any:
        type_ = self._schema.field(column).type
        values = [row[column] for row in self._batch]
        if self._arrow.types.is_string(type_):
            values = [self._text(value) for value in values]
        try:
            return self._arrow.array(values, type=type_)
        except (self._arrow.ArrowException, OverflowError, TypeError) as error:
            first, last = self._number + 1, self._number + len(self._batch)
            raise DocumentFileError(
                f"A value of column '{column}' in rows {first} to {last} for {self._name} is not "
                f"of the type {type_} of the values before: write .jsonl or .csv."
            ) from error

    def _text(self, value: Any) -> Any:
        if value is None:
            return None
        text = value if isinstance(value, str) else json_text(value, self._name, self._number + 1)
        return without_surrogates(text)
