"""The bytes of a file or of a pipe, unpacked where they are gzip."""

from __future__ import annotations

import gzip
import stat
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from isthmus.files import limits
from isthmus.files.errors import DocumentFileError, subject

__all__ = ["ByteSource", "FileSource", "PipeSource", "byte_source", "standard_input", "unreadable"]

GZIP_MAGIC = b"\x1f\x8b"


class ByteSource(Protocol):
    """Bytes that can be looked at first and read afterwards."""

    @property
    def name(self) -> str:
        """The file as messages call it."""

    @property
    def suffix(self) -> str:
        """The last suffix of the name, in lower case; a final ``.gz`` does not count."""

    def chunks(self) -> Iterator[bytes]:
        """Read from the beginning, unpacked."""

    def head(self) -> bytes:
        """Return the first bytes, unpacked."""

    def settle(self) -> None:
        """End the first look: the next pass is the real one."""


class FileSource:
    """A regular file; every pass opens it anew, so nothing stays open in between."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = f"'{path}'"
        self.suffix = _suffix(path)

    def chunks(self) -> Iterator[bytes]:
        """Read from the beginning, unpacked."""
        try:
            stream = open(self.path, "rb", buffering=0)  # noqa: SIM115 -- closed below
        except OSError as error:
            raise unreadable(self.name, error) from error
        yield from _closing(stream, self.name)

    def head(self) -> bytes:
        """Return the first bytes, unpacked."""
        return _first_bytes(self.chunks())

    def starts_with(self, magic: bytes) -> bool:
        """Tell whether the file itself, not unpacked, starts with some bytes."""
        with open(self.path, "rb") as stream:
            return stream.read(len(magic)) == magic

    def settle(self) -> None:
        """Do nothing: a file can be read as often as you like."""


class PipeSource:
    """Standard input or a named pipe: what the first look takes is kept for the only pass."""

    def __init__(self, live: Iterator[bytes], name: str, suffix: str = "") -> None:
        self.name = name
        self.suffix = suffix
        self._live = live
        self._kept: list[bytes] = []
        self._looking = True
        self._taken = False

    def chunks(self) -> Iterator[bytes]:
        """Read from the beginning, unpacked; once :meth:`settle` was called, only one time."""
        if self._looking:
            yield from self._look()
            return
        if self._taken:
            raise DocumentFileError(
                f"{subject(self.name)} can be read only once, and was: save it to a file and name "
                "that."
            )
        self._taken = True
        while self._kept:
            yield self._kept.pop(0)
        yield from self._live

    def head(self) -> bytes:
        """Return the first bytes, unpacked."""
        return _first_bytes(self.chunks())

    def settle(self) -> None:
        """End the first look: the next pass hands the bytes out for good."""
        self._looking = False

    def _look(self) -> Iterator[bytes]:
        position = 0
        while True:
            if position == len(self._kept):
                chunk = next(self._live, None)
                if chunk is None:
                    return
                self._kept.append(chunk)
            yield self._kept[position]
            position += 1


def byte_source(path: Path, mode: int) -> FileSource | PipeSource:
    """Return the bytes of a path; what is no regular file is read as a pipe.

    So ``isthmus … <(zcat part*.gz)`` and ``/dev/stdin`` work like ``-``.
    """
    if stat.S_ISREG(mode):
        return FileSource(path)
    name = f"the pipe '{path}'"
    try:
        stream = open(path, "rb", buffering=0)  # noqa: SIM115 -- closed at its end
    except OSError as error:
        raise unreadable(name, error) from error
    return PipeSource(_closing(stream, name), name, _suffix(path))


def standard_input() -> PipeSource:
    """Return the bytes of standard input."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise DocumentFileError("There is no standard input to read: name a file.")
    return PipeSource(_unpacked(stream, "standard input"), "standard input")


def unreadable(name: str, error: OSError) -> DocumentFileError:
    """Put an error of the operating system into one sentence about a file."""
    if isinstance(error, FileNotFoundError):
        return DocumentFileError(f"There is no file or folder {name}: check the name.")
    if isinstance(error, PermissionError):
        remedy = "change its permissions or make a copy"
    else:
        remedy = "check the disk and the name, or make a copy"
    return DocumentFileError(f"Cannot read {name} ({error.strerror or error}): {remedy}.")


def _suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _first_bytes(chunks: Iterator[bytes]) -> bytes:
    head = b""
    for chunk in chunks:
        head += chunk
        # A whole line is enough: waiting for more would hold up a slow pipe.
        if len(head) >= limits.HEAD_BYTES or b"\n" in head:
            break
    return head[: limits.HEAD_BYTES]


class _GivenBack:
    """A stream whose first bytes were looked at and given back."""

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
    """Read what is there, at most so many bytes: a pipe must not be waited for."""
    part = stream.read1(size) if hasattr(stream, "read1") else stream.read(size)
    return part or b""


def _closing(stream: Any, name: str) -> Iterator[bytes]:
    with stream:
        yield from _unpacked(stream, name)


def _unpacked(stream: Any, name: str) -> Iterator[bytes]:
    total = 0
    try:
        first = b""
        while len(first) < len(GZIP_MAGIC) and (part := _read_some(stream, limits.CHUNK_BYTES)):
            first += part
        source: Any = _GivenBack(first, stream)
        if first.startswith(GZIP_MAGIC):
            source = gzip.GzipFile(fileobj=source, mode="rb")
        while chunk := _read_some(source, limits.CHUNK_BYTES):
            total += len(chunk)
            yield chunk
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DocumentFileError(
            f"{subject(name)} is damaged or cut off, its gzip data end after {total} unpacked "
            "bytes: copy or make it again."
        ) from error
    except OSError as error:
        raise unreadable(name, error) from error
