"""Weights of terms by how few documents have them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def rarity(X: Any, power: float) -> NDArray[np.float64]:
    """Inverse document frequency to a power, a number a term.

    ``(log((1 + n) / (1 + df)) + 1) ** power``; terms that (nearly) every document has get the
    same, which is what the coordinates of dense embeddings are.
    """
    n_rows, n_terms = X.shape
    if sparse.issparse(X):
        stored = X.indices if X.data.all() else X.indices[X.data != 0]
        frequency = np.bincount(stored, minlength=n_terms)
    else:
        frequency = np.count_nonzero(X, axis=0)
    return np.asarray((np.log((1 + n_rows) / (1 + frequency)) + 1) ** power)


def with_scaled_terms(X: Any, scale: NDArray[Any]) -> Any:
    """A copy of a CSR matrix or an array with its columns multiplied."""
    if not sparse.issparse(X):
        return X * scale.astype(X.dtype)
    data = X.data * scale.astype(X.dtype)[X.indices]
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)
