"""Documents centered by domain, as products: the centered matrix is never formed."""

from __future__ import annotations

import numpy as np

from isthmus.matrices.protocols import Array
from isthmus.matrices.threads import one_thread
from isthmus.numerics.stacked import StackedDocuments

# Weight of the mean of all domains in the mean of one domain, in documents. It is negligible for
# hundreds of documents and dominates for a single one.
_POOLED_WEIGHT = 2.0


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
