"""How much memory the process holds, and how much it held at most."""

from __future__ import annotations

import contextlib
import ctypes
import gc
from pathlib import Path

__all__ = ["PeakMemory"]

_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


class PeakMemory:
    """How far the resident memory rises above what it was, from one moment on.

    Only Linux tells; elsewhere the growth is None.
    """

    def __init__(self) -> None:
        _give_back_freed_memory()
        self._before = _resident("VmRSS")
        try:
            _RESET.write_text("5")  # the peak so far is forgotten
        except OSError:
            self._before = None

    @property
    def growth(self) -> int | None:
        """The highest rise so far, in bytes."""
        peak = _resident("VmHWM")
        return None if self._before is None or peak is None else peak - self._before


def _resident(field: str) -> int | None:
    """A line of the system's account of this process, in bytes."""
    try:
        lines = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines() if ":" in line)
        return int(lines[field].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None


def _give_back_freed_memory() -> None:
    """What earlier work left behind would hide a part of the growth."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # not the C library of GNU
        ctypes.CDLL(None).malloc_trim(0)
