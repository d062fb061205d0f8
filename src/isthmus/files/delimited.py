"""CSV and TSV files as tables."""

from __future__ import annotations

import csv
import re
from collections.abc import Generator, Iterable
from dataclasses import dataclass

from isthmus.files.blocks import Block, TableBlock
from isthmus.files.columns import check_unique_columns
from isthmus.files.decoding import lines_of
from isthmus.files.errors import DocumentFileError, NoDocumentsError, subject
from isthmus.files.record_splitter import RecordSplitter, WrongWidth
from isthmus.files.source import Source
from isthmus.files.text_table import TextTable

__all__ = ["DelimitedParser", "delimited_table"]

# The first one is used if a header line contains none of them, or two of them equally often.
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True)
class DelimitedParser:
    """Reads the lines of a CSV or TSV file.

    Attributes
    ----------
    name : str
        The file name used in messages.
    encoding : str
        Its encoding.
    delimiter : str
        The separator of fields.
    quotes : bool
        Whether a field in double quotes may contain delimiters and line ends.
    header : tuple of str
        The fields of the header line; none before it is read.
    n_header_lines : int
        The number of lines to the end of the header.
    columns : tuple of str
        The names of the columns.
    """

    name: str
    encoding: str
    delimiter: str
    quotes: bool
    header: tuple[str, ...] = ()
    n_header_lines: int = 0
    columns: tuple[str, ...] = ()

    @property
    def format(self) -> str:
        """The name of the format."""
        return "tsv" if self.delimiter == "\t" else "csv"

    @property
    def enclosing_delimiter(self) -> str | None:
        """The delimiter if a field in quotes may contain line ends, otherwise None."""
        return self.delimiter if self.quotes else None

    def with_header(self, chunks: Iterable[bytes]) -> DelimitedParser:
        """Return the parser of a file whose header is at the beginning of these bytes."""
        splitter = self._splitter(chunks)
        try:
            header = tuple(splitter.next_record())
            n_header_lines = splitter.number
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
        columns = _column_names(header, self.name)
        basics = (self.name, self.encoding, self.delimiter, self.quotes)
        return DelimitedParser(*basics, header, n_header_lines, columns)

    def blocks(self, chunks: Generator[bytes], first_line: int = 1) -> Generator[Block]:
        """Read the rows below the header of a file, or those that follow the end of a record."""
        columns = self.columns
        splitter = self._splitter(chunks, first_line)
        try:
            if first_line == 1 and tuple(splitter.next_record()) != self.header:
                raise DocumentFileError(
                    f"The header line of {self.name} changed while the file was read: run "
                    "again, and do not change the file meanwhile."
                )
            for numbers, rows in splitter.blocks(len(columns)):
                yield TableBlock("line", numbers, columns, rows)
        except csv.Error as error:
            raise self._broken_quote(splitter.start, splitter.number) from error
        except WrongWidth as error:
            raise self._wrong_width(error.number, error.n_fields) from None
        finally:
            chunks.close()

    def _splitter(self, chunks: Iterable[bytes], first_line: int = 1) -> RecordSplitter:
        basics = (self.encoding, self.delimiter, self.quotes, self.name)
        return RecordSplitter(chunks, *basics, first_line)

    def _wrong_width(self, number: int, n_fields: int) -> DocumentFileError:
        expected = len(self.columns)
        separators = DELIMITERS[self.delimiter]
        if n_fields < expected:
            remedy = "add what is missing, or close a quote that is open above"
        elif self.quotes:
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


def delimited_table(
    source: Source, encoding: str, delimiter: str | None, quotes: bool
) -> TextTable:
    """Return a CSV or TSV file with a header line as a table.

    Parameters
    ----------
    source : Source
        The file.
    encoding : str
        Its encoding.
    delimiter : str or None
        The separator of fields; None guesses it from the header line.
    quotes : bool
        Whether a field in double quotes may contain delimiters and line ends.
    """
    delimiter = delimiter or _guess_delimiter(source, encoding, quotes)
    parser = DelimitedParser(source.name, encoding, delimiter, quotes)
    parser = parser.with_header(source.chunks())
    return TextTable(source, parser, parser.columns)


def _guess_delimiter(source: Source, encoding: str, quotes: bool) -> str:
    line = ""
    for line in lines_of(source.chunks(), encoding, source.name):
        if line.strip():
            break
    if quotes:
        line = QUOTED.sub("", line)
    return max(DELIMITERS, key=line.count)


def _column_names(header: Iterable[str], name: str) -> tuple[str, ...]:
    # A table saved with its row numbers has a first column without a name.
    columns = [cell.strip() or f"column {place}" for place, cell in enumerate(header, 1)]
    check_unique_columns(columns, name)
    return tuple(columns)


def _fields(number: int) -> str:
    return "1 field" if number == 1 else f"{number} fields"
