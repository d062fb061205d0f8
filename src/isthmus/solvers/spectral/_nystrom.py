"""Nyström extension: coordinates of new documents in a fitted spectrum."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Denominators below this proportion of the degree come from eigenvalues that are noise.
_MIN_DENOMINATOR = 0.01


def extend(
    products: NDArray[Any],
    degrees: NDArray[Any],
    masses: NDArray[Any],
    eigenvalues: NDArray[Any],
) -> NDArray[np.float64]:
    """Coordinates of unlabeled documents from their row of the eigenvalue equation.

    In a row without a must-link, an eigenvector ``v`` of ``T v = mu D v`` satisfies
    ``t_i v_i - (W v)_i = mu d_i v_i``, so ``v_i = (W v)_i / (t_i - mu d_i)``. For a fitted document
    this gives its own coordinates. For a new document the sum runs over the fitted documents.

    Parameters
    ----------
    products : array of shape (n_rows, k)
        ``W @ v``, the similarities to the fitted documents times their coordinates.
    degrees : array of shape (n_rows,)
        ``t``, the diagonal of ``T`` without the similarity of a document to itself.
    masses : array of shape (n_rows,)
        ``d``, the diagonal of ``D``.
    eigenvalues : array of shape (k,)

    Returns
    -------
    array of shape (n_rows, k)
        Zeros for a document that is similar to no fitted one.
    """
    denominators = degrees[:, None] - np.outer(masses, eigenvalues)
    smallest = _MIN_DENOMINATOR * degrees[:, None]
    near_zero = np.abs(denominators) < smallest
    denominators = np.where(near_zero, np.copysign(smallest, denominators), denominators)
    known = degrees > 0
    coordinates = np.zeros(products.shape)
    coordinates[known] = products[known] / denominators[known]
    return coordinates
