"""Rows that are the same document again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["duplicate_groups"]


def duplicate_groups(X: Any) -> NDArray[np.intp]:
    """A number for every row, equal for rows that hold the same numbers in the same places.

    An empty row equals no other: that two documents have no term does not make them one. ``X`` is
    a canonical CSR matrix or an array.
    """
    numbers = np.empty(X.shape[0], np.intp)
    known: dict[Any, int] = {}
    for row in range(X.shape[0]):
        content = _content(X, row)
        # A number of its own where there is nothing to compare.
        key = content if content[0] else row
        numbers[row] = known.setdefault(key, len(known))
    return numbers


def _content(X: Any, row: int) -> tuple[bytes, bytes]:
    if sparse.issparse(X):
        entries = slice(X.indptr[row], X.indptr[row + 1])
        values, columns = X.data[entries], X.indices[entries]
        stored = values != 0
        if not stored.all():
            values, columns = values[stored], columns[stored]
    else:
        columns = np.flatnonzero(X[row])
        values = X[row][columns]
    return columns.tobytes(), values.tobytes()
