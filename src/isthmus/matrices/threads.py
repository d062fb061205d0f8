"""How many threads may be used, and the pool that they live in."""

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
_kept_limit: ContextVar[int | None] = ContextVar("_kept_limit", default=None)


def thread_limit() -> int:
    """Threads that may be used now.

    The cores of this process, less where the environment (``OMP_NUM_THREADS``,
    ``NUMBA_NUM_THREADS``) or threadpoolctl says so. joblib speaks through the same two, so that
    its workers share the cores instead of each taking all of them.
    """
    if (kept := _kept_limit.get()) is not None:
        return kept
    limits = [_cores()]
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "").split(",")[0].strip()
        if value.isdigit() and int(value) > 0:
            limits.append(int(value))
    # A library that was told nothing uses every core, so its own word changes nothing here.
    limits += [library["num_threads"] for library in _controller().info()]
    return max(1, min(limits))


@functools.cache
def _cores() -> int:
    from joblib import cpu_count

    return int(cpu_count())


@functools.cache
def _controller() -> Any:
    # Finding the libraries takes milliseconds, asking them microseconds.
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread() -> Any:
    """A context in which BLAS uses one thread, so that its sums have one order."""
    return _controller().limit(limits=1)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """The same, while our own loops, whose sums have one order anyway, keep their threads."""
    token = _kept_limit.set(thread_limit())
    try:
        with one_thread():
            yield
    finally:
        _kept_limit.reset(token)


def run_all(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Call a function for every item, on as many threads as are allowed; results in order."""
    threads = min(thread_limit(), len(items)) if len(items) > 1 else 1
    if threads == 1:
        return [function(item) for item in items]
    waiting: SimpleQueue[int] = SimpleQueue()
    for number in range(len(items)):
        waiting.put(number)
    results: dict[int, Result] = {}

    def work() -> None:
        with suppress(Empty):
            while True:
                number = waiting.get_nowait()
                results[number] = function(items[number])

    tasks = [_pool().submit(work) for _ in range(threads)]
    for task in tasks:
        task.result()
    return [results[number] for number in range(len(items))]


def _pool() -> ThreadPoolExecutor:
    """The one pool of this process: however many fits run side by side, it has a thread a core."""
    # A pool does not survive a fork: the child has the object but none of the threads.
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
