"""Scalings of whole rows or of the whole matrix, as vectors beside the documents."""

from __future__ import annotations

import numpy as np

from isthmus.matrices.protocols import Documents


def unit_rows(documents: Documents) -> Documents:
    """Every document with length 1, so that long ones do not rule; empty ones stay empty."""
    norms = documents.row_norms()
    return documents.scaled(rows=1 / np.where(norms > 0, norms, 1.0))


def joint_probability(documents: Documents) -> Documents:
    """The matrix divided by its total."""
    total = float(documents.row_sums().sum())
    return documents.scaled(rows=np.full(documents.shape[0], 1 / total if total > 0 else 1.0))
