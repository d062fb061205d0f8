"""Text files as tables, whole or in shards."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from isthmus.files import limits
from isthmus.files.blocks import Block, Shard, Table
from isthmus.files.decoding import is_ascii_compatible
from isthmus.files.errors import DocumentFileError, unreadable
from isthmus.files.record_ranges import ByteRange, record_ranges
from isthmus.files.source import GZIP_MAGIC, FileSource, PipeSource, Source, unpacked

__all__ = ["FileStamp", "Parser", "TextTable"]


class Parser(Protocol):
    """Turns the bytes of a text file to blocks of records; it can be pickled."""

    @property
    def name(self) -> str:
        """The file name used in messages."""

    @property
    def format(self) -> str:
        """The name of the format."""

    @property
    def encoding(self) -> str:
        """Its encoding."""

    @property
    def enclosing_delimiter(self) -> str | None:
        """The delimiter if a field in quotes may contain line ends, otherwise None."""

    @property
    def n_header_lines(self) -> int:
        """The number of lines to the end of the header."""

    def blocks(self, chunks: Generator[bytes], first_line: int = 1) -> Generator[Block]:
        """Read the records of a file, or of what follows the end of one of them, and close it."""


class TextTable(Table):
    """A text file with one record after the other: CSV, TSV or JSON Lines.

    Parameters
    ----------
    source : Source
        The file.
    parser : Parser
        How its lines are read.
    columns : tuple of str
        Its columns.
    """

    def __init__(self, source: Source, parser: Parser, columns: tuple[str, ...]) -> None:
        self.name, self.format, self.columns = parser.name, parser.format, columns
        self._source, self._parser = source, parser
        self.can_be_read_again = not isinstance(source, PipeSource)

    @property
    def n_bytes(self) -> int:
        """The size on the disk; 0 for a pipe."""
        return self._source.path.stat().st_size if isinstance(self._source, FileSource) else 0

    def blocks(self) -> Generator[Block]:
        """Read the records; every call starts from the beginning."""
        return self._parser.blocks(self._source.chunks())

    def settle(self) -> None:
        """End the inspection: the next pass reads the whole file."""
        self._source.settle()

    def fraction_read(self) -> float | None:
        """Return how much of the file the current pass has read, or None if that is unknown."""
        return self._source.fraction_read()

    def close(self) -> None:
        """Close the file, even if a pass has not reached its end."""
        self._source.close()

    def shards(self, max_bytes: int) -> Iterator[Shard] | None:
        """Return shards of about ``max_bytes``; None if the file can be read only once.

        The file is scanned while the shards are taken. It is one shard if it is packed with gzip,
        or if its encoding does not permit to find line ends in bytes.
        """
        if not isinstance(self._source, FileSource):
            return None
        return _shards(self._source.path, self._parser, max_bytes)


@dataclass(frozen=True)
class FileStamp:
    """Tells whether a file has changed."""

    size: int
    mtime_ns: int

    @classmethod
    def of(cls, file: Path | int, name: str) -> FileStamp:
        """Return the stamp of a file, given by its path or as an open file, as it is now."""
        try:
            status = os.stat(file)
        except OSError as error:
            raise unreadable(name, error) from error
        return cls(status.st_size, status.st_mtime_ns)

    def check(self, file: Path | int, name: str) -> None:
        """Raise DocumentFileError if the file has changed."""
        if FileStamp.of(file, name) != self:
            raise _changed(name)


@dataclass(frozen=True)
class _TextShard:
    """A range of bytes of a text file, or a whole file that may be packed with gzip."""

    path: Path
    stamp: FileStamp
    range: ByteRange
    parser: Parser

    @property
    def n_bytes(self) -> int:
        """The number of bytes to read, packed ones if the file is gzip."""
        return self.range.end - self.range.start

    def blocks(self) -> Generator[Block]:
        """Read the records; every call starts from the beginning."""
        return self.parser.blocks(self._chunks(), self.range.first_line)

    def _chunks(self) -> Generator[bytes]:
        name = self.parser.name
        try:
            with open(self.path, "rb", buffering=0) as stream:
                self.stamp.check(stream.fileno(), name)
                if self.n_bytes == self.stamp.size:
                    yield from unpacked(stream, name)
                    return
                stream.seek(self.range.start)
                n_left = self.n_bytes
                while n_left:
                    chunk = stream.read(min(limits.CHUNK_BYTES, n_left))
                    if not chunk:
                        raise _changed(name)
                    n_left -= len(chunk)
                    yield chunk
        except OSError as error:
            raise unreadable(name, error) from error


def _shards(path: Path, parser: Parser, max_bytes: int) -> Iterator[Shard]:
    try:
        with open(path, "rb") as stream:
            stamp = FileStamp.of(stream.fileno(), parser.name)
            is_packed = stream.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            stream.seek(0)
            ranges: Iterable[ByteRange] = [ByteRange(0, stamp.size, 1)]
            if stamp.size > max_bytes and not is_packed and is_ascii_compatible(parser.encoding):
                ranges = record_ranges(
                    *(stream, stamp.size, max_bytes),
                    *(parser.enclosing_delimiter, parser.n_header_lines),
                )
            for byte_range in ranges:
                # Another process may run in another folder.
                yield _TextShard(path.absolute(), stamp, byte_range, parser)
    except OSError as error:
        raise unreadable(parser.name, error) from error


def _changed(name: str) -> DocumentFileError:
    return DocumentFileError(
        f"The file {name} changed while it was read: run the command again, and do not change the "
        "file meanwhile."
    )
