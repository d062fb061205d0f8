"""Documents without the mean of their domain, never written out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array
from isthmus.matrices.threads import one_thread
from isthmus.numerics.stacked import StackedDocuments

# How many documents the mean of all domains counts as in the mean of one: next to nothing for a
# domain of hundreds, most for one of a single document, which is no mean of itself.
_OTHERS = 2.0


class CentredDocuments:
    """``X - E m'``: ``E`` says of every row whose domain it is, ``m`` are the domains' means.

    An empty document says nothing and stays at zero. A domain of few documents leans on the mean of
    all: what they have in common may as well be what they are about.
    """

    def __init__(self, documents: StackedDocuments) -> None:
        self._documents = documents
        self.shape, self.dtype = documents.shape, documents.dtype
        self._filled = [
            (block.row_norms() > 0).astype(self.dtype)[:, None] for block in documents.blocks
        ]
        sums = np.array([block.column_sums() for block in documents.blocks])
        sizes = np.array([float(filled.sum()) for filled in self._filled])
        pooled = sums.sum(axis=0) / max(1.0, sizes.sum())
        shrunk = (sums + _OTHERS * pooled) / (sizes + _OTHERS)[:, None]
        # ||x - m||^2 = ||x||^2 - 2 x'm + ||m||^2, over the documents that are not empty.
        crossed = (sums * shrunk).sum() - sizes @ (shrunk**2).sum(axis=1) / 2
        self._squared_norm = documents.squared_norm() - 2 * float(crossed)
        self.means: NDArray[Any] = shrunk.astype(self.dtype)
        """One row a domain."""

    def times(self, right: Array) -> NDArray[Any]:
        products = self._documents.times(right)
        with one_thread():
            shifts = self.means @ np.asarray(right, self.dtype)
        parts = zip(self._documents.split(products), self._filled, shifts, strict=True)
        for part, filled, shift in parts:
            part -= filled * shift
        return products

    def transposed_times(self, left: Array) -> NDArray[Any]:
        parts = zip(self._documents.split(np.asarray(left, self.dtype)), self._filled, strict=True)
        totals = np.array([(filled * part).sum(axis=0) for part, filled in parts])
        products = self._documents.transposed_times(left)
        with one_thread():
            return np.asarray(products - self.means.T @ totals)

    def squared_norm(self) -> float:
        return self._squared_norm
