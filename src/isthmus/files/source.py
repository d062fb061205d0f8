"""The bytes of a file or a pipe, unpacked if they are gzip, and the type that they tell.

Types that contain no documents are refused.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Generator, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from isthmus.files import limits
from isthmus.files.errors import NAME_ENCODING, DocumentFileError, subject, unreadable

__all__ = [
    "GZIP_MAGIC",
    "JSON_SUFFIXES",
    "PARQUET_MAGIC",
    "PARQUET_SUFFIXES",
    "TAB_SUFFIXES",
    "FileSource",
    "PipeSource",
    "Source",
    "check_text",
    "find_source",
    "standard_input",
    "suffix_of",
    "text_format",
    "unpacked",
]

GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
PARQUET_SUFFIXES = {".parquet", ".pq"}
TAB_SUFFIXES = {".tsv", ".tab"}
JSON_SUFFIXES = {".jsonl", ".ndjson"}

UNPACK = "unpack it first"
EXPORT = "save the table as CSV"
PLAIN = "save its text as CSV, JSON Lines or plain text files"

# First bytes of the file, its type, what to do.
MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF-", "a PDF file", PLAIN),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Word file", EXPORT),
    (b"BZh", "a bzip2 file", UNPACK),
    (b"\xfd7zXZ\x00", "an xz file", UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd file", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"\x1f\x8b", "a gzip file packed twice", UNPACK),
    (b"SQLite format 3\x00", "an SQLite database", EXPORT),
    (b"ARROW1\x00\x00", "an Arrow file", "save the table as CSV or Parquet"),
)
ZIP_MAGIC = b"PK\x03\x04"
TAR_MAGIC, TAR_PLACE = b"ustar", 257


class Source(Protocol):
    """Bytes whose beginning can be inspected before they are read."""

    @property
    def name(self) -> str:
        """The file name used in messages."""

    @property
    def suffix(self) -> str:
        """The last suffix of the name in lower case; a final ``.gz`` does not count."""

    def chunks(self) -> Generator[bytes]:
        """Read from the beginning, unpacked; close it if not everything is read."""

    def head(self) -> bytes:
        """Return the first bytes, unpacked."""

    def look_ahead(self) -> None:
        """Keep what is read from now on, so that the beginning can be read several times."""

    def settle(self) -> None:
        """End the inspection: the next pass reads everything."""

    def fraction_read(self) -> float | None:
        """Return how much of the file the current pass has read, or None if that is unknown."""

    def close(self) -> None:
        """Close the file, even if a pass has not reached its end."""


class _LookAhead:
    """A stream of chunks whose beginning can be read several times."""

    def __init__(self, chunks: Generator[bytes]) -> None:
        self._chunks = chunks
        self._kept: list[bytes] = []

    def look(self) -> Generator[bytes]:
        """Read from the beginning, and keep what is read."""
        position = 0
        while True:
            if position == len(self._kept):
                chunk = next(self._chunks, None)
                if chunk is None:
                    return
                self._kept.append(chunk)
            yield self._kept[position]
            position += 1

    def take(self) -> Iterator[bytes]:
        """Return all chunks from the beginning, and keep nothing."""
        kept, self._kept = self._kept, []
        return chain(kept, self._chunks)

    def close(self) -> None:
        """End the stream of chunks."""
        self._chunks.close()


class FileSource:
    """A regular file.

    Between :meth:`look_ahead` and the end of the first pass it stays open, so that inspecting and
    reading it takes one opening. Every other pass opens it again. A pass closes its file when it
    ends, fails or is closed, and :meth:`close` closes the files of all passes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = f"'{path}'"
        self.suffix = suffix_of(path)
        self._first_pass: _LookAhead | None = None
        self._is_looking = False
        self._open_streams: list[Any] = []
        self._stream: Any = None
        self._size = 0

    def chunks(self) -> Generator[bytes]:
        """Read from the beginning, unpacked; close it if not everything is read."""
        if self._first_pass is None:
            yield from self._open()
        elif self._is_looking:
            yield from self._first_pass.look()
        else:
            first_pass, self._first_pass = self._first_pass, None
            with contextlib.closing(first_pass):
                yield from first_pass.take()

    def head(self) -> bytes:
        """Return the first bytes, unpacked."""
        return _first_bytes(self.chunks())

    def starts_with(self, magic: bytes) -> bool:
        """Return whether the file itself, not unpacked, starts with some bytes."""
        with open(self.path, "rb") as stream:
            return stream.read(len(magic)) == magic

    def look_ahead(self) -> None:
        """Keep what is read from now on, so that the beginning can be read several times."""
        self._first_pass = _LookAhead(self._open())
        self._is_looking = True

    def settle(self) -> None:
        """End the inspection: the next pass reads the whole file."""
        self._is_looking = False

    def fraction_read(self) -> float | None:
        """Return how much of the file the current pass has read, packed bytes if it is gzip."""
        if self._stream is None or self._stream.closed or not self._size:
            return None
        return min(1.0, self._stream.tell() / self._size)

    def close(self) -> None:
        """Close the file, even if a pass has not reached its end."""
        self._first_pass = None
        self._is_looking = False
        while self._open_streams:
            self._open_streams.pop().close()

    def _open(self) -> Generator[bytes]:
        try:
            stream = open(self.path, "rb", buffering=0)  # noqa: SIM115 -- closed by the pass
        except OSError as error:
            raise unreadable(self.name, error) from error
        self._open_streams = [other for other in self._open_streams if not other.closed]
        self._open_streams.append(stream)
        self._stream, self._size = stream, os.fstat(stream.fileno()).st_size
        # A generator that refers to this object would be part of a reference cycle, and a file
        # that is not read would stay open until the cycle is collected.
        return unpacked(stream, self.name, close=True)


class PipeSource:
    """Standard input or a named pipe, which can be read once."""

    def __init__(
        self,
        chunks: Generator[bytes],
        name: str,
        suffix: str = "",
        close_stream: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self.suffix = suffix
        self._close_stream = close_stream
        self._only_pass = _LookAhead(chunks)
        self._is_looking = True
        self._is_taken = False

    def chunks(self) -> Generator[bytes]:
        """Read from the beginning, unpacked; after :meth:`settle` only one time."""
        if self._is_looking:
            yield from self._only_pass.look()
            return
        if self._is_taken:
            raise DocumentFileError(
                f"{subject(self.name)} can be read only once, and it was: save it to a file and "
                "name that."
            )
        self._is_taken = True
        with contextlib.closing(self):
            yield from self._only_pass.take()

    def head(self) -> bytes:
        """Return the first bytes, unpacked."""
        return _first_bytes(self.chunks())

    def look_ahead(self) -> None:
        """Do nothing: a pipe is inspected until :meth:`settle` is called."""

    def settle(self) -> None:
        """End the inspection: the next pass is the only one."""
        self._is_looking = False

    def fraction_read(self) -> float | None:
        """Return None: the length of a pipe is unknown."""
        return None

    def close(self) -> None:
        """Close the pipe; standard input stays open."""
        self._close_stream()


def find_source(path: Path, mode: int) -> FileSource | PipeSource:
    """Return the bytes of a path; anything but a regular file is read as a pipe.

    So ``isthmus … <(zcat part*.gz)`` and ``/dev/stdin`` work like ``-``.
    """
    if stat.S_ISREG(mode):
        return FileSource(path)
    name = f"the pipe '{path}'"
    try:
        stream = open(path, "rb", buffering=0)  # noqa: SIM115 -- the source closes it
    except OSError as error:
        raise unreadable(name, error) from error
    return PipeSource(unpacked(stream, name), name, suffix_of(path), stream.close)


def standard_input() -> PipeSource:
    """Return the bytes of standard input."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise DocumentFileError("There is no standard input to read: name a file.")
    return PipeSource(unpacked(stream, "standard input"), "standard input")


def suffix_of(path: Path) -> str:
    """Return the last suffix of a name in lower case; a final ``.gz`` does not count."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _first_bytes(chunks: Generator[bytes]) -> bytes:
    head = b""
    with contextlib.closing(chunks):
        for chunk in chunks:
            head += chunk
            # One whole line is enough: waiting for more would delay a slow pipe.
            if len(head) >= limits.HEAD_BYTES or b"\n" in head:
                break
    return head[: limits.HEAD_BYTES]


def unpacked(stream: Any, name: str, *, close: bool = False) -> Generator[bytes]:
    """Read a binary file from its beginning, unpacked if it is gzip; ``close`` it afterwards."""
    total = 0
    try:
        with stream if close else contextlib.nullcontext():
            first = b""
            while len(first) < len(GZIP_MAGIC) and (part := _read_some(stream, limits.CHUNK_BYTES)):
                first += part
            source: Any = stream
            if first.startswith(GZIP_MAGIC):
                packed: Any = _Rewound(first, stream)
                source = gzip.GzipFile(fileobj=packed, mode="rb")
            elif first:
                yield first
            while chunk := _read_some(source, limits.CHUNK_BYTES):
                total += len(chunk)
                yield chunk
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DocumentFileError(
            f"{subject(name)} is damaged or cut off, its gzip data end after {total} unpacked "
            "bytes: copy it again."
        ) from error
    except OSError as error:
        raise unreadable(name, error) from error


class _Rewound:
    """A stream that returns its first bytes again."""

    def __init__(self, first: bytes, stream: Any) -> None:
        self._first = first
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        if self._first:
            size = len(self._first) if size < 0 else size
            part, self._first = self._first[:size], self._first[size:]
            return part
        return _read_some(self._stream, size)


def _read_some(stream: Any, size: int) -> bytes:
    """Read what is available, at most ``size`` bytes, without waiting for a slow pipe."""
    part = stream.read1(size) if hasattr(stream, "read1") else stream.read(size)
    return part or b""


def check_text(head: bytes, encoding: str, suffix: str, name: str) -> None:
    """Raise DocumentFileError if a file cannot be read as text."""
    known_type = _known_type(head, suffix)
    if known_type is not None:
        kind, remedy = known_type
        raise DocumentFileError(f"{subject(name)} is {kind}: {remedy}.")
    if _is_binary(head, encoding):
        raise DocumentFileError(
            f"{subject(name)} is binary, it contains a zero byte near its beginning: {PLAIN}; if "
            f"it is UTF-16 text, {NAME_ENCODING}."
        )


def text_format(head: str, suffix: str, name: str) -> str:
    """Return ``"jsonl"``, ``"tsv"`` or ``"csv"``.

    The suffix decides; if it is not a known one, a file that begins with a brace is JSON Lines.
    """
    if suffix in TAB_SUFFIXES:
        return "tsv"
    if suffix == ".csv":
        return "csv"
    start = head.lstrip()
    is_json = suffix in JSON_SUFFIXES or suffix == ".json"
    if re.match(r"\[\s*(\{|$)", start) or (is_json and start.startswith("[")):
        raise DocumentFileError(
            f"{subject(name)} contains one JSON array: write it as JSON Lines, one object per line "
            "without the brackets and the commas between them."
        )
    return "jsonl" if is_json or start.startswith("{") else "csv"


def _known_type(head: bytes, suffix: str) -> tuple[str, str] | None:
    if head.startswith(ZIP_MAGIC):
        if suffix in {".xlsx", ".xlsm", ".ods"}:
            return "an Excel or other spreadsheet", EXPORT
        if suffix in {".docx", ".odt"}:
            return "a word processor's document", PLAIN
        return "a zip archive or an Excel workbook", f"{UNPACK}, or {EXPORT}"
    for magic, kind, remedy in MAGIC:
        # "BZh" alone might begin a text.
        if head.startswith(magic) and (magic != b"BZh" or head[4:10] == b"1AY&SY"):
            return kind, remedy
    if head.startswith(PARQUET_MAGIC):
        return "a Parquet file", "give it without gzip and not through a pipe"
    if head[TAR_PLACE : TAR_PLACE + len(TAR_MAGIC)] == TAR_MAGIC:
        return "a tar archive", UNPACK
    return None


def _is_binary(head: bytes, encoding: str) -> bool:
    """Return whether a file is binary; a text may contain a zero character too, but rarely does."""
    if encoding.startswith(("utf-16", "utf-32")) or b"\x00" not in head:
        return False
    if b"\x00" in head.partition(b"\n")[0]:
        return True
    try:
        head.decode(encoding)
    except UnicodeDecodeError as error:
        # The head may end within a character.
        return error.end < len(head)
    return False
