"""Scalings of whole rows or of the whole matrix, as vectors beside the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents


def unit_rows(documents: Documents) -> Documents:
    """Every document with length 1, so that long ones do not rule; empty ones stay empty."""
    norms = documents.row_norms()
    return documents.scaled(rows=1 / np.where(norms > 0, norms, 1.0))


def column_balance(documents: Sequence[Documents], power: float) -> NDArray[np.float64]:
    """What to multiply every term with so that frequent terms do not rule.

    With every document scaled to sum 1, the total of a term over all domains to the power of minus
    ``power``; 0 for a term that nobody uses.
    """
    totals = np.zeros(documents[0].shape[1])
    for block in documents:
        sums = block.row_sums()
        totals += block.scaled(rows=1 / np.where(sums > 0, sums, 1.0)).column_sums()
    return np.where(totals > 0, np.maximum(totals, np.finfo(float).tiny) ** -power, 0.0)


def joint_probability(documents: Documents) -> Documents:
    """The matrix divided by its total."""
    total = float(documents.row_sums().sum())
    return documents.scaled(rows=np.full(documents.shape[0], 1 / total if total > 0 else 1.0))


def inverse_root(sizes: NDArray[Any]) -> NDArray[np.float64]:
    """``size^-1/2``; 0 for what is empty."""
    filled = sizes > 0
    return np.asarray(np.where(filled, np.where(filled, sizes, 1.0) ** -0.5, 0.0))
