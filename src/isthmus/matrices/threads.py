"""The thread limit, the thread pool, and chunks of rows that can run in parallel.

If chunks have partial sums, the chunks depend only on the data, and the sums are added in the order
of the chunks. Results are therefore bit-identical for any number of threads.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import pairwise
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")
Result = TypeVar("Result")

_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()
_fixed_limit: ContextVar[int | None] = ContextVar("_fixed_limit", default=None)
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


def thread_limit() -> int:
    """Return the number of threads that may be used now.

    This is the number of available cores, or less if the environment (``OMP_NUM_THREADS``,
    ``NUMBA_NUM_THREADS``) or threadpoolctl limits it. joblib sets the same limits, so that its
    workers share the cores.
    """
    if (fixed := _fixed_limit.get()) is not None:
        return fixed
    limits = [_cores()]
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "").split(",")[0].strip()
        if value.isdigit() and int(value) > 0:
            limits.append(int(value))
    # A library without a limit reports all cores, which has no effect here.
    limits += [library["num_threads"] for library in _controller().info()]
    return max(1, min(limits))


@functools.cache
def _cores() -> int:
    from joblib import cpu_count

    return int(cpu_count())


@functools.cache
def _controller() -> Any:
    # Finding the libraries takes milliseconds, reading their limits microseconds.
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def limited_threads(limit: int) -> Iterator[None]:
    """Use this many threads for the loops of this package, whatever the environment says."""
    token = _fixed_limit.set(limit)
    try:
        yield
    finally:
        _fixed_limit.reset(token)


def one_thread() -> Any:
    """Return a context in which BLAS uses one thread, for a fixed order of sums."""
    return _controller().limit(limits=1)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Use one BLAS thread, while the loops of this package keep their threads."""
    token = _fixed_limit.set(thread_limit())
    try:
        with one_thread():
            yield
    finally:
        _fixed_limit.reset(token)


def run_all(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Call a function for every item in parallel; return the results in order."""
    threads = min(thread_limit(), len(items)) if len(items) > 1 else 1
    if threads == 1:
        return list(map(function, items))
    pending: SimpleQueue[int] = SimpleQueue()
    for number in range(len(items)):
        pending.put(number)
    results: dict[int, Result] = {}

    def work() -> None:
        with suppress(Empty):
            while True:
                number = pending.get_nowait()
                results[number] = function(items[number])

    tasks = [_pool().submit(work) for _ in range(threads)]
    for task in tasks:
        task.result()
    return [results[number] for number in range(len(items))]


def _pool() -> ThreadPoolExecutor:
    """Return the pool of this process, with one thread per core, shared by concurrent fits."""
    # A pool does not survive a fork: the child process has the object but not the threads.
    with _lock:
        if os.getpid() not in _pools:
            _pools[os.getpid()] = ThreadPoolExecutor(_cores(), thread_name_prefix="isthmus")
        return _pools[os.getpid()]


def _renew_lock() -> None:
    global _lock
    _lock = threading.Lock()


# The lock may be held by another thread at the moment of a fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


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
