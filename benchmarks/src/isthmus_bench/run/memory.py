"""Peak memory of this process."""

from __future__ import annotations

import contextlib
import ctypes
import gc
from pathlib import Path

__all__ = ["PeakMemory"]

_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


class PeakMemory:
    """Growth of the resident memory since the object was made; None except on Linux."""

    def __init__(self) -> None:
        _trim()
        self._before = _resident("VmRSS")
        try:
            _RESET.write_text("5")  # resets the peak
        except OSError:
            self._before = None

    @property
    def growth(self) -> int | None:
        """The largest growth so far, in bytes."""
        peak = _resident("VmHWM")
        return None if self._before is None or peak is None else peak - self._before


def _resident(field: str) -> int | None:
    """A field of the status of this process, in bytes."""
    try:
        lines = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines() if ":" in line)
        return int(lines[field].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None


def _trim() -> None:
    """Return freed memory to the system, which would hide a part of the growth."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # not the GNU C library
        ctypes.CDLL(None).malloc_trim(0)
