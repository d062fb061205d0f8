"""Reductions over the rows of arrays with few columns, such as class memberships.

NumPy has a cost per row that is much larger than the work on two or three values. Operations on
whole columns avoid it; results are the same to the last bit.
"""

from __future__ import annotations

import numpy as np

from isthmus.matrices.protocols import Array

__all__ = ["row_argmax", "row_sums"]

# NumPy adds fewer values than this from left to right, and others in an order of its own.
_UNORDERED = 8


def row_argmax(values: Array) -> Array:
    """The same as ``values.argmax(axis=1)``, faster for two columns."""
    if values.shape[1] != 2:
        return values.argmax(axis=1)
    first, second = values[:, 0], values[:, 1]
    # As in NumPy, the first of equal values counts, and the first NaN is larger than any number.
    is_second = ~(second <= first) & (first == first)
    return is_second.astype(np.intp)


def row_sums(values: Array) -> Array:
    """The same as ``values.sum(axis=1)`` of floats, faster for few columns."""
    n_columns = values.shape[1]
    if not 2 <= n_columns < _UNORDERED:
        return values.sum(axis=1)
    totals = values[:, 0] + values[:, 1]
    for column in range(2, n_columns):
        totals += values[:, column]
    return totals
