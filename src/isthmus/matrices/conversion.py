"""From a user's matrix to documents, borrowing its memory where possible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.kernels.plain.documents import row_block
from isthmus.matrices.csr import CsrDocuments
from isthmus.matrices.dense import DenseDocuments
from isthmus.matrices.protocols import Documents

__all__ = ["as_documents", "canonical", "row_block"]


def canonical(X: Any) -> Any:
    """A CSR matrix without repeated entries, or the array itself; the caller's is not changed."""
    if not sparse.issparse(X):
        return np.asarray(X)
    X = X.tocsr()
    _check_structure(X)
    # SciPy remembers what it once found, also after the caller has changed the arrays: look again.
    fresh = row_block(X.data, X.indices, X.indptr, 0, X.shape[0], X.shape[1])
    if fresh.has_canonical_format:
        return X
    fresh = fresh.copy()
    fresh.sum_duplicates()
    return fresh


def _check_structure(X: Any) -> None:
    """Loops trust the three arrays, so nothing else may pass."""
    advice = "build the matrix anew, or ask its check_format() what is wrong."
    pointers, stored = X.indptr, min(len(X.data), len(X.indices))
    falling = np.flatnonzero(np.diff(pointers) < 0)
    if len(falling):
        raise ValueError(f"X is damaged: row {falling[0]} ends before it begins: {advice}")
    if pointers[0] != 0 or pointers[-1] > stored:
        raise ValueError(
            f"X is damaged: its rows lie at {pointers[0]} to {pointers[-1]} of {stored} entries: "
            f"{advice}"
        )
    indices = X.indices[: pointers[-1]]
    if len(indices) and not 0 <= indices.min() <= indices.max() < X.shape[1]:
        raise ValueError(
            f"X is damaged: it has {X.shape[1]} columns and holds the column indices "
            f"{indices.min()} to {indices.max()}: {advice}"
        )


def as_documents(X: Any, rows: slice | NDArray[np.intp] | None = None) -> Documents:
    """Documents of some rows of a canonical matrix; consecutive rows are borrowed, not copied."""
    start, stop = 0, X.shape[0]
    if isinstance(rows, slice):
        start, stop, _ = rows.indices(X.shape[0])
    elif rows is not None:
        X = X[rows]
        stop = X.shape[0]
    if sparse.issparse(X):
        return CsrDocuments.from_scipy(X, start, stop)
    return DenseDocuments(X[start:stop])
