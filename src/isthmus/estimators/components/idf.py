"""Inverse document frequency weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.matrices.engines import is_distributed


def idf_weights(X: Any, power: float) -> NDArray[np.float64]:
    """Inverse document frequency of every term to a power.

    ``(log((1 + n) / (1 + df)) + 1) ** power``. Terms that occur in every document, such as the
    coordinates of dense embeddings, all get the weight 1.
    """
    frequency = document_frequency(X)
    return np.asarray((np.log((1 + X.shape[0]) / (1 + frequency)) + 1) ** power)


def document_frequency(X: Any) -> NDArray[np.intp]:
    """Number of rows in which every column is nonzero."""
    if is_distributed(X):
        return np.asarray(X.column_counts())
    if not sparse.issparse(X):
        return np.asarray(np.count_nonzero(X, axis=0))
    stored = X.indices if X.data.all() else X.indices[X.data != 0]
    return np.bincount(stored, minlength=X.shape[1])


def with_scaled_terms(X: Any, scale: NDArray[Any]) -> Any:
    """A copy of a CSR matrix or an array with scaled columns."""
    if not sparse.issparse(X):
        return X * scale.astype(X.dtype)
    data = X.data * scale.astype(X.dtype)[X.indices]
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)
