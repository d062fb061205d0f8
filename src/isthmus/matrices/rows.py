"""Rows of a matrix: selection without copies, unit norm, 32-bit indices, signs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.matrices.chunks import chunk_count, cut_evenly
from isthmus.matrices.conversion import as_documents, row_block
from isthmus.matrices.engines import is_distributed
from isthmus.matrices.threads import run_all


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
