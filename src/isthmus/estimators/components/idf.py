"""Weights of terms by how few documents have them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def idf_weights(X: Any, power: float) -> NDArray[np.float64]:
    """Inverse document frequency to a power, a number a term.

    ``(log((1 + n) / (1 + df)) + 1) ** power``; terms that (nearly) every document has get the
    same, which is what the coordinates of dense embeddings are.
    """
    frequency = document_frequency(X)
    return np.asarray((np.log((1 + X.shape[0]) / (1 + frequency)) + 1) ** power)


def document_frequency(X: Any) -> NDArray[np.intp]:
    """In how many rows every column is not zero."""
    if not sparse.issparse(X):
        return np.asarray(np.count_nonzero(X, axis=0))
    stored = X.indices if X.data.all() else X.indices[X.data != 0]
    return np.bincount(stored, minlength=X.shape[1])


def with_scaled_terms(X: Any, scale: NDArray[Any]) -> Any:
    """A copy of a CSR matrix or an array with its columns multiplied."""
    if not sparse.issparse(X):
        return X * scale.astype(X.dtype)
    data = X.data * scale.astype(X.dtype)[X.indices]
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)
