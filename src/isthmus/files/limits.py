"""How much of a file is read at a time, and how much of it may be one document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# A line, a record or a file of a folder beyond this is no document: without a limit a small
# gzip file of zeros, or one quote that is never closed, would fill the memory.
MAX_CHARACTERS = 256 * 1024**2

CHUNK_BYTES = 64 * 1024

# The format and the encoding are recognised by so many bytes, the columns by so many rows; long
# documents end the look at the rows sooner.
HEAD_BYTES = 64 * 1024
SAMPLE_ROWS = 100
SAMPLE_CHARACTERS = 4 * 1024**2


def first_rows(records: Iterable[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the rows that a first look at a file takes."""
    rows: list[dict[str, Any]] = []
    size = 0
    for _, values in records:
        rows.append(values)
        size += sum(len(value) for value in values.values() if isinstance(value, str))
        if len(rows) >= SAMPLE_ROWS or size > SAMPLE_CHARACTERS:
            break
    return rows
