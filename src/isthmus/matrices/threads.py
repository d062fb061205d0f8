"""The thread limit and the thread pool."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()
_fixed_limit: ContextVar[int | None] = ContextVar("_fixed_limit", default=None)


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
        return [function(item) for item in items]
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
