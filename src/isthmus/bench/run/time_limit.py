"""Give up on a fit that takes too long."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["TimeExceededError", "time_limit"]


# A finalizer or a callback of compiled code may have swallowed the first alarm.
_AGAIN = 5.0


class TimeExceededError(BaseException):
    """A fit took longer than it was allowed to.

    No ``Exception``, which a library may catch to try something else.
    """


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise TimeExceededError in the block after so many seconds; None for no limit.

    The seconds are those of the processor, as in results: other work on the machine must not
    decide what is too slow. The alarm rings between two steps of Python: a single call into
    compiled code ends first. Without alarms (Windows, threads) the block runs to its end, and the
    error comes then.
    """
    if seconds is None:
        yield
        return
    begin = time.process_time()
    with _alarm(seconds):
        yield
    if time.process_time() - begin > seconds:
        raise _exceeded(seconds)


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    if not _has_alarm():
        yield
        return

    def ring(signum: int, frame: FrameType | None) -> None:
        raise _exceeded(seconds)

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _exceeded(seconds: float) -> TimeExceededError:
    return TimeExceededError(f"not done after {seconds:g} seconds")


def _has_alarm() -> bool:
    in_main_thread = threading.current_thread() is threading.main_thread()
    return hasattr(signal, "setitimer") and in_main_thread
