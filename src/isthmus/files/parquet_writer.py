"""Write rows of results as a Parquet table."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from types import NoneType
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
        if len(self._batch[0]) == BATCH_ROWS:
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
