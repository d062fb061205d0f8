"""Documents and dense features of the same rows as one matrix, without copying them."""

from __future__ import annotations

from typing import Any

import numpy as np

from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.matrices.threads import one_blas_thread

# Number of rows whose products with the features are added at once. The parts are added in float64:
# a sum over a million rows in float32 would lose digits.
_ROWS = 65_536


class SideBySide:
    """``[X Z]``: the columns of the documents, then those of the features.

    Implements the part of the protocol :class:`Documents` that linear classifiers need. Without
    documents the matrix is ``Z``.
    """

    def __init__(self, documents: Documents | None, features: Array, engine: Engine) -> None:
        self._documents, self._features = documents, features
        self._n_terms = 0 if documents is None else documents.shape[1]
        self.engine = engine
        self.shape = (int(features.shape[0]), self._n_terms + int(features.shape[1]))
        self.dtype: np.dtype[Any] = features.dtype

    def asarray(self, values: Any, dtype: Any = None) -> Array:
        owner: Any = self.engine if self._documents is None else self._documents
        return owner.asarray(values, dtype)

    def full(self, value: Any, n_columns: int | None = None, dtype: Any = np.float64) -> Array:
        shape = self.shape[:1] if n_columns is None else (self.shape[0], n_columns)
        return self.engine.xp.full_like(self._features, value, dtype=dtype, shape=shape)

    def times(self, right: Array) -> Array:
        right = right.astype(self.dtype, copy=False)
        with one_blas_thread():
            products = self._features @ right[self._n_terms :]
        if self._documents is not None:
            products += self._documents.times(right[: self._n_terms])
        return products

    def transposed_times(self, left: Array) -> Array:
        xp = self.engine.xp
        left = left.astype(self.dtype, copy=False)
        of_features = xp.zeros((self._features.shape[1], left.shape[1]))
        with one_blas_thread():
            for rows in self.engine.row_slices(left, _ROWS):
                of_features += self._features[rows].T @ left[rows]
        products = of_features.astype(self.dtype)
        if self._documents is None:
            return products
        return xp.concatenate([self._documents.transposed_times(left), products])
