"""Small helpers on NumPy arrays that are handed to loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that a loop can only read.

    What a loop reads may be the caller's, in memory that cannot be written to; one kind of array
    for all of them is one compiled loop for all of them.
    """
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def borrowed(array: NDArray[Any]) -> NDArray[Any]:
    """The caller's array as loops take it: read-only, and copied if it is not laid out plainly."""
    return read_only(np.require(array, requirements=("C_CONTIGUOUS", "ALIGNED")))


def symmetric(lower: NDArray[Any]) -> NDArray[Any]:
    """The whole matrix from its lower triangle."""
    whole = lower + lower.T
    whole.flat[:: len(whole) + 1] = lower.diagonal()
    return whole
