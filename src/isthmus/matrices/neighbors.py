"""Nearest rows by cosine similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.kernels import loops
from isthmus.kernels.dispatch import read_only
from isthmus.kernels.plain_loops import keep_nearest, row_block
from isthmus.matrices.rows import with_narrow_indices
from isthmus.matrices.threads import (
    Range,
    chunk_count,
    cut_by_nonzeros,
    cut_evenly,
    one_blas_thread,
    run_all,
)

# Resolution of similarities: fine enough for the ranking, and coarse enough that rounding errors,
# which depend on the order of the rows, do not break ties.
_STEPS = 2**20
# Smaller similarities are rounding errors; the similarity of a document to itself is 1.
_ROUNDING = 1e-5
# Rows of an array that are processed at a time.
_ROWS = 256
# Rows of a tile: few enough that the dense columns of a tile stay in the second-level cache.
_TILE = 2048
# A column is dense if more than one row in this many has an entry: adding all rows is then faster
# than adding at positions.
_ROWS_PER_ENTRY = 8
# Limit on the memory of dense columns.
_DENSE_BYTES = 256 * 2**20


@dataclass(frozen=True)
class Neighbors:
    """Nearest rows in order of decreasing similarity; padded with -1 and 0."""

    rows: NDArray[np.int64]
    similarities: NDArray[Any]

    @classmethod
    def empty(cls, n_rows: int, n_neighbors: int, dtype: Any) -> Neighbors:
        """Arrays to be filled."""
        shape = (n_rows, n_neighbors)
        return cls(np.full(shape, -1, np.int64), np.zeros(shape, dtype))


def nearest_rows(X: Any, n_neighbors: int, *, negative: bool = False) -> Neighbors:
    """Return the other rows with the largest cosine similarity to every row of ``X``.

    ``X`` is a canonical CSR matrix or an array with unit-norm rows. Rows with similarity zero are
    excluded, and those with negative similarity unless ``negative`` is True. Ties are broken by the
    lower row number.

    Every pair of rows with a common term is compared, so the time grows with the square of the
    number of rows. The memory grows with the entries of the matrix and of the result, and with the
    number of tiles of rows times the number of terms.
    """
    return nearest_rows_by_kind(X, n_neighbors, None, 0, negative=negative)[0]


def nearest_rows_by_kind(
    X: Any,
    n_neighbors: int,
    kinds: NDArray[np.bool_] | None,
    n_across: int,
    *,
    negative: bool = False,
) -> tuple[Neighbors, Neighbors]:
    """Return the nearest rows, and the ``n_across`` nearest ones among the rows of the other kind.

    Both are found in one comparison of all pairs; see :func:`nearest_rows`.
    """
    n_rows = X.shape[0]
    if kinds is None:
        kinds = np.zeros(n_rows, np.bool_)
    largest_kind = max(int(kinds.sum()), n_rows - int(kinds.sum()))
    near = Neighbors.empty(n_rows, max(1, min(n_neighbors, n_rows - 1)), X.dtype)
    across = Neighbors.empty(n_rows, min(n_across, largest_kind), X.dtype)
    least = -_STEPS - 1 if negative else int(np.ceil(_STEPS * _ROUNDING))
    search = _search_sparse if sparse.issparse(X) else _search_dense
    search(X, kinds.astype(np.int64), np.array([_STEPS, least, n_rows, _TILE]), near, across)
    return near, across


def _search_sparse(
    X: Any, kinds: NDArray[Any], steps: NDArray[Any], near: Neighbors, across: Neighbors
) -> None:
    X = with_narrow_indices(X)
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    work = int(frequency.astype(float) @ frequency)
    loop = loops.nearest_rows.choose(1, work, X.dtype, X.indices.dtype, repeated=False)
    indptr = X.indptr.astype(np.int64)
    arguments = [X.data, X.indices, indptr, kinds, *_tiled_columns(X)]
    arguments = [read_only(array) for array in (*arguments, *_dense_columns(X, frequency), steps)]
    results = (near.rows, near.similarities, across.rows, across.similarities)
    ranges = cut_by_nonzeros(indptr, chunk_count(work))
    run_all(lambda part: loop(*arguments, *results, *part), ranges)


def _tiled_columns(X: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Entries of the columns, tile by tile: values, row numbers, and where every column begins."""
    tiles = []
    for start in range(0, X.shape[0], _TILE):
        stop = min(start + _TILE, X.shape[0])
        tiles.append(row_block(X.data, X.indices, X.indptr, start, stop, X.shape[1]).tocsc())
    lengths = np.concatenate([np.diff(tile.indptr) for tile in tiles])
    rows = [tile.indices + number * _TILE for number, tile in enumerate(tiles)]
    return (
        np.concatenate([tile.data for tile in tiles]),
        np.concatenate(rows).astype(X.indices.dtype, copy=False),
        np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
    )


def _dense_columns(
    X: Any, frequency: NDArray[np.integer[Any]]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """The number of every dense column, -1 for others, and the dense columns as rows."""
    n_rows, n_terms = X.shape
    most = _DENSE_BYTES // max(1, n_rows * X.dtype.itemsize)
    frequent = np.argsort(-frequency, kind="stable")[:most]
    terms = np.sort(frequent[frequency[frequent] * _ROWS_PER_ENTRY > n_rows])
    numbers = np.full(n_terms, -1, np.int64)
    numbers[terms] = np.arange(len(terms))
    return numbers, np.ascontiguousarray(X[:, terms].T.toarray())


def _search_dense(
    X: Any, kinds: NDArray[Any], steps: NDArray[Any], near: Neighbors, across: Neighbors
) -> None:
    positions = np.arange(len(X))

    def search(ends: Range) -> None:
        part = slice(*ends)
        similar = X[part] @ X.T
        excluded = positions == positions[part, None]
        keep_nearest(similar, excluded, steps, near.rows[part], near.similarities[part])
        excluded |= kinds == kinds[part, None]
        keep_nearest(similar, excluded, steps, across.rows[part], across.similarities[part])

    with one_blas_thread():
        run_all(search, cut_evenly(len(X), max(1, len(X) // _ROWS)))
