"""Groups of identical rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.matrices.engines import is_distributed

__all__ = ["duplicate_groups"]


def duplicate_groups(X: Any) -> NDArray[np.intp]:
    """Return a group number for every row; identical rows have the same number.

    Empty rows are never identical to other rows. ``X`` is a canonical CSR matrix or an array.
    """
    if is_distributed(X):
        return np.asarray(X.duplicate_groups())
    numbers = np.empty(X.shape[0], np.intp)
    known: dict[Any, int] = {}
    for row in range(X.shape[0]):
        content = _content(X, row)
        # An empty row is a group of its own.
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
