"""Ctrl-C that cannot get lost.

Python raises KeyboardInterrupt wherever it stands, and where that is a finalizer or a callback of
compiled code the exception is dropped. So the handler also leaves a mark, which long work looks at.
"""

from __future__ import annotations

import signal
from typing import Any

__all__ = ["raise_if_interrupted", "remember_interrupts"]

_interrupted = False


def remember_interrupts() -> None:
    """From now on leave a mark on Ctrl-C."""
    signal.signal(signal.SIGINT, _mark)


def raise_if_interrupted() -> None:
    """Raise the KeyboardInterrupt that got lost, if one did."""
    global _interrupted
    if _interrupted:
        _interrupted = False
        raise KeyboardInterrupt


def _mark(*_: Any) -> None:
    global _interrupted
    _interrupted = True
    raise KeyboardInterrupt
