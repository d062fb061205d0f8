"""Documents scaled, stacked, centered or next to features, without copying them.

Scalings of rows, columns or the whole matrix are vectors next to the documents. The other matrices
offer products only, and are never formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.matrices.threads import one_blas_thread, one_thread

# Weight of the mean of all domains in the mean of one domain, in documents. It is negligible for
# hundreds of documents and dominates for a single one.
_POOLED_WEIGHT = 2.0
# Number of rows whose products with the features are added at once. The parts are added in float64:
# a sum over a million rows in float32 would lose digits.
_ROWS_AT_ONCE = 65_536


def column_balance(documents: Sequence[Documents], power: float) -> Array:
    """Factor of every term that reduces the weight of frequent terms.

    The factor is ``total ** -power``, where ``total`` is the sum of the term over all documents
    scaled to sum 1; 0 for a term that occurs in no document.
    """
    xp = documents[0].engine.xp
    totals = xp.zeros(documents[0].shape[1])
    for block in documents:
        sums = block.row_sums()
        totals += block.scaled(rows=1 / xp.where(sums > 0, sums, 1.0)).column_sums()
    return xp.where(totals > 0, xp.maximum(totals, np.finfo(float).tiny) ** -power, 0.0)


def joint_probability(documents: Documents) -> Documents:
    """The matrix divided by its sum."""
    total = float(documents.row_sums().sum())
    scale = 1 / total if total > 0 else 1.0
    return documents.scaled(rows=documents.full(scale))


def inverse_sqrt(sizes: NDArray[Any]) -> NDArray[np.float64]:
    """``size^-1/2``; 0 where the size is 0."""
    filled = sizes > 0
    return np.asarray(np.where(filled, np.where(filled, sizes, 1.0) ** -0.5, 0.0))


class StackedDocuments:
    """Blocks of rows with one vocabulary as one matrix.

    Implements the part of the protocol :class:`Documents` that subspace methods need.
    """

    def __init__(self, blocks: Sequence[Documents]) -> None:
        self.blocks = tuple(blocks)
        self.engine = self.blocks[0].engine
        self.starts = np.concatenate([[0], np.cumsum([block.shape[0] for block in self.blocks])])
        self.shape = (int(self.starts[-1]), self.blocks[0].shape[1])
        self.dtype: np.dtype[Any] = self.blocks[0].dtype

    def times(self, right: Array) -> Array:
        return self.engine.xp.concatenate([block.times(right) for block in self.blocks])

    def transposed_times(self, left: Array) -> Array:
        total: Any = 0
        # Blocks are added in a fixed order, so that threads do not change the result.
        for block, part in zip(self.blocks, self.split(left), strict=True):
            total = total + block.transposed_times(part)
        return total

    def squared_norm(self) -> float:
        return sum(block.squared_norm() for block in self.blocks)

    def split(self, rows: Array) -> list[Array]:
        """Views of the values of each block."""
        return [rows[start:stop] for start, stop in pairwise(self.starts.tolist())]


class CenteredDocuments:
    """``X - E m'``, where ``E`` is the indicator matrix of domains and ``m`` holds their means.

    Empty documents stay zero. The mean of a domain with few documents is shrunk towards the mean of
    all domains, because what its documents have in common may be their topic.
    """

    def __init__(self, documents: StackedDocuments) -> None:
        self._documents = documents
        self.engine = documents.engine
        self.shape, self.dtype = documents.shape, documents.dtype
        xp = self.engine.xp
        self._filled = [
            (block.row_norms() > 0).astype(self.dtype)[:, None] for block in documents.blocks
        ]
        sums = xp.stack([block.column_sums() for block in documents.blocks])
        sizes = np.array([float(filled.sum()) for filled in self._filled])
        pooled = sums.sum(axis=0) / max(1.0, sizes.sum())
        weights = self.engine.asarray(sizes + _POOLED_WEIGHT)[:, None]
        shrunk = (sums + _POOLED_WEIGHT * pooled) / weights
        # ||x - m||^2 = ||x||^2 - 2 x'm + ||m||^2, summed over non-empty documents.
        squares = self.engine.to_host((shrunk**2).sum(axis=1))
        crossed = float((sums * shrunk).sum()) - float(sizes @ squares) / 2
        self._squared_norm = documents.squared_norm() - 2 * crossed
        self.means: Array = shrunk.astype(self.dtype)
        """One row per domain."""

    def times(self, right: Array) -> Array:
        with one_thread():
            shifts = self.means @ right.astype(self.dtype, copy=False)
        parts = zip(self._documents.blocks, self._filled, shifts, strict=True)
        return self.engine.xp.concatenate(
            [block.times(right) - filled * shift for block, filled, shift in parts]
        )

    def transposed_times(self, left: Array) -> Array:
        left = left.astype(self.dtype, copy=False)
        blocks = self._documents.blocks
        parts = zip(blocks, self._documents.split(left), self._filled, strict=True)
        totals = self.engine.xp.stack(
            [(filled * block.asarray(part)).sum(axis=0) for block, part, filled in parts]
        )
        products = self._documents.transposed_times(left)
        with one_thread():
            return products - self.means.T @ totals

    def squared_norm(self) -> float:
        return self._squared_norm


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
            for rows in self.engine.row_slices(left, _ROWS_AT_ONCE):
                of_features += self._features[rows].T @ left[rows]
        products = of_features.astype(self.dtype)
        if self._documents is None:
            return products
        return xp.concatenate([self._documents.transposed_times(left), products])
