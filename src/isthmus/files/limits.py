"""Limits on what is read at a time and on the size of a document."""

from __future__ import annotations

# The longest document. Without a limit, a small gzip file of zeros or a quote that is never closed
# would fill the memory.
MAX_CHARACTERS = 256 * 1024**2

CHUNK_BYTES = 128 * 1024

# The format and the encoding are recognized from this many bytes.
HEAD_BYTES = 64 * 1024

# The columns are recognized from this many rows or characters.
SAMPLE_ROWS = 100
SAMPLE_CHARACTERS = 4 * 1024**2
