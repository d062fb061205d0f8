"""Copy large arrays from the memory of the CPU to the device."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

__all__ = ["upload"]

# Locking the memory of smaller arrays is not worth it.
_MIN_BYTES = 2**23


def upload(array: NDArray[Any], target: Any) -> None:
    """Copy an array of the CPU to an array of the device with the same type."""
    array = np.ascontiguousarray(array)
    if array.nbytes < _MIN_BYTES or not _lock(array):
        target.set(array)
        return
    try:
        target.set(array)
    finally:
        cupy.cuda.runtime.hostUnregister(array.ctypes.data)


def _lock(array: NDArray[Any]) -> bool:
    """Lock the pages of an array in memory: the device reads them six times as fast then.

    Not all memory can be locked, such as a read-only file. False if it cannot.
    """
    try:
        cupy.cuda.runtime.hostRegister(array.ctypes.data, array.nbytes, 0)
    except cupy.cuda.runtime.CUDARuntimeError:
        return False
    return True
