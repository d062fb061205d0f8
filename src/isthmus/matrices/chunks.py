"""Split rows into chunks that can run in parallel.

If chunks have partial sums, the chunks depend only on the data, and the sums are added in the order
of the chunks. Results are therefore bit-identical for any number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Range = tuple[int, int]

# Multiplications per chunk, some tenths of a millisecond: less is not worth another thread.
_WORK_PER_CHUNK = 500_000
_MAX_CHUNKS = 64
# Minimum non-zeros of a chunk per row of its accumulator, so that the time of clearing and adding
# the accumulator is negligible.
_NONZEROS_PER_ROW = 4
_MAX_ACCUMULATORS = 16
# Limit on the memory of all accumulators; a quarter of the memory of the matrix if that is more.
_ACCUMULATOR_BYTES = 32 * 2**20
_is_split: ContextVar[bool] = ContextVar("_is_split", default=False)
# Number of entries that are sampled to estimate the frequencies of the terms.
_SAMPLE = 100_000


@contextmanager
def whole_operations() -> Iterator[None]:
    """Do not split operations inside a ``with`` statement: the caller has split the rows."""
    token = _is_split.set(True)
    try:
        yield
    finally:
        _is_split.reset(token)


def chunk_count(work: int) -> int:
    """Return the number of chunks of an operation with ``work`` multiplications."""
    if _is_split.get():
        return 1
    return min(_MAX_CHUNKS, max(1, work // _WORK_PER_CHUNK))


def accumulator_count(
    work: int, nonzeros: int, n_terms: int, accumulator_bytes: int, matrix_bytes: int
) -> int:
    """Return the number of chunks if every chunk has an accumulator with one row per term.

    It is a power of two, so that two, four or eight threads have equal work.
    """
    worthwhile = nonzeros // (_NONZEROS_PER_ROW * max(1, n_terms))
    fitting = max(_ACCUMULATOR_BYTES, matrix_bytes // 4) // max(1, accumulator_bytes)
    n_chunks = max(1, min(chunk_count(work), worthwhile, fitting, _MAX_ACCUMULATORS))
    return 1 << (n_chunks.bit_length() - 1)


def cut_by_nonzeros(indptr: NDArray[np.integer[Any]], chunks: int) -> list[Range]:
    """Return ranges of rows with about the same number of non-zeros."""
    n_rows = len(indptr) - 1
    if chunks <= 1:
        return [(0, n_rows)] if n_rows else []
    first, last = int(indptr[0]), int(indptr[-1])
    ideal = first + (last - first) * np.arange(1, chunks) / chunks
    bounds = np.unique([0, *np.searchsorted(indptr, ideal), n_rows])
    return list(pairwise(bounds.tolist()))


def cut_evenly(n_rows: int, chunks: int) -> list[Range]:
    """Return ranges with about the same number of rows."""
    bounds = [n_rows * number // chunks for number in range(chunks + 1)]
    return [(start, stop) for start, stop in pairwise(bounds) if stop > start]


def cut_terms(indices: NDArray[np.integer[Any]], n_terms: int, chunks: int) -> list[Range]:
    """Return ranges of terms with about the same number of entries, estimated from a sample."""
    if chunks <= 1:
        return [(0, n_terms)]
    sample = indices[:: max(1, len(indices) // _SAMPLE)]
    cumulated = np.cumsum(np.bincount(sample, minlength=n_terms))
    ideal = cumulated[-1] * np.arange(1, chunks) / chunks
    bounds = np.unique([0, *np.searchsorted(cumulated, ideal), n_terms])
    return list(pairwise(bounds.tolist()))


def add_up(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return the sum of the accumulators in a fixed order; the first is overwritten."""
    total = parts[0]
    for part in parts[1:]:
        total += part
    return total
