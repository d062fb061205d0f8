"""SGT: a cut of the neighbor graph in the space of its smoothest eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from isthmus.matrices.threads import one_blas_thread
from isthmus.numerics.affinity import ROUNDING, Affinity, degrees_of, inverse_sqrt_degrees
from isthmus.numerics.eigen import largest_eigenpairs

# Maximum number of bisections for the Lagrange multiplier.
_MAX_BISECTIONS = 200


@dataclass(frozen=True)
class SmoothVectors:
    """Eigenvectors of the normalized Laplacian by rising eigenvalue, without the constant one."""

    vectors: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]
    connected: NDArray[np.bool_]
    """Which rows have a neighbor; the vectors are zero in the others."""


def smooth_vectors(
    affinity: Affinity, start: NDArray[Any], n_eigenvectors: int, *, tol: float = 1e-6
) -> SmoothVectors:
    """The eigenvectors of ``I - D^-1/2 W D^-1/2`` with the smallest eigenvalues.

    ``start`` is as in :func:`largest_eigenpairs`.
    """
    degrees = degrees_of(affinity)
    connected = degrees > ROUNDING
    scale = inverse_sqrt_degrees(degrees, connected)[:, None]

    constant = np.sqrt(np.where(connected, degrees, 0.0))[:, None]
    constant /= max(float(np.linalg.norm(constant)), np.finfo(float).tiny)

    def product(columns: NDArray[Any]) -> NDArray[Any]:
        # Adding 1 to the diagonal makes the relative tolerance about equal for all eigenvalues. The
        # constant vector is moved to eigenvalue 0, because other components are equally smooth.
        smoothed = scale * affinity.times(scale * columns) + connected[:, None] * columns
        return smoothed - 2 * constant * (constant.T @ columns)

    pairs = largest_eigenpairs(product, start * connected, n_eigenvectors, tol=tol)
    # Drop the constant vector and those of rows without a neighbor.
    kept = pairs.values > ROUNDING
    return SmoothVectors(pairs.vectors[:, kept], 2 - pairs.values[kept], connected)


def transduce(
    vectors: NDArray[np.float64], positive: NDArray[np.bool_], known: NDArray[np.bool_], c: float
) -> NDArray[np.float64]:
    """Scores of all rows for the positive class; the values of labels are 1 and -1.

    Minimizes ``z' V D V' z + c (z - g)' C (z - g)`` over ``z = V u`` with ``z'z = n``, where ``D``
    holds 1, 4, 9, ... in place of the eigenvalues, ``g`` is ``sqrt(n- / n+)`` for positive,
    ``-sqrt(n+ / n-)`` for negative labeled rows and 0 for others, and ``C`` gives both classes the
    same total weight. Returns ``z`` minus the midpoint of the two values, divided by half their
    distance.
    """
    n_rows, n_vectors = vectors.shape
    n_known = int(known.sum())
    n_positive = int((known & positive).sum())
    if n_vectors == 0 or n_positive in (0, n_known):  # a single class
        return np.full(n_rows, 1.0 if n_positive == n_known else -1.0)
    proportion = n_positive / n_known
    high = np.sqrt((1 - proportion) / proportion)
    low = -np.sqrt(proportion / (1 - proportion))
    label_values = np.where(positive[known], high, low)
    cost = np.where(positive[known], 0.5 / proportion, 0.5 / (1 - proportion))
    known_vectors = vectors[known]
    with one_blas_thread():
        gram = (known_vectors * (c * cost)[:, None]).T @ known_vectors
        gram[np.diag_indices(n_vectors)] += np.arange(1, n_vectors + 1) ** 2.0
        right = c * known_vectors.T @ (cost * label_values)
        u = _minimum_on_sphere(gram, right, float(n_rows))
        z = vectors @ u
    return np.asarray((z - (high + low) / 2) / ((high - low) / 2))


def _minimum_on_sphere(
    gram: NDArray[Any], right: NDArray[Any], square: float
) -> NDArray[np.float64]:
    """The minimum of ``u' gram u - 2 right'u`` subject to ``u'u = square``.

    It is ``(gram - t)^-1 right``, where the multiplier ``t`` is below all eigenvalues of ``gram``.
    The norm of the solution grows with ``t``, so ``t`` is found by bisection.
    """
    values, axes = eigh(gram)
    rotated = axes.T @ right
    norm = float(np.linalg.norm(rotated))
    if norm == 0:
        return np.sqrt(square) * axes[:, 0]
    low, high = values[0] - norm / np.sqrt(square), values[0]
    for _ in range(_MAX_BISECTIONS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if float(((rotated / (values - middle)) ** 2).sum()) < square:
            low = middle
        else:
            high = middle
    u = rotated / (values - low)
    # If the right-hand side is orthogonal to the first axis, the rest of the norm lies on it.
    u[0] += np.sqrt(max(square - float((u**2).sum()), 0.0)) * (1 if u[0] >= 0 else -1)
    return np.asarray(axes @ (u * np.sqrt(square / float((u**2).sum()))))
