"""Penalties on terms whose correlation with the classes differs between two sets of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.solvers.self_training.coda import class_codes

__all__ = ["disagreement", "label_correlations", "quadratic_penalties"]

# Weights on unit-norm rows are about 1; this is small in comparison.
_SMALL_WEIGHT = 0.01
# A smaller proportion of a term's mean square is no variance.
_ROUNDING = 1e-6


def label_correlations(
    documents: Sequence[Documents],
    squares: Sequence[Documents],
    memberships: Sequence[NDArray[Any]],
    n_classes: int,
) -> NDArray[np.float64]:
    """Correlations of every term (row) with the classes, one column per class code.

    All blocks of documents are taken together. ``squares`` has the same blocks with all entries
    squared. Terms without variance get zeros.
    """
    codes = class_codes(n_classes).T
    targets = [np.asarray(block, np.float64) @ codes for block in memberships]
    n_rows = sum(len(block) for block in targets)
    target_mean = sum(block.sum(axis=0) for block in targets) / n_rows
    targets = [block - target_mean for block in targets]
    target_variance = sum((block**2).sum() for block in targets) / n_rows
    means = sum(block.column_sums() for block in documents) / n_rows
    mean_squares = sum(block.column_sums() for block in squares) / n_rows
    variance = mean_squares - means**2
    varies = variance > _ROUNDING * mean_squares
    scale = 1 / np.sqrt(
        np.where(varies, variance, 1.0) * (target_variance if target_variance > 0 else 1.0)
    )
    pairs = zip(documents, targets, strict=True)
    covariance = sum(_products(block, target) for block, target in pairs) / n_rows
    return np.asarray(covariance * (scale * varies)[:, None])


def disagreement(source: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much the class correlations of every term differ between two domains, from 0 to 1.

    0 if they are equal or both zero; 1 if one of them is zero or they have opposite signs.
    """
    sizes = np.linalg.norm(source, axis=1) + np.linalg.norm(target, axis=1)
    differences = np.linalg.norm(source - target, axis=1)
    return np.divide(differences, sizes, out=np.zeros_like(sizes), where=sizes > 0)


def quadratic_penalties(
    norms: NDArray[np.float64], l1_penalties: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Penalties ``q`` such that ``1/2 sum_j q_j w_j^2`` bounds ``sum_j p_j |w_j|`` near ``norms``.

    ``|w| <= w^2 / (2 s) + s / 2``, with equality at ``w = s``. A lower bound of the norms lets
    weights of zero become nonzero again.
    """
    return np.asarray(l1_penalties / np.sqrt(norms**2 + _SMALL_WEIGHT**2))


def _products(documents: Documents, targets: NDArray[np.float64]) -> NDArray[np.float64]:
    narrow = np.ascontiguousarray(targets, documents.dtype)
    return np.asarray(documents.transposed_times(narrow), np.float64)
