"""Ctrl-C that cannot get lost.

Python raises KeyboardInterrupt wherever it is. In a finalizer or in a callback of compiled code the
exception is dropped. So the handler also sets a flag, which long work checks.
"""

from __future__ import annotations

import signal
from typing import Any

__all__ = ["raise_if_interrupted", "remember_interrupts", "was_interrupted"]

_interrupted = False


def remember_interrupts() -> None:
    """Set a flag on Ctrl-C from now on, and raise KeyboardInterrupt as usual."""
    signal.signal(signal.SIGINT, _interrupt)


def was_interrupted() -> bool:
    """Return whether Ctrl-C was pressed and no KeyboardInterrupt was raised for it since."""
    return _interrupted


def raise_if_interrupted() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed and the exception was dropped."""
    global _interrupted
    if _interrupted:
        _interrupted = False
        raise KeyboardInterrupt


def _interrupt(*_: Any) -> None:
    global _interrupted
    _interrupted = True
    raise KeyboardInterrupt
