"""Write rows of results as CSV, TSV and JSON Lines."""

from __future__ import annotations

import io
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from gzip import GzipFile
from json.encoder import encode_basestring
from typing import Any, TextIO

from isthmus.files.decoding import is_ascii_compatible
from isthmus.files.errors import DocumentFileError
from isthmus.files.json_lines import without_surrogates

__all__ = ["DelimitedWriter", "JsonLinesWriter", "RowEncoder", "TextWriter", "json_text"]

_BLANKS = (" ", "\t")
_ESCAPED_IN_JSON = bytes([*range(32), *b'"\\'])
_SHORT = 60
_MAX_SHORT_FIELDS = 10_000


@dataclass(frozen=True)
class RowEncoder:
    """Encodes rows of a table as its writer does; can be pickled for another process.

    Attributes
    ----------
    columns : tuple of str
        The columns in order.
    delimiter : str or None
        The separator of fields; None for JSON Lines.
    encoding : str
        The encoding.
    name : str
        The name of the output in messages.
    convert : callable or None
        What is applied to every text in CSV and TSV.
    """

    columns: tuple[str, ...]
    delimiter: str | None
    encoding: str
    name: str
    convert: Callable[[str], str] | None = None

    def encode(self, rows: Iterable[Mapping[str, Any]], n_rows_before: int = 0) -> bytes:
        """Return rows as bytes for ``write_encoded``.

        Parameters
        ----------
        rows : iterable of mapping
            The values of every row by column.
        n_rows_before : int
            The number of rows of the table before these, for messages.

        Raises
        ------
        DocumentFileError
            If a row cannot be written.
        """
        buffer = io.BytesIO()
        stream = io.TextIOWrapper(buffer, encoding=self.encoding, newline="")
        writer = self.open(stream, n_rows_before)
        for row in rows:
            writer.write(row)
        stream.flush()
        return buffer.getvalue()

    def open(self, stream: TextIO, n_rows_before: int = 0) -> TextWriter:
        """Return a writer of rows to a stream; no header line is written."""
        if self.delimiter is None:
            return JsonLinesWriter(stream, self, n_rows_before)
        return DelimitedWriter(stream, self, n_rows_before)


class TextWriter(ABC):
    """Writes a text table.

    Attributes
    ----------
    encoder : RowEncoder or None
        Encodes rows for :meth:`write_encoded`; None if the encoding needs to know what was written
        before.
    """

    def __init__(self, stream: TextIO, encoder: RowEncoder, n_rows_before: int = 0) -> None:
        self.encoder = encoder if is_ascii_compatible(encoder.encoding) else None
        self._stream = stream
        self._name = encoder.name
        self._number = n_rows_before

    @abstractmethod
    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row; values that are not among the columns are left out."""

    def write_encoded(self, data: bytes, n_rows: int) -> None:
        """Write ``n_rows`` rows that the ``encoder`` has encoded."""
        assert self.encoder is not None
        self._number += n_rows
        buffer = getattr(self._stream, "buffer", None)
        if buffer is None or isinstance(buffer, GzipFile):
            # A flush would change the packed bytes.
            self._stream.write(data.decode(self.encoder.encoding))
        else:
            self._stream.flush()
            buffer.write(data)


class DelimitedWriter(TextWriter):
    """Writes CSV or TSV that :class:`isthmus.files.delimited.DelimitedParser` reads back unchanged.

    A missing value is an empty field, text is written as it is, and any other value as JSON.
    """

    def __init__(self, stream: TextIO, encoder: RowEncoder, n_rows_before: int = 0) -> None:
        super().__init__(stream, encoder, n_rows_before)
        self._columns = encoder.columns
        self._delimiter = encoder.delimiter or ","
        self._convert = encoder.convert
        self._short_fields = _ShortFields(self._quoted)

    def write_header(self) -> None:
        """Write the names of the columns."""
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


class JsonLinesWriter(TextWriter):
    """Writes one JSON object per line; columns that a row does not have are left out."""

    def __init__(self, stream: TextIO, encoder: RowEncoder, n_rows_before: int = 0) -> None:
        super().__init__(stream, encoder, n_rows_before)
        self._short_texts = _ShortFields(encode_basestring)
        name = self._name
        self._keys = {column: json_text(column, name, 0) + ": " for column in encoder.columns}

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
