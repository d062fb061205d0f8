"""Limits on what is read at a time and on the size of a document."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import Any

# The longest document. Without a limit, a small gzip file of zeros or a quote that is never closed
# would fill the memory.
MAX_CHARACTERS = 256 * 1024**2

CHUNK_BYTES = 64 * 1024

# The format and the encoding are recognised from this many bytes, the columns from this many rows
# or characters.
HEAD_BYTES = 64 * 1024
SAMPLE_ROWS = 100
SAMPLE_CHARACTERS = 4 * 1024**2


def first_rows(records: Generator[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the rows from which the columns are recognised."""
    rows: list[dict[str, Any]] = []
    size = 0
    with closing(records):
        for _, values in records:
            rows.append(values)
            size += sum(len(value) for value in values.values() if isinstance(value, str))
            if len(rows) >= SAMPLE_ROWS or size > SAMPLE_CHARACTERS:
                break
    return rows
