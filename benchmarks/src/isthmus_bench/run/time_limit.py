"""Stop a fit that takes too long."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["TimeExceededError", "time_limit"]


# A finalizer or a callback of compiled code may have caught the first alarm.
_REPEAT = 5.0


class TimeExceededError(BaseException):
    """A fit exceeded its time limit; not an ``Exception``, which a library might catch."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise TimeExceededError in the block after this many CPU seconds; None for no limit.

    The signal is handled between two steps of Python: a single call into compiled code ends first.
    Without signals (Windows, threads) the error is raised at the end of the block.
    """
    if seconds is None:
        yield
        return
    begin = time.process_time()
    with _timer(seconds):
        yield
    if time.process_time() - begin > seconds:
        raise _exceeded(seconds)


@contextmanager
def _timer(seconds: float) -> Iterator[None]:
    if not _has_timer():
        yield
        return

    def ring(signum: int, frame: FrameType | None) -> None:
        raise _exceeded(seconds)

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, _REPEAT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _exceeded(seconds: float) -> TimeExceededError:
    return TimeExceededError(f"not done after {seconds:g} seconds")


def _has_timer() -> bool:
    in_main_thread = threading.current_thread() is threading.main_thread()
    return hasattr(signal, "setitimer") and in_main_thread
