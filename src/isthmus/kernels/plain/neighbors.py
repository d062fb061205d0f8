"""Nearest rows by cosine similarity, in NumPy and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels.plain.documents import row_block

Array = NDArray[Any]

# Number of similarities that are computed at a time.
_BLOCK = 4_000_000


def nearest_rows(
    data: Array,
    indices: Array,
    indptr: Array,
    kinds: Array,
    columns: Array,
    rows_of_columns: Array,
    starts_of_columns: Array,
    dense_number: Array,
    dense_columns: Array,
    steps: Array,
    neighbors: Array,
    similarities: Array,
    across: Array,
    across_similarities: Array,
    start: int,
    stop: int,
) -> None:
    n_rows, n_terms = int(steps[2]), len(dense_number)
    transposed = row_block(data, indices, indptr, 0, n_rows, n_terms).T
    size = max(1, _BLOCK // max(1, n_rows))
    for first in range(start, stop, size):
        last = min(first + size, stop)
        block = (row_block(data, indices, indptr, first, last, n_terms) @ transposed).toarray()
        part = slice(first, last)
        excluded = np.arange(n_rows) == np.arange(first, last)[:, None]
        keep_nearest(block, excluded, steps, neighbors[part], similarities[part])
        excluded |= kinds == kinds[part, None]
        keep_nearest(block, excluded, steps, across[part], across_similarities[part])


def keep_nearest(
    block: Array, excluded: Array, steps: Array, neighbors: Array, similarities: Array
) -> None:
    """Select the largest similarities of some rows to all rows that are not excluded."""
    (n_rows, n_searched), k, least = block.shape, neighbors.shape[1], int(steps[1])
    if k == 0:
        return
    ranks = np.rint(block * steps[0]).astype(np.int64)
    ranks[excluded] = least - 1
    # Ties are broken by the lower row number.
    codes = (ranks - least + 1) * n_searched + np.arange(n_searched - 1, -1, -1)
    codes[ranks < least] = -1
    if k < n_searched:
        codes = np.partition(codes, n_searched - k, axis=1)[:, n_searched - k :]
    codes = np.sort(codes, axis=1)[:, ::-1]
    where = np.where(codes >= 0, n_searched - 1 - codes % n_searched, -1)
    similar = block[np.arange(n_rows)[:, None], np.maximum(where, 0)]
    neighbors[:, : where.shape[1]] = where
    similarities[:, : where.shape[1]] = np.where(where >= 0, similar, 0)
