"""SC: eigenvectors of similarities that are overwritten between labeled documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.affinity import Affinity
from isthmus.numerics.eigen import largest_eigenpairs
from isthmus.solvers.spectral.cdsc import Spectrum


def without_labeled_pairs(is_labeled: Sequence[bool]) -> NDArray[np.float64]:
    """Weights of pairs of blocks: 0 for two labeled blocks, 1 for the others."""
    labeled = np.asarray(is_labeled, float)
    return 1 - np.outer(labeled, labeled)


def same_class(labels: NDArray[np.intp], columns: NDArray[Any]) -> NDArray[np.float64]:
    """Product with the matrix that is 1 for two labeled documents of one class, else 0."""
    product = np.zeros(columns.shape)
    for code in range(int(labels.max()) + 1):
        rows = labels == code
        product[rows] = columns[rows].sum(axis=0)
    return product


def spectral_classifier(
    affinity: Affinity,
    labels: NDArray[np.intp],
    is_labeled: Sequence[bool],
    *,
    n_eigenvectors: int,
    start: NDArray[Any],
    tol: float = 1e-8,
) -> Spectrum:
    """Eigenvectors of ``N = (A + d_max I - D) / d_max`` with the largest eigenvalues.

    ``A`` is ``affinity`` with 1 between labeled documents of the same class and 0 between those of
    different classes. ``is_labeled`` says of every block whether its rows are labeled; ``labels``
    has their classes (-1 if unlabeled). The returned eigenvalues are those of ``I - N``: they
    increase from 0. ``unit`` is ``d_max``.
    """
    other_pairs = affinity.reweighted(without_labeled_pairs(is_labeled))

    def overwritten(columns: NDArray[Any]) -> NDArray[Any]:
        return other_pairs.times(columns) + same_class(labels, columns)

    degrees = overwritten(np.ones((affinity.n_rows, 1)))[:, 0]
    largest = max(float(degrees.max()), np.finfo(float).tiny)
    rest = (1 - degrees / largest)[:, None]

    def product(columns: NDArray[Any]) -> NDArray[Any]:
        # 1 is added to the diagonal so that a relative tolerance means the same for all values.
        return overwritten(columns) / largest + (1 + rest) * columns

    pairs = largest_eigenpairs(product, start, n_eigenvectors, tol=tol)
    return Spectrum(2 - pairs.values, pairs.vectors, degrees, unit=largest)
