"""Nearest rows by cosine similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.kernels import loops
from isthmus.kernels.plain.neighbors import keep_nearest
from isthmus.matrices.arrays import read_only
from isthmus.matrices.chunks import Range, chunk_count, cut_by_nonzeros, cut_evenly
from isthmus.matrices.threads import one_blas_thread, run_all

# Resolution of similarities: fine enough for the ranking, and coarse enough that rounding errors,
# which depend on the order of the rows, do not break ties.
_STEPS = 2**20
# Smaller similarities are rounding errors; the similarity of a document to itself is 1.
_ROUNDING = 1e-5
# Rows of an array that are processed at a time.
_ROWS = 256


@dataclass(frozen=True)
class Neighbors:
    """Nearest rows in order of decreasing similarity; padded with -1 and 0."""

    rows: NDArray[np.int64]
    similarities: NDArray[Any]


def nearest_rows(
    X: Any, n_neighbors: int, *, among: Any = None, negative: bool = False
) -> Neighbors:
    """Return the rows of ``among`` with the largest cosine similarity to every row of ``X``.

    Both are canonical CSR matrices or arrays with unit-norm rows. Without ``among`` the rows of
    ``X`` are searched, and no row is its own neighbor. Rows with similarity zero are excluded, and
    those with negative similarity unless ``negative`` is True. Ties are broken by the lower row
    number.

    Every pair of rows with a common term is compared, so the time grows with the product of the
    numbers of rows, and the memory with the entries of the matrices and of the result.
    """
    searched = X if among is None else among
    k = max(1, min(n_neighbors, searched.shape[0] - (among is None)))
    rows = np.full((X.shape[0], k), -1, np.int64)
    similarities = np.zeros((X.shape[0], k), X.dtype)
    own = np.arange(X.shape[0]) if among is None else np.full(X.shape[0], -1)
    least = -_STEPS - 1 if negative else int(np.ceil(_STEPS * _ROUNDING))
    steps = np.array([_STEPS, least, searched.shape[0]])
    search = _search_sparse if sparse.issparse(X) else _search_dense
    search(X, searched, own, steps, rows, similarities)
    return Neighbors(rows, similarities)


def _search_sparse(
    X: Any,
    searched: Any,
    own: NDArray[Any],
    steps: NDArray[Any],
    rows: NDArray[Any],
    similarities: NDArray[Any],
) -> None:
    columns = searched.T.tocsr()
    columns.sort_indices()
    column_indptr, indptr = columns.indptr.astype(np.int64), X.indptr.astype(np.int64)
    document_frequency = np.bincount(X.indices, minlength=X.shape[1])
    work = int(document_frequency.astype(float) @ np.diff(column_indptr))
    loop = loops.nearest_rows.choose(1, work, X.dtype, X.indices.dtype, repeated=False)
    entries = (columns.data, columns.indices.astype(X.indices.dtype, copy=False), column_indptr)
    arguments = [read_only(array) for array in (X.data, X.indices, indptr, own, *entries, steps)]
    ranges = cut_by_nonzeros(indptr, chunk_count(work))
    run_all(lambda part: loop(*arguments, rows, similarities, *part), ranges)


def _search_dense(
    X: Any,
    searched: Any,
    own: NDArray[Any],
    steps: NDArray[Any],
    rows: NDArray[Any],
    similarities: NDArray[Any],
) -> None:
    def search(ends: Range) -> None:
        part = slice(*ends)
        keep_nearest(X[part] @ searched.T, own[part], steps, rows[part], similarities[part])

    with one_blas_thread():
        run_all(search, cut_evenly(len(X), max(1, len(X) // _ROWS)))
