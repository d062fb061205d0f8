"""How many threads may be used, and the pool that they live in."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def thread_limit() -> int:
    """Threads that may be used now.

    The cores of this process, less where the environment (``OMP_NUM_THREADS``,
    ``NUMBA_NUM_THREADS``) or threadpoolctl says so. joblib speaks through the same two, so that
    its workers share the cores instead of each taking all of them.
    """
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


def run_all(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Call a function for every item, on as many threads as are allowed; results in order."""
    threads = min(thread_limit(), len(items)) if len(items) > 1 else 1
    if threads == 1:
        return [function(item) for item in items]
    # A pool does not survive a fork: the child has the object but none of the threads.
    key = (os.getpid(), threads)
    pool = _pools.get(key)
    if pool is None:
        pool = _pools[key] = ThreadPoolExecutor(threads, thread_name_prefix="isthmus")
    return list(pool.map(function, items))
