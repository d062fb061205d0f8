"""Matrices of the user: validation, documents and rows of them, without copies where possible.

A canonical matrix is a SciPy CSR matrix without duplicate entries, or an array.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.kernels.plain_loops import row_block
from isthmus.matrices.csr import CsrDocuments
from isthmus.matrices.dense import DenseDocuments
from isthmus.matrices.engines import is_distributed, kept_documents
from isthmus.matrices.protocols import Documents
from isthmus.matrices.threads import Range, chunk_count, cut_by_nonzeros, cut_evenly, run_all


def canonical(X: Any) -> Any:
    """Return a CSR matrix without duplicate entries, or an array; the input is not changed."""
    if not sparse.issparse(X):
        return np.asarray(X)
    X = X.tocsr()
    _check_structure(X)
    # SciPy caches has_canonical_format, even if the caller changed the arrays: check again.
    ranges = _ranges(X)
    blocks = (row_block(X.data, X.indices, X.indptr, *rows, X.shape[1]) for rows in ranges)
    if all(run_all(lambda block: bool(block.has_canonical_format), list(blocks))):
        return X
    fresh = row_block(X.data, X.indices, X.indptr, 0, X.shape[0], X.shape[1]).copy()
    fresh.sum_duplicates()
    return fresh


def _check_structure(X: Any) -> None:
    """Raise ValueError for invalid CSR arrays, which the loops do not check."""
    advice = "rebuild the matrix, or call its check_format() for details."
    pointers, n_stored = X.indptr, min(len(X.data), len(X.indices))
    falling = np.flatnonzero(np.diff(pointers) < 0)
    if len(falling):
        raise ValueError(f"X is invalid because row {falling[0]} ends before it begins: {advice}")
    if pointers[0] != 0 or pointers[-1] > n_stored:
        raise ValueError(
            f"X is invalid because indptr goes from {pointers[0]} to {pointers[-1]} with "
            f"{n_stored} stored entries: {advice}"
        )
    parts = [X.indices[pointers[start] : pointers[stop]] for start, stop in _ranges(X)]
    limits = run_all(lambda part: (part.min(), part.max()), [part for part in parts if len(part)])
    if limits:
        least, most = min(low for low, _ in limits), max(high for _, high in limits)
        if not 0 <= least <= most < X.shape[1]:
            raise ValueError(
                f"X is invalid because it has {X.shape[1]} columns but column indices from "
                f"{least} to {most}: {advice}"
            )


def _ranges(X: Any) -> list[Range]:
    """Ranges of rows that are checked in parallel."""
    return cut_by_nonzeros(X.indptr, chunk_count(int(X.indptr[-1])))


def as_documents(X: Any, rows: slice | NDArray[np.intp] | None = None) -> Documents:
    """Return documents on the CPU for some rows of a canonical matrix.

    Consecutive rows are not copied. A fit gets the same documents for the same rows of a sparse
    matrix as long as that exists, so that what they keep (norms and sums) is computed once.
    ``current_engine().documents`` does the same on the engine of the current fit.
    """
    kept = kept_documents.get()
    if isinstance(rows, np.ndarray):
        return _new_documents(X[rows], 0, len(rows))
    start, stop, _ = (slice(None) if rows is None else rows).indices(X.shape[0])
    # Documents of an array refer to it, so that a copy for a moment would be kept with them.
    if kept is None or not sparse.issparse(X):
        return _new_documents(X, start, stop)
    key = id(X), start, stop
    if key not in kept or kept[key][0]() is not X:
        # Not a reference that keeps the matrix: many are copies for a moment.
        reference = weakref.ref(X, lambda _: kept.pop(key, None))
        kept[key] = reference, _new_documents(X, start, stop)
    documents: Documents = kept[key][1]
    return documents


def _new_documents(X: Any, start: int, stop: int) -> Documents:
    if sparse.issparse(X):
        return CsrDocuments.from_scipy(X, start, stop)
    return DenseDocuments(X[start:stop])


def with_unit_rows(X: Any) -> Any:
    """Return the matrix with unit-norm rows; the matrix itself if they already have unit norm.

    ``sklearn.preprocessing.normalize`` treats very small rows of an array as empty, and overflows.
    Whole numbers become floats.
    """
    if is_distributed(X):
        return X.with_unit_rows()
    if X.dtype.kind != "f":
        X = X.astype(np.float64)
    norms = as_documents(X).row_norms()
    return X if _are_unit(norms) else _divided(X, norms)


def unit_rows_of(X: Any, rows: NDArray[np.intp], *, copied: bool = False) -> Any:
    """Return some rows with unit norm, and with 32-bit indices if possible.

    Consecutive rows share memory with the matrix, unless they are ``copied``. Otherwise rows may be
    in any order.
    """
    part = with_narrow_indices(X[rows] if copied else take_rows(X, rows))
    if not sparse.issparse(X) or X.dtype.kind != "f":
        return with_unit_rows(part)
    # Those of all rows are computed once per fit.
    norms = as_documents(X).row_norms()[rows]
    return part if _are_unit(norms) else _divided(part, norms)


def has_unit_rows(X: Any) -> bool:
    """Whether all rows that are not empty have unit norm."""
    return _are_unit(as_documents(X).row_norms())


def scaled_to_unit_rows(X: Any) -> Any:
    """Return the matrix with rows divided by their norms, even if these are nearly 1."""
    return _divided(X, as_documents(X).row_norms())


def _are_unit(norms: NDArray[np.float64]) -> bool:
    return bool(np.allclose(norms[norms > 0], 1.0, atol=1e-4))


def _divided(X: Any, norms: NDArray[np.float64]) -> Any:
    scale = 1 / np.where(norms > 0, norms, 1.0)
    if not sparse.issparse(X):
        return (X * scale[:, None]).astype(X.dtype)
    # Only the values are copied, the structure is shared.
    values = (X.data * np.repeat(scale, np.diff(X.indptr))).astype(X.dtype)
    return row_block(values, X.indices, X.indptr, 0, *X.shape)


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return rows in increasing order, as a view if they are consecutive.

    Rows of a matrix on the workers of a Dask cluster stay there.
    """
    if is_distributed(X):
        return X.take_rows(rows)
    if len(rows) == 0 or rows[-1] - rows[0] + 1 != len(rows):
        return X[rows]
    start, stop = int(rows[0]), int(rows[-1]) + 1
    if not sparse.issparse(X):
        return X[start:stop]
    return row_block(X.data, X.indices, X.indptr, start, stop, X.shape[1])


def with_narrow_indices(X: Any) -> Any:
    """Return a sparse matrix with 32-bit indices, as liblinear requires, if it is small enough."""
    if not sparse.issparse(X) or X.indices.dtype == np.int32:
        return X
    if max(X.nnz, X.shape[1]) > np.iinfo(np.int32).max:
        return X
    arrays = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return sparse.csr_matrix(arrays, shape=X.shape, copy=False)


def is_signed(X: Any) -> bool:
    """Whether the matrix has a negative entry."""
    if is_distributed(X):
        return bool(X.is_signed)
    parts = _parts_of_values(X)
    return bool(parts) and min(run_all(lambda part: float(part.min()), parts)) < 0


def is_finite(X: Any) -> bool:
    """Whether the matrix has neither NaN nor infinity; False if its sums overflow."""
    if is_distributed(X):
        return bool(X.is_finite)
    return all(run_all(_has_finite_sum, _parts_of_values(X)))


def _has_finite_sum(values: NDArray[Any]) -> bool:
    # The setting is for one thread.
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()))


def _parts_of_values(X: Any) -> list[NDArray[Any]]:
    """The stored values in parts that are read in parallel."""
    values = X.data if sparse.issparse(X) else X
    ranges = cut_evenly(len(values), chunk_count(values.size)) if values.size else []
    return [values[start:stop] for start, stop in ranges]


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
