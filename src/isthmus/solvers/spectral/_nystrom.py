"""New documents in the space of a fitted spectrum (Nyström's extension)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# A denominator so near to zero, as a share of the degree, tells of an eigenvalue of noise.
_LEAST = 0.01


def extend(
    pulled: NDArray[Any], own: NDArray[Any], unit: NDArray[Any], eigenvalues: NDArray[Any]
) -> NDArray[np.float64]:
    """Coordinates of unlabelled documents from their row of the eigenvalue equation.

    An eigenvector ``v`` of ``T v = mu D v`` has, in a row without a must-link,
    ``own v_i - (W v)_i = mu unit v_i``, so ``v_i = (W v)_i / (own - mu unit)``. For a fitted
    document that gives back its own coordinates; for another the sum is over the fitted ones.

    Parameters
    ----------
    pulled : array of shape (n_rows, k)
        ``W @ v``, the similarities to the fitted documents times their coordinates.
    own, unit : arrays of shape (n_rows,)
        The entry of the diagonal of ``T``, without the similarity itself, and that of ``D``.
    eigenvalues : array of shape (k,)

    Returns
    -------
    array of shape (n_rows, k)
        Zeros for a document that is like no fitted one.
    """
    denominators = own[:, None] - np.outer(unit, eigenvalues)
    least = _LEAST * own[:, None]
    near_zero = np.abs(denominators) < least
    denominators = np.where(near_zero, np.copysign(least, denominators), denominators)
    known = own > 0
    coordinates = np.zeros(pulled.shape)
    coordinates[known] = pulled[known] / denominators[known]
    return coordinates
