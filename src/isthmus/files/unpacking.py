"""Unpack bytes that are gzip."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Generator
from typing import Any

from isthmus.files import limits
from isthmus.files.errors import DocumentFileError, subject, unreadable

__all__ = ["GZIP_MAGIC", "unpacked"]

GZIP_MAGIC = b"\x1f\x8b"


def unpacked(stream: Any, name: str) -> Generator[bytes]:
    """Read a binary file from its beginning, unpacked if it is gzip."""
    total = 0
    try:
        first = b""
        while len(first) < len(GZIP_MAGIC) and (part := _read_some(stream, limits.CHUNK_BYTES)):
            first += part
        source: Any = _Rewound(first, stream)
        if first.startswith(GZIP_MAGIC):
            source = gzip.GzipFile(fileobj=source, mode="rb")
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
