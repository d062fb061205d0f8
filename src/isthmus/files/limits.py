"""Limits on what is read at a time and on the size of a document."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isthmus.files.records import Records

# The longest document. Without a limit, a small gzip file of zeros or a quote that is never closed
# would fill the memory.
MAX_CHARACTERS = 256 * 1024**2

CHUNK_BYTES = 128 * 1024

# The format and the encoding are recognized from this many bytes, the columns from this many rows
# or characters.
HEAD_BYTES = 64 * 1024
SAMPLE_ROWS = 100
SAMPLE_CHARACTERS = 4 * 1024**2


def first_rows(blocks: Generator[Records]) -> list[dict[str, Any]]:
    """Return the rows from which the columns are recognized."""
    rows: list[dict[str, Any]] = []
    size = 0
    with closing(blocks):
        for values in chain.from_iterable(records.rows() for records in blocks):
            rows.append(values)
            size += sum(len(value) for value in values.values() if isinstance(value, str))
            if len(rows) >= SAMPLE_ROWS or size > SAMPLE_CHARACTERS:
                break
    return rows
