"""Write rows of results as CSV, TSV and JSON Lines."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

from isthmus.files.errors import DocumentFileError
from isthmus.files.json_lines import without_surrogates

__all__ = ["DelimitedWriter", "JsonLinesWriter", "json_text"]


class DelimitedWriter:
    """Writes CSV or TSV that :class:`isthmus.files.delimited.Delimited` reads back unchanged.

    A missing value is an empty field, text is written as it is, and any other value as JSON.
    ``convert``, if given, is applied to every text.
    """

    def __init__(
        self,
        stream: TextIO,
        columns: Sequence[str],
        delimiter: str,
        name: str,
        convert: Callable[[str], str] | None = None,
    ) -> None:
        self._stream = stream
        self._columns = tuple(columns)
        self._delimiter = delimiter
        self._name = name
        self._convert = convert
        # The csv module does not quote a lone carriage return, or a byte order mark at the
        # beginning of the file: readers would misinterpret both.
        self._special = re.compile(f'[{re.escape(delimiter)}"\r\n\ufeff]|^[ \t]|[ \t]$')
        self._number = 0
        self._write_fields(self._columns)

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row; values that are not among the columns are left out."""
        self._number += 1
        self._write_fields([values.get(column) for column in self._columns])

    def _write_fields(self, fields: Sequence[Any]) -> None:
        line = self._delimiter.join([self._field(field) for field in fields])
        # Readers skip empty lines.
        _write_text(self._stream, (line or '""') + "\n", self._name, self._number)

    def _field(self, value: Any) -> str:
        if value is None:
            return ""
        text = value if isinstance(value, str) else json_text(value, self._name, self._number)
        if not isinstance(value, str) and text.startswith('"'):
            text = str(json.loads(text))  # a date or similar, which is text without quotes
        if self._convert is not None:
            text = self._convert(text)
        if self._special.search(text):
            return '"' + text.replace('"', '""') + '"'
        return text


class JsonLinesWriter:
    """Writes one JSON object per line; columns that a row does not have are left out."""

    def __init__(self, stream: TextIO, columns: Sequence[str], name: str) -> None:
        self._stream = stream
        self._columns = tuple(columns)
        self._name = name
        self._number = 0

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row; values that are not among the columns are left out."""
        self._number += 1
        row = {column: values[column] for column in self._columns if column in values}
        text = json_text(row, self._name, self._number)
        _write_text(self._stream, text + "\n", self._name, self._number)


def json_text(value: Any, name: str, number: int) -> str:
    """Return a value as JSON text; NumPy numbers and arrays are converted to Python's."""
    try:
        try:
            return json.dumps(value, ensure_ascii=False, default=_plain, allow_nan=False)
        except ValueError:  # NaN and infinities, which JSON does not have
            return json.dumps(_with_null(value), ensure_ascii=False, default=_plain)
    except RecursionError as error:
        raise DocumentFileError(
            f"Row {number} for {name} nests lists or objects too deeply: make it flatter."
        ) from error


def _with_null(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _with_null(item) for key, item in value.items()}
    return [_with_null(item) for item in value] if isinstance(value, list | tuple) else value


def _plain(value: Any) -> Any:
    for method in ("tolist", "item"):
        if hasattr(value, method):
            return getattr(value, method)()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _write_text(stream: TextIO, text: str, name: str, number: int) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError as error:
        clean = without_surrogates(text)
        if clean != text:
            _write_text(stream, clean, name, number)
            return
        character = error.object[error.start]
        raise DocumentFileError(
            f"Row {number} for {name} contains {character!r} (U+{ord(character):04X}), which "
            f"{error.encoding} cannot write: use the encoding utf-8."
        ) from error
