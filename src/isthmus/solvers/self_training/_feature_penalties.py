"""What a term may cost a classifier that is to work in another domain as well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.solvers.self_training.coda import class_codes

__all__ = ["absolute_penalties", "disagreement", "label_correlations"]

# Weights of documents of length 1 are about 1; what is far below says nothing.
_SMALL_WEIGHT = 0.01
# What is less of a term's mean square is no variance.
_ROUNDING = 1e-6


def label_correlations(
    documents: Sequence[Documents],
    squares: Sequence[Documents],
    memberships: Sequence[NDArray[Any]],
    n_classes: int,
) -> NDArray[np.float64]:
    """Correlations of every term (row) with the classes, a column a code.

    All blocks of documents are read as one; ``squares`` has the same with every entry squared. A
    term that does not vary has zeros.
    """
    codes = class_codes(n_classes).T
    answers = [np.asarray(block, np.float64) @ codes for block in memberships]
    n_rows = sum(len(block) for block in answers)
    mean = sum(block.sum(axis=0) for block in answers) / n_rows
    answers = [block - mean for block in answers]
    spread = sum((block**2).sum() for block in answers) / n_rows
    means = sum(block.column_sums() for block in documents) / n_rows
    mean_squares = sum(block.column_sums() for block in squares) / n_rows
    variance = mean_squares - means**2
    varies = variance > _ROUNDING * mean_squares
    scale = 1 / np.sqrt(np.where(varies, variance, 1.0) * (spread if spread > 0 else 1.0))
    products = zip(documents, answers, strict=True)
    covariance = sum(_products(block, answer) for block, answer in products) / n_rows
    return np.asarray(covariance * (scale * varies)[:, None])


def disagreement(there: NDArray[np.float64], here: NDArray[np.float64]) -> NDArray[np.float64]:
    """How differently terms go with the classes at two places, by their correlations, from 0 to 1.

    0 is a term that says the same at both, 1 one that speaks at one place only, or says the
    opposite; a term that says nothing at either has 0.
    """
    sizes = np.linalg.norm(there, axis=1) + np.linalg.norm(here, axis=1)
    apart = np.linalg.norm(there - here, axis=1)
    return np.divide(apart, sizes, out=np.zeros_like(sizes), where=sizes > 0)


def absolute_penalties(
    sizes: NDArray[np.float64], prices: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Penalties on squares that stand for ``sum_j prices_j |w_j|`` near weights of given sizes.

    ``|w| <= w^2 / (2 s) + s / 2``, with equality at ``w = s``. A floor under the sizes lets a
    weight that was zero come back.
    """
    return np.asarray(prices / np.sqrt(sizes**2 + _SMALL_WEIGHT**2))


def _products(documents: Documents, answers: NDArray[np.float64]) -> NDArray[np.float64]:
    narrow = np.ascontiguousarray(answers, documents.dtype)
    return np.asarray(documents.transposed_times(narrow), np.float64)
