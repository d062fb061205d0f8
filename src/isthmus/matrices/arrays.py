"""Helpers for NumPy arrays that are passed to loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view.

    Input arrays may be read-only memory of the caller. With read-only views for all input arrays,
    one compiled loop is sufficient.
    """
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def borrowed(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of the caller's array, copied if it is not contiguous and aligned."""
    return read_only(np.require(array, requirements=("C_CONTIGUOUS", "ALIGNED")))


def symmetric(lower: NDArray[Any]) -> NDArray[Any]:
    """Return the symmetric matrix with this lower triangle."""
    whole = lower + lower.T
    whole.flat[:: len(whole) + 1] = lower.diagonal()
    return whole
