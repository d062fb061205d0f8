"""Records of CSV and TSV files."""

from __future__ import annotations

import csv
import re
import threading
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

from isthmus.files import limits
from isthmus.files.columns import check_unique_columns
from isthmus.files.decoding import lines_of
from isthmus.files.errors import DocumentFileError, subject
from isthmus.files.source import ByteSource

__all__ = ["Delimited"]

# The first one is used if a header line contains none of them, or two of them equally often.
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
QUOTED = re.compile(r'"[^"]*"')


class Delimited:
    """A CSV or TSV file with a header line.

    Parameters
    ----------
    source : ByteSource
        The file.
    encoding : str
        Its encoding.
    delimiter : str, optional
        The separator of fields; by default it is guessed from the header line.
    quotes : bool
        Whether a field in double quotes may contain delimiters and line ends.
    """

    def __init__(
        self, source: ByteSource, encoding: str, delimiter: str | None, quotes: bool
    ) -> None:
        self.name = source.name
        self._source = source
        self._encoding = encoding
        self._quotes = quotes
        self._delimiter = delimiter or self._guess_delimiter()
        self.format = "tsv" if self._delimiter == "\t" else "csv"
        self._header = self._read_header()
        self.columns = _column_names(self._header, self.name)

    def records(self) -> Generator[tuple[str, dict[str, Any]]]:
        """Read the rows below the header; every call starts from the beginning."""
        columns = self.columns
        width = len(columns)
        with closing(self._source.chunks()) as chunks:
            rows = self._rows(chunks)
            if next(rows, (0, []))[1] != self._header:
                raise DocumentFileError(
                    f"The header line of {self.name} changed while the file was read: run again, "
                    "and do not change the file meanwhile."
                )
            for number, fields in rows:
                if len(fields) != width:
                    raise self._wrong_width(number, len(fields))
                yield f"line {number}", dict(zip(columns, fields, strict=True))

    def _rows(self, chunks: Iterator[bytes]) -> Iterator[tuple[int, list[str]]]:
        """Read records with the number of the line where each starts."""
        lines = _RecordLines(
            lines_of(chunks, self._encoding, self.name), self._delimiter, self.name
        )
        reader = csv.reader(
            lines.feed(),
            delimiter=self._delimiter,
            quoting=csv.QUOTE_MINIMAL if self._quotes else csv.QUOTE_NONE,
            strict=True,
        )
        while True:
            lines.expect_record()
            try:
                with _wide_fields:
                    fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise self._broken_quote(lines.start, lines.number) from error
            yield lines.start, fields

    def _guess_delimiter(self) -> str:
        line = ""
        for line in lines_of(self._source.chunks(), self._encoding, self.name):
            if line.strip():
                break
        if self._quotes:
            line = QUOTED.sub("", line)
        return max(DELIMITERS, key=line.count)

    def _read_header(self) -> list[str]:
        rows = self._rows(self._source.chunks())
        _, header = next(rows, (0, []))
        if not header:
            raise DocumentFileError(
                f"{subject(self.name)} contains only blank lines: write a header line such as "
                "text,label and a line for every document."
            )
        if next(rows, None) is None:
            raise DocumentFileError(
                f"{subject(self.name)} has a header line but no documents: add some below it; if "
                "the first line is a document, write a header line such as text,label above it."
            )
        return header

    def _wrong_width(self, number: int, n_fields: int) -> DocumentFileError:
        expected = len(self.columns)
        separators = DELIMITERS[self._delimiter]
        if n_fields < expected:
            remedy = "add what is missing, or close a quote that is open above"
        elif self._quotes:
            remedy = f"put texts that contain {separators} in double quotes"
        else:
            remedy = f"remove the {separators} from the texts"
        return DocumentFileError(
            f"Line {number} of {self.name} has {_fields(n_fields)} where the header line has "
            f"{expected}, separated by {separators}: {remedy}."
        )

    def _broken_quote(self, start: int, failed: int) -> DocumentFileError:
        remedy = 'close it, or write it twice ("") where it belongs to the text'
        if self.format == "tsv":
            remedy += "; if quotes mean nothing in this file, use quotes=False (--no-quotes)"
        return DocumentFileError(
            f"Line {start} of {self.name} starts a record whose double quotes do not match (at "
            f"line {failed}): {remedy}."
        )


class _RecordLines:
    """Passes lines to the csv reader and records where each record starts."""

    def __init__(self, lines: Iterator[str], delimiter: str, name: str) -> None:
        self.start = 0
        self.number = 0
        self._lines = lines
        # In a file separated by tabs, a line of tabs is a row of empty fields.
        self._blank = " \r\n" if delimiter == "\t" else " \t\r\n"
        self._name = name
        self._size = 0

    def expect_record(self) -> None:
        """State that the next line starts a record."""
        self._size = 0

    def feed(self) -> Iterator[str]:
        """Yield the lines, without blank ones between the records."""
        for line in self._lines:
            self.number += 1
            if self._size == 0:
                if not line.strip(self._blank):
                    continue
                self.start = self.number
            self._size += len(line)
            if self._size > limits.MAX_CHARACTERS:
                raise DocumentFileError(
                    f"Line {self.start} of {self._name} starts a record of more than "
                    f"{limits.MAX_CHARACTERS} characters: close the double quote that is "
                    "open, or check the file."
                )
            yield line


class _WideFields:
    """Raises the csv module's limit on the size of fields while one record is read.

    The limit belongs to the process, not to a reader. It is restored after every record, because
    readers may be interleaved, dropped half-way or run in threads, and other users of the module
    rely on their own limit. If several threads read at the same time, the last one restores it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._usual = 0

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._usual = csv.field_size_limit(limits.MAX_CHARACTERS + 1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                csv.field_size_limit(self._usual)


_wide_fields = _WideFields()


def _column_names(header: list[str], name: str) -> tuple[str, ...]:
    # A table saved with its row numbers has a first column without a name.
    columns = [cell.strip() or f"column {place}" for place, cell in enumerate(header, 1)]
    check_unique_columns(columns, name)
    return tuple(columns)


def _fields(number: int) -> str:
    return "1 field" if number == 1 else f"{number} fields"
