"""Rows cut into chunks that may run side by side.

The cut depends on the data alone and partial sums are added in the order of the chunks, so that
the answer is the same bits whatever the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Result = TypeVar("Result")
Range = tuple[int, int]

# A few milliseconds of work: less is not worth another accumulator and another thread.
_WORK_PER_CHUNK = 4_000_000
_MOST_CHUNKS = 16
# Accumulators of all chunks together may take this much, or half of what the matrix takes.
_ACCUMULATOR_BYTES = 64 * 2**20

_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def thread_limit() -> int:
    """Threads that may be used: the environment's word, else the cores of this process."""
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "")
        if value.isdigit() and int(value) > 0:
            return int(value)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def chunk_count(work: int, accumulator_bytes: int = 0, matrix_bytes: int = 0) -> int:
    """How many chunks a pass with ``work`` multiplications is cut into."""
    chunks = min(_MOST_CHUNKS, max(1, work // _WORK_PER_CHUNK))
    if accumulator_bytes and chunks > 2:
        budget = max(_ACCUMULATOR_BYTES, matrix_bytes // 2)
        chunks = max(2, min(chunks, budget // accumulator_bytes))
    return chunks


def cut_by_nonzeros(indptr: NDArray[np.integer[Any]], chunks: int) -> list[Range]:
    """Ranges of rows with about the same number of non-zeros each."""
    n_rows = len(indptr) - 1
    first, last = int(indptr[0]), int(indptr[-1])
    wanted = first + (last - first) * np.arange(1, chunks) / chunks
    borders = np.unique([0, *np.searchsorted(indptr, wanted), n_rows])
    return list(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True))


def cut_evenly(n_rows: int, chunks: int) -> list[Range]:
    """Ranges with the same number of rows each, as nearly as may be."""
    borders = np.unique(np.linspace(0, n_rows, chunks + 1).astype(int))
    return list(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True))


def run_chunks(function: Callable[[int, Range], Result], ranges: Sequence[Range]) -> list[Result]:
    """Call ``function(number, range)`` for every range, on as many threads as are allowed."""
    threads = min(thread_limit(), len(ranges))
    if threads <= 1:
        return [function(number, rows) for number, rows in enumerate(ranges)]
    # A pool does not survive a fork: the child has the object but none of the threads.
    key = (os.getpid(), threads)
    pool = _pools.get(key)
    if pool is None:
        pool = _pools[key] = ThreadPoolExecutor(threads, thread_name_prefix="isthmus")
    return list(pool.map(function, range(len(ranges)), ranges))


def add_up(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Sum of the chunks' accumulators, always in the same order, in place of the first."""
    total = parts[0]
    for part in parts[1:]:
        total += part
    return total
