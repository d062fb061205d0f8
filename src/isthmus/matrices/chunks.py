"""Rows cut into chunks that may run side by side.

Where chunks have partial sums, the cut depends on the data alone and the sums are added in the
order of the chunks, so that the answer is the same bits whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Range = tuple[int, int]

# Multiplications of a chunk, some tenths of a millisecond: less is not worth another thread.
_WORK_PER_CHUNK = 500_000
_MOST_CHUNKS = 64
# A chunk must hold so many non-zeros for every row of its accumulator: filling it with zeros and
# adding it up are small beside them.
_NONZEROS_PER_ROW = 4
_MOST_ACCUMULATORS = 16
# Accumulators of all chunks together may take this much, or a quarter of what the matrix takes.
_ACCUMULATOR_BYTES = 32 * 2**20
# Entries of a matrix that are looked at to find out how often the terms occur.
_SAMPLE = 100_000


def chunk_count(work: int) -> int:
    """How many chunks a pass with ``work`` multiplications is cut into."""
    return min(_MOST_CHUNKS, max(1, work // _WORK_PER_CHUNK))


def accumulator_count(
    work: int, nonzeros: int, n_terms: int, accumulator_bytes: int, matrix_bytes: int
) -> int:
    """The same where every chunk has an accumulator with a row a term.

    A power of two, so that two, four or eight threads have the same number of them to do.
    """
    worth_it = nonzeros // (_NONZEROS_PER_ROW * max(1, n_terms))
    fitting = max(_ACCUMULATOR_BYTES, matrix_bytes // 4) // max(1, accumulator_bytes)
    most = max(1, min(chunk_count(work), worth_it, fitting, _MOST_ACCUMULATORS))
    return 1 << (most.bit_length() - 1)


def cut_by_nonzeros(indptr: NDArray[np.integer[Any]], chunks: int) -> list[Range]:
    """Ranges of rows with about the same number of non-zeros each."""
    n_rows = len(indptr) - 1
    if chunks <= 1:
        return [(0, n_rows)] if n_rows else []
    first, last = int(indptr[0]), int(indptr[-1])
    wanted = first + (last - first) * np.arange(1, chunks) / chunks
    borders = np.unique([0, *np.searchsorted(indptr, wanted), n_rows])
    return list(pairwise(borders.tolist()))


def cut_evenly(n_rows: int, chunks: int) -> list[Range]:
    """Ranges with the same number of rows each, as nearly as may be."""
    borders = [n_rows * number // chunks for number in range(chunks + 1)]
    return [(start, stop) for start, stop in pairwise(borders) if stop > start]


def cut_terms(indices: NDArray[np.integer[Any]], n_terms: int, chunks: int) -> list[Range]:
    """Ranges of terms that occur about as often each, judged by some of the entries."""
    if chunks <= 1:
        return [(0, n_terms)]
    seen = indices[:: max(1, len(indices) // _SAMPLE)]
    use = np.cumsum(np.bincount(seen, minlength=n_terms))
    wanted = use[-1] * np.arange(1, chunks) / chunks
    borders = np.unique([0, *np.searchsorted(use, wanted), n_terms])
    return list(pairwise(borders.tolist()))


def add_up(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Sum of the chunks' accumulators, always in the same order, in place of the first."""
    total = parts[0]
    for part in parts[1:]:
        total += part
    return total
