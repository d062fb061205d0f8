"""Run a function in several processes."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from itertools import islice
from typing import Any, TypeVar

from isthmus.matrices.threads import thread_limit

Item = TypeVar("Item")
Result = TypeVar("Result")

# Items per process that are sent before the first result is taken.
_WAITING = 2
_SENDING_SECONDS = 5
_PARENT_CHECK_SECONDS = 1
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def map_in_processes(
    function: Callable[[Item], Result], items: Iterable[Item], n_processes: int | None = None
) -> Generator[Result]:
    """Yield ``function(item)`` for every item, in order; the processes end with the iteration.

    Function, items and results are pickled. Items are taken when a process is nearly idle, so that
    few of them wait. There are as many processes as cores by default, with one thread each. An
    error of a process is raised here.
    """
    # Its processes do not run the caller's script again, as those of the standard library do.
    from joblib.externals.loky import ProcessPoolExecutor

    n_processes = n_processes or thread_limit()
    pool = ProcessPoolExecutor(
        n_processes,
        env={**os.environ, **_ONE_THREAD},
        initializer=_prepare_process,
        initargs=(os.getpid(),),
    )
    running: deque[Any] = deque()
    try:
        remaining = iter(items)
        for item in islice(remaining, _WAITING * n_processes):
            running.append(pool.submit(function, item))
        while running:
            result = running[0].result()
            running.popleft()
            running.extend(pool.submit(function, item) for item in islice(remaining, 1))
            yield result
    except BaseException:
        _wait_until_sent(running)
        pool.shutdown(kill_workers=True)
        raise
    pool.shutdown(wait=False)


def _wait_until_sent(futures: Iterable[Any]) -> None:
    """Wait until a pool has sent all items, which it does at once.

    Otherwise its thread fails at the shutdown and prints a traceback.
    """
    end = time.monotonic() + _SENDING_SECONDS
    while not all(future.running() or future.done() for future in futures):
        if time.monotonic() > end:
            return
        time.sleep(0.001)


def _prepare_process(parent: int) -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the main process; end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.getppid() == parent:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process if its parent was killed: it would wait for work for ever."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)
