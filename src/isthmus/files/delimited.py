"""Records of CSV and TSV files."""

from __future__ import annotations

import csv
import re
from collections.abc import Generator, Iterator
from contextlib import closing

from isthmus.files.columns import check_unique_columns
from isthmus.files.decoding import lines_of
from isthmus.files.errors import DocumentFileError, NoDocumentsError, subject
from isthmus.files.record_splitter import RecordSplitter, WrongWidth
from isthmus.files.records import Records, TableRecords
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

    def records(self) -> Generator[Records]:
        """Read the rows below the header; every call starts from the beginning."""
        columns = self.columns
        with closing(self._source.chunks()) as chunks:
            splitter = self._splitter(chunks)
            try:
                if list(splitter.next_record()) != self._header:
                    raise DocumentFileError(
                        f"The header line of {self.name} changed while the file was read: run "
                        "again, and do not change the file meanwhile."
                    )
                for numbers, rows in splitter.blocks(len(columns)):
                    yield TableRecords("line", numbers, columns, rows)
            except csv.Error as error:
                raise self._broken_quote(splitter.start, splitter.number) from error
            except WrongWidth as error:
                raise self._wrong_width(error.number, error.n_fields) from None

    def _splitter(self, chunks: Iterator[bytes]) -> RecordSplitter:
        return RecordSplitter(chunks, self._encoding, self._delimiter, self._quotes, self.name)

    def _guess_delimiter(self) -> str:
        line = ""
        for line in lines_of(self._source.chunks(), self._encoding, self.name):
            if line.strip():
                break
        if self._quotes:
            line = QUOTED.sub("", line)
        return max(DELIMITERS, key=line.count)

    def _read_header(self) -> list[str]:
        splitter = self._splitter(self._source.chunks())
        try:
            header = list(splitter.next_record())
            first_row = splitter.next_record()
        except csv.Error as error:
            raise self._broken_quote(splitter.start, splitter.number) from error
        if not header:
            raise NoDocumentsError(
                f"{subject(self.name)} contains only blank lines: write a header line such as "
                "text,label and a line for every document."
            )
        if not first_row:
            raise NoDocumentsError(
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


def _column_names(header: list[str], name: str) -> tuple[str, ...]:
    # A table saved with its row numbers has a first column without a name.
    columns = [cell.strip() or f"column {place}" for place, cell in enumerate(header, 1)]
    check_unique_columns(columns, name)
    return tuple(columns)


def _fields(number: int) -> str:
    return "1 field" if number == 1 else f"{number} fields"
