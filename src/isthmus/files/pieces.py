"""Pieces of a file that other processes can read."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from isthmus.files import limits
from isthmus.files.decoding import is_ascii_compatible
from isthmus.files.errors import DocumentFileError, unreadable
from isthmus.files.record_ranges import ByteRange, record_ranges
from isthmus.files.records import Records
from isthmus.files.source import ByteSource, FileSource
from isthmus.files.unpacking import GZIP_MAGIC, unpacked

__all__ = ["FileStamp", "Piece", "TextLayout", "text_pieces"]


class Piece(Protocol):
    """Some consecutive records of a file; it can be pickled and read alone."""

    @property
    def path(self) -> Path:
        """The file or folder."""

    @property
    def n_bytes(self) -> int:
        """About the number of bytes to read."""

    def records(self) -> Generator[Records]:
        """Read the records in blocks; every call starts from the beginning."""


class TextLayout(Protocol):
    """How the lines of a text file are read; it can be pickled."""

    @property
    def name(self) -> str:
        """The file name used in messages."""

    @property
    def encoding(self) -> str:
        """Its encoding."""

    @property
    def enclosing_delimiter(self) -> str | None:
        """The delimiter if a field in quotes may contain line ends, otherwise None."""

    @property
    def n_header_lines(self) -> int:
        """The number of lines to the end of the header."""

    def records(self, chunks: Iterable[bytes], first_line: int = 1) -> Iterator[Records]:
        """Read the records of a file, or of what follows the end of one of its records."""


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
class TextPiece:
    """A range of bytes of a text file, or a whole file that may be packed with gzip."""

    path: Path
    stamp: FileStamp
    range: ByteRange
    layout: TextLayout

    @property
    def n_bytes(self) -> int:
        """The number of bytes to read, packed ones if the file is gzip."""
        return self.range.end - self.range.start

    def records(self) -> Generator[Records]:
        """Read the records in blocks; every call starts from the beginning."""
        with closing(self._chunks()) as chunks:
            yield from self.layout.records(chunks, self.range.first_line)

    def _chunks(self) -> Generator[bytes]:
        name = self.layout.name
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


def text_pieces(
    source: ByteSource, layout: TextLayout, max_bytes: int
) -> Iterator[TextPiece] | None:
    """Return pieces of about ``max_bytes`` of a text file; None if it can be read only once.

    The file is scanned while the pieces are taken. It is one piece if it is packed with gzip, or
    if its encoding does not permit to find line ends in bytes.
    """
    if not isinstance(source, FileSource):
        return None
    return _text_pieces(source.path, layout, max_bytes)


def _text_pieces(path: Path, layout: TextLayout, max_bytes: int) -> Iterator[TextPiece]:
    try:
        with open(path, "rb") as stream:
            stamp = FileStamp.of(stream.fileno(), layout.name)
            is_packed = stream.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            stream.seek(0)
            ranges: Iterable[ByteRange] = [ByteRange(0, stamp.size, 1)]
            if stamp.size > max_bytes and not is_packed and is_ascii_compatible(layout.encoding):
                ranges = record_ranges(
                    *(stream, stamp.size, max_bytes),
                    *(layout.enclosing_delimiter, layout.n_header_lines),
                )
            for byte_range in ranges:
                # Another process may run in another folder.
                yield TextPiece(path.absolute(), stamp, byte_range, layout)
    except OSError as error:
        raise unreadable(layout.name, error) from error


def _changed(name: str) -> DocumentFileError:
    return DocumentFileError(
        f"The file {name} changed while it was read: run the command again, and do not change the "
        "file meanwhile."
    )
