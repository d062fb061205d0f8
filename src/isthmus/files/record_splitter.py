"""Split the text of a CSV or TSV file into records."""

from __future__ import annotations

import csv
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, repeat
from operator import contains, methodcaller

from isthmus.files import limits
from isthmus.files.decoding import WholeLines, line_ends, split_plain_lines
from isthmus.files.errors import DocumentFileError

__all__ = ["RecordSplitter", "WrongWidth"]

Row = Sequence[str]
#: The line where each of some consecutive records starts, and their fields.
Block = tuple[Sequence[int], Sequence[Row]]

QUOTE = '"'


class WrongWidth(Exception):  # noqa: N818 -- never reaches the caller
    """A record that has another number of fields than the header line."""

    def __init__(self, number: int, n_fields: int) -> None:
        super().__init__(number, n_fields)
        self.number = number
        self.n_fields = n_fields


class RecordSplitter:
    """Splits a file into records: first single ones by :meth:`next_record`, then in blocks.

    The csv module looks at every character, and takes longer than everything else that is done
    with a record. So a piece of text whose quotes all enclose whole fields, which is the rule, is
    split by its quotes, its line ends and its delimiters. The csv module reads what is left.

    The stream may also begin after the end of a record, with the line ``first_line`` of the file.

    Attributes
    ----------
    start, number : int
        The line where the last record starts, and the last line that was read; for messages.
    """

    def __init__(
        self,
        chunks: Iterable[bytes],
        encoding: str,
        delimiter: str,
        quotes: bool,
        name: str,
        first_line: int = 1,
    ) -> None:
        self.start = 0
        self.number = first_line - 1
        self._lines = WholeLines(chunks, encoding, name, first_line)
        self._pieces = self._lines.pieces()
        # The lines of the current piece that were not read yet.
        self._remaining = _RemainingLines("")
        self._delimiter = delimiter
        self._quotes = quotes
        self._name = name
        # In a file separated by tabs, a line of tabs is a row of empty fields.
        self._blank = " \r\n" if delimiter == "\t" else " \t\r\n"

    def next_record(self) -> Row:
        """Read one record; it has no fields at the end of the file."""
        while not (line := self._next_line()):
            if not self._read_piece():
                return []
        return self._parsed(line)

    def blocks(self, width: int) -> Iterator[Block]:
        """Read all other records; they must have ``width`` fields.

        A block is yielded before more of the file is read, so that a slow pipe delays no record.
        """
        while text := self._remaining.read() or self._next_piece():
            numbers, rows, rest = self._split(text, width)
            if rows:
                yield numbers, rows
            if rest:
                self._remaining = _RemainingLines(rest)
                yield from self._line_by_line(width)

    def _split(self, text: str, width: int) -> tuple[Sequence[int], Sequence[Row], str]:
        """Split the records of a text; return those that were split and the rest of the text."""
        nothing: tuple[Sequence[int], Sequence[Row], str] = (), (), text
        if len(text) > limits.MAX_CHARACTERS:
            return nothing
        outside, rest = text, ""
        inside: list[str] = []
        if self._quotes and QUOTE in text:
            outside, inside, rest = _split_quotes(text)
        lines = split_plain_lines(outside)
        if lines is None:
            return nothing
        rows: Sequence[Row] = [line.split(self._delimiter) for line in lines]
        first = self.number + 1
        numbers: Sequence[int] = range(first, first + len(rows))
        # A blank line has one field.
        if width == 1 or set(map(len, rows)) != {width}:
            kept = [i for i, row in enumerate(rows) if len(row) > 1 or row[0].strip(self._blank)]
            numbers, rows = [numbers[i] for i in kept], [rows[i] for i in kept]
            if set(map(len, rows)) - {width}:
                return nothing
        height = len(lines)
        if inside:
            rows = _with_quoted_fields(rows, inside)
            if not rows:
                return nothing
            if _have_line_ends(inside):
                if len(rows) < len(lines):
                    return nothing
                n_line_ends = line_ends if "\r" in text else methodcaller("count", "\n")
                heights = [1 + sum(map(n_line_ends, row)) for row in rows]
                *numbers, end = accumulate(heights, initial=first)
                height = end - first
        self.number += height
        return numbers, rows, rest

    def _line_by_line(self, width: int) -> Iterator[Block]:
        """Read the records that start in the current piece, the last one to its end."""
        numbers: list[int] = []
        rows: list[Row] = []
        piece = self._remaining
        while piece is self._remaining and (line := self._next_line()):
            # A record with quotes may need more of the file.
            is_plain = not self._has_quotes(line) and len(line) <= limits.MAX_CHARACTERS
            fields = self._fields(line) if is_plain else []
            if len(fields) != width and rows:
                yield numbers, rows
                numbers, rows = [], []
            fields = fields or self._parsed(line)
            if len(fields) != width:
                raise WrongWidth(self.start, len(fields))
            numbers.append(self.start)
            rows.append(fields)
        if rows:
            yield numbers, rows

    def _next_line(self) -> str:
        """Return the next line of the piece that is not blank; empty at the end of the piece."""
        while line := self._remaining.readline():
            self.number += 1
            if line.strip(self._blank):
                self.start = self.number
                return line
        return ""

    def _next_piece(self) -> str:
        """Return the next piece of the file; empty at its end."""
        self._lines.count = self.number
        return next(self._pieces, "")

    def _read_piece(self) -> bool:
        """Read the next piece line by line; return whether there was one."""
        piece = self._next_piece()
        self._remaining = _RemainingLines(piece)
        return bool(piece)

    def _has_quotes(self, line: str) -> bool:
        return self._quotes and QUOTE in line

    def _fields(self, line: str) -> Row:
        return line.rstrip("\r\n").split(self._delimiter)

    def _parsed(self, line: str) -> Row:
        """Parse the record that starts with a line, and read its other lines."""
        lines = self._lines_of_record(line)
        if not self._has_quotes(line):
            return self._fields(next(lines))
        with _wide_fields:
            return next(csv.reader(lines, delimiter=self._delimiter, strict=True))

    def _lines_of_record(self, line: str) -> Iterator[str]:
        size = 0
        while line:
            size += len(line)
            if size > limits.MAX_CHARACTERS:
                raise DocumentFileError(
                    f"Line {self.start} of {self._name} starts a record of more than "
                    f"{limits.MAX_CHARACTERS} characters: close the double quote that is "
                    "open, or check the file."
                )
            yield line
            line = self._remaining.readline()
            if not line and self._read_piece():
                line = self._remaining.readline()
            self.number += bool(line)


class _RemainingLines:
    """A text that is read line by line or at once, without a copy of it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    def readline(self) -> str:
        """Return the next line with its end; empty at the end of the text."""
        text, start = self._text, self._position
        end = text.find("\n", start) + 1 or len(text)
        carriage_return = text.find("\r", start, end)
        # The one before a line feed belongs to the same line end.
        if carriage_return >= 0 and text[carriage_return + 1 : end] != "\n":
            end = carriage_return + 1
        self._position = end
        return text[start:end]

    def read(self) -> str:
        """Return the rest."""
        start, self._position = self._position, len(self._text)
        return self._text[start:]


def _split_quotes(text: str) -> tuple[str, list[str], str]:
    """Split a text by its quotes, as if all of them enclosed fields.

    Returns
    -------
    outside : str
        The text with a single quote in the place of a quoted field, and two or more for a field
        that has quotes in it.
    inside : list of str
        What these quotes stand for.
    rest : str
        The last record, if its quote is not closed in this text.
    """
    parts = text.split(QUOTE)
    rest = ""
    if len(parts) % 2 == 0:
        place = len(parts) - 2
        while place > 0 and not line_ends(parts[place]):
            place -= 2
        part = parts[place]
        end = 1 + max(part.rfind("\n"), part.rfind("\r"))
        rest = QUOTE.join([part[end:], *parts[place + 1 :]])
        parts[place:] = [part[:end]]
    return QUOTE.join(parts[::2]), parts[1::2], rest


def _with_quoted_fields(rows: Sequence[Row], inside: list[str]) -> Sequence[Row]:
    """Put the quoted fields in their places; return no rows if a quote is a part of a text."""
    cells = list(chain.from_iterable(rows))
    next_part = iter(inside).__next__
    if cells.count(QUOTE) == len(inside):
        cells = [next_part() if cell == QUOTE else cell for cell in cells]
    else:
        if any(cell.strip(QUOTE) for cell in {cell for cell in cells if QUOTE in cell}):
            return []
        for place, cell in enumerate(cells):
            if cell == QUOTE:
                cells[place] = next_part()
            elif QUOTE in cell:
                cells[place] = QUOTE.join([next_part() for _ in cell])
    width = len(rows[0])
    return list(zip(*[iter(cells)] * width, strict=True))


def _have_line_ends(texts: Iterable[str]) -> bool:
    return any(map(contains, texts, repeat("\n"))) or any(map(contains, texts, repeat("\r")))


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
