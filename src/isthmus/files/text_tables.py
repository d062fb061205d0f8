"""Write rows of results as CSV, TSV and JSON Lines."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any, TextIO

from isthmus.files.errors import DocumentFileError
from isthmus.files.json_lines import without_surrogates

__all__ = ["DelimitedWriter", "JsonLinesWriter", "json_text"]

_BLANKS = (" ", "\t")
_ESCAPED_IN_JSON = bytes([*range(32), *b'"\\'])
_SHORT = 60
_MAX_SHORT_FIELDS = 10_000


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
        self._short_fields = _ShortFields(self._quoted)
        self._number = 0
        self._write_fields(self._columns)

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row; values that are not among the columns are left out."""
        self._number += 1
        self._write_fields(map(values.get, self._columns))

    def _write_fields(self, values: Iterable[Any]) -> None:
        short_fields = self._short_fields
        field = self._field
        fields = [
            short_fields[value] if type(value) is str and len(value) <= _SHORT else field(value)
            for value in values
        ]
        # Readers skip empty lines.
        line = (self._delimiter.join(fields) or '""') + "\n"
        _write_text(self._stream, line, self._name, self._number)

    def _field(self, value: Any) -> str:
        if type(value) is float and math.isfinite(value):
            return repr(value)
        if isinstance(value, str):
            return self._quoted(value)
        if value is None:
            return ""
        text = json_text(value, self._name, self._number)
        if text.startswith('"'):
            text = str(json.loads(text))  # a date or similar, which is text without quotes
        return self._quoted(text)

    def _quoted(self, text: str) -> str:
        """Return a text as a field, in quotes if it needs them."""
        if self._convert is not None:
            text = self._convert(text)
        # The csv module does not quote a lone carriage return, or a byte order mark at the
        # beginning of the file: readers would misinterpret both. One search per character is much
        # faster than a regular expression.
        if '"' in text:
            return '"' + text.replace('"', '""') + '"'
        if (
            self._delimiter in text
            or "\n" in text
            or "\r" in text
            or "\ufeff" in text
            or text.startswith(_BLANKS)
            or text.endswith(_BLANKS)
        ):
            return f'"{text}"'
        return text


class _ShortFields(dict[str, str]):
    """Short texts as they are written: few distinct labels are written again and again."""

    def __init__(self, convert: Callable[[str], str]) -> None:
        self._convert = convert

    def __missing__(self, text: str) -> str:
        field = self._convert(text)
        if len(self) < _MAX_SHORT_FIELDS:
            self[text] = field
        return field


class JsonLinesWriter:
    """Writes one JSON object per line; columns that a row does not have are left out."""

    def __init__(self, stream: TextIO, columns: Sequence[str], name: str) -> None:
        self._stream = stream
        self._short_texts = _ShortFields(encode_basestring)
        self._keys = {column: json_text(column, name, 0) + ": " for column in columns}
        self._name = name
        self._number = 0

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row; values that are not among the columns are left out."""
        self._number += 1
        short_texts, name, number = self._short_texts, self._name, self._number
        members = []
        for column, key in self._keys.items():
            if column in values:
                value = values[column]
                if type(value) is str and len(value) <= _SHORT:
                    members.append(key + short_texts[value])
                else:
                    members.append(key + json_text(value, name, number))
        _write_text(self._stream, "{" + ", ".join(members) + "}\n", name, number)


def json_text(value: Any, name: str, number: int) -> str:
    """Return a value as JSON text; NumPy numbers and arrays are converted to Python's."""
    # json.dumps builds an encoder for every call, which takes longer than encoding a number.
    kind = type(value)
    if kind is str:
        return _json_string(value)
    if kind is int or (kind is float and math.isfinite(value)):
        return repr(value)
    try:
        try:
            return json.dumps(value, ensure_ascii=False, default=_plain, allow_nan=False)
        except ValueError:  # NaN and infinities, which JSON does not have
            return json.dumps(_with_null(value), ensure_ascii=False, default=_plain)
    except RecursionError as error:
        raise DocumentFileError(
            f"Row {number} for {name} nests lists or objects too deeply: make it flatter."
        ) from error


def _json_string(text: str) -> str:
    # Most texts need no escapes. To find that out takes a third of the time of encoding them.
    try:
        data = text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return encode_basestring(text)
    needs_escapes = len(data) != len(data.translate(None, _ESCAPED_IN_JSON))
    return encode_basestring(text) if needs_escapes else f'"{text}"'


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
