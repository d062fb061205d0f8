"""Penalties on terms whose correlation with the classes differs between two sets of documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.solvers.self_training.coda import class_codes

__all__ = ["disagreement", "label_correlations", "quadratic_penalties"]

# Weights on unit-norm rows are about 1; this is small in comparison.
_SMALL_WEIGHT = 0.01
# A smaller proportion of a term's mean square is not a variance.
_ROUNDING = 1e-6


def label_correlations(
    documents: Documents,
    square_sums: NDArray[np.float64],
    memberships: NDArray[Any],
    included: NDArray[np.bool_],
    n_classes: int,
) -> NDArray[np.float64]:
    """Correlations of every term (row) with the classes, one column per class code.

    Only the ``included`` documents count. ``square_sums`` has the sum of their squared entries for
    every term. Terms without variance get zeros.
    """
    codes = class_codes(n_classes).T
    n_rows = int(included.sum())
    weights = included[:, None].astype(np.float64)
    targets = weights * (np.asarray(memberships, np.float64) @ codes)
    targets -= weights * (targets.sum(axis=0) / n_rows)
    target_variance = float((targets**2).sum()) / n_rows
    # One pass over the documents gives the sums of the terms and their products with the classes.
    columns = np.ascontiguousarray(np.hstack([weights, targets]), documents.dtype)
    products = np.asarray(documents.transposed_times(columns), np.float64) / n_rows
    means, covariance = products[:, 0], products[:, 1:]
    mean_squares = square_sums / n_rows
    variance = mean_squares - means**2
    varies = variance > _ROUNDING * mean_squares
    scale = 1 / np.sqrt(
        np.where(varies, variance, 1.0) * (target_variance if target_variance > 0 else 1.0)
    )
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
