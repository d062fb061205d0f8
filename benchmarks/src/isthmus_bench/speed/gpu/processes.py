"""Run a function in a new process, with a time limit."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any

from isthmus.kernels.dispatch import COMPILE_SETTING

__all__ = ["READY", "in_new_process"]

READY = "ready"
"""Sent before the work that the time limit is for; preparations before it have a longer one."""
# More than loading documents, imports and compilers need.
_PREPARATION_SECONDS = 180.0
Work = Callable[[Any, Callable[[Any], None]], None]


def in_new_process(
    work: Work, argument: Any, time_limit: float, preload: Sequence[str] = ()
) -> Iterator[Any]:
    """Call ``work(argument, send)`` in a new process and yield what it sends, except ``READY``.

    After ``READY`` the next message must arrive within ``time_limit`` seconds, or else the process
    is killed and TimeoutError is raised. An exception there, or a process that dies, raises
    RuntimeError. The modules of ``preload`` are imported once for all processes.
    """
    context: Any = multiprocessing.get_context(_start_method())
    if _start_method() == "forkserver":
        context.set_forkserver_preload(list(preload))
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(work, argument, sender), daemon=True)
    process.start()
    sender.close()
    try:
        yield from _messages(receiver, process, time_limit)
    finally:
        process.kill()
        process.join()
        receiver.close()


def _start_method() -> str:
    # A forked process needs no imports. The server itself never uses the GPU or threads.
    has_server = "forkserver" in multiprocessing.get_all_start_methods()
    return "forkserver" if has_server else "spawn"


def _messages(receiver: Connection, process: Any, time_limit: float) -> Iterator[Any]:
    limit = time_limit + _PREPARATION_SECONDS
    while True:
        if not receiver.poll(limit):
            raise TimeoutError(f"not done after {time_limit:g} seconds")
        try:
            kind, value = receiver.recv()
        except EOFError:
            process.join()
            raise RuntimeError(f"the process ended with status {process.exitcode}") from None
        if kind == "end":
            return
        if kind == "error":
            raise RuntimeError(value)
        is_ready = isinstance(value, str) and value == READY
        limit = time_limit if is_ready else time_limit + _PREPARATION_SECONDS
        if not is_ready:
            yield value


def _work(work: Work, argument: Any, sender: Connection) -> None:
    os.environ[COMPILE_SETTING] = "always"
    warnings.simplefilter("ignore")
    try:
        work(argument, lambda value: sender.send(("value", value)))
        sender.send(("end", None))
    except Exception as error:
        sender.send(("error", f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"))
