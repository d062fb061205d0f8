"""Scalings of rows, columns or the whole matrix, stored as vectors next to the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Documents


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
