"""Copy large arrays from the memory of the CPU to the device."""

from __future__ import annotations

import threading
from mmap import mmap
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

__all__ = ["upload"]

# Locking the memory of smaller arrays is not worth it.
_MIN_BYTES = 2**23
# Two fits may copy the same array: one must not unlock the memory that the other one reads.
_one_at_a_time = threading.Lock()


def upload(array: NDArray[Any], target: Any) -> None:
    """Copy an array of the CPU to an array of the device with the same type."""
    array = np.ascontiguousarray(array)
    if array.nbytes < _MIN_BYTES:
        target.set(array)
        return
    with _one_at_a_time:
        is_locked = _lock_pages(array)
        try:
            target.set(array)
            # The device may read locked memory after the call.
            cupy.cuda.get_current_stream().synchronize()
        finally:
            if is_locked:
                cupy.cuda.runtime.hostUnregister(array.ctypes.data)


def _lock_pages(array: NDArray[Any]) -> bool:
    """Lock an array in memory: the device reads it several times as fast then.

    False if that is not possible. Pages of a file are not locked: they might be copied for it.
    """
    if _is_file(array):
        return False
    try:
        cupy.cuda.runtime.hostRegister(array.ctypes.data, array.nbytes, 0)
    except cupy.cuda.runtime.CUDARuntimeError:
        return False
    return True


def _is_file(array: Any) -> bool:
    while array is not None:
        if isinstance(array, np.memmap | mmap):
            return True
        array = getattr(array, "base", None)
    return False
