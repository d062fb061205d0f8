"""Cut a text file into ranges of bytes that consist of whole records.

The file is scanned by searches over large chunks. Nothing is decoded and no record is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

__all__ = ["ByteRange", "record_ranges"]

CHUNK_BYTES = 1024**2
# A file without line ends is not cut, and not held in memory either.
LONGEST_LINE = 64 * 1024**2
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
QUOTE = b'"'
# Four times as fast as counting both kinds of line ends.
LONE_RETURN = re.compile(rb"\r(?!\n)")


class ByteRange(NamedTuple):
    """A range of bytes of a file.

    Attributes
    ----------
    start, end : int
        Its first byte, and the one after its last.
    first_line : int
        The number of its first line in the file, counted from 1.
    """

    start: int
    end: int
    first_line: int


def record_ranges(
    stream: BinaryIO, size: int, max_bytes: int, delimiter: str | None, n_header_lines: int = 0
) -> Iterator[ByteRange]:
    r"""Cut a file in an encoding that is compatible with ASCII at ends of records.

    A range is yielded as soon as its end is known. It ends with the first record that reaches
    ``max_bytes``. If a quote is found that neither begins nor ends a field, or a ``\r`` without
    ``\n``, then the file is not cut any more, and the rest is one range.

    Parameters
    ----------
    stream : binary file
        The file, at its beginning.
    size : int
        The number of bytes to read.
    max_bytes : int
        The size of a range.
    delimiter : str or None
        The separator of fields if fields in double quotes may contain line ends; otherwise None,
        and every line end is the end of a record.
    n_header_lines : int
        The number of lines that belong to the first range in any case.

    Yields
    ------
    ByteRange
        The ranges in order; together they are the file.
    """
    start, first_line = 0, 1
    # The position of the current chunk and its number of lines before.
    position, n_lines = 0, 0
    in_quotes = False
    for chunk in _whole_lines(stream, size):
        if b"\r" in chunk and LONE_RETURN.search(chunk):
            break
        has_quotes = delimiter is not None and QUOTE in chunk
        if has_quotes:
            assert delimiter is not None
            text = chunk.removeprefix(BYTE_ORDER_MARK) if position == 0 else chunk
            if not _encloses_fields(text, in_quotes, delimiter.encode()):
                break
        ends = _RecordEnds(chunk, has_quotes, in_quotes)
        counted = 0
        while end := ends.next_end(start + max_bytes - position):
            n_lines += chunk.count(b"\n", counted, end)
            counted = end
            if n_lines >= n_header_lines:
                yield ByteRange(start, position + end, first_line)
                start, first_line = position + end, n_lines + 1
        n_lines += chunk.count(b"\n", counted)
        position += len(chunk)
        if has_quotes:
            in_quotes ^= chunk.count(QUOTE) % 2 == 1
    if start < size:
        yield ByteRange(start, size, first_line)


class _RecordEnds:
    """Finds the line ends of a chunk that are outside of quotes, each once and in order."""

    def __init__(self, chunk: bytes, has_quotes: bool, in_quotes: bool) -> None:
        self._chunk = chunk
        self._has_quotes = has_quotes
        self._in_quotes = in_quotes
        # What was looked at.
        self._position = 0

    def next_end(self, minimum: int) -> int:
        """Return the position after the next line end, at least a minimum; 0 if there is none."""
        chunk = self._chunk
        place = chunk.find(b"\n", max(self._position, minimum - 1))
        while place >= 0:
            if self._has_quotes:
                self._in_quotes ^= chunk.count(QUOTE, self._position, place) % 2 == 1
            self._position = place + 1
            if not self._in_quotes:
                return self._position
            closing_quote = chunk.find(QUOTE, self._position) if self._has_quotes else -1
            if closing_quote < 0:
                break
            place = chunk.find(b"\n", closing_quote)
        self._position = len(chunk)
        return 0


def _whole_lines(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Read chunks that end with a line feed, except the last one; stop at a line without end."""
    unfinished: list[bytes] = []
    n_unfinished = 0
    while size > 0 and (chunk := stream.read(min(CHUNK_BYTES, size))):
        size -= len(chunk)
        end = chunk.rfind(b"\n") + 1 if size > 0 else len(chunk)
        if end:
            yield b"".join([*unfinished, chunk[:end]])
            unfinished, n_unfinished = [], 0
        unfinished.append(chunk[end:])
        n_unfinished += len(chunk) - end
        if n_unfinished > LONGEST_LINE:
            return


def _encloses_fields(chunk: bytes, in_quotes: bool, delimiter: bytes) -> bool:
    """Return whether all quotes of whole lines enclose fields, or are doubled in such a field.

    Then a quote ends what the one before it has begun, as the csv module understands it too.
    """
    parts = chunk.split(QUOTE)
    outside = parts[in_quotes::2]
    # The first part follows a line end, and so does the next chunk the last part.
    before = outside if in_quotes else outside[1:]
    after = outside if len(parts) % 2 == in_quotes else outside[:-1]
    begins = {part[:1] for part in before} <= {b"", b"\n", b"\r", delimiter}
    return begins and {part[-1:] for part in after} <= {b"", b"\n", delimiter}
