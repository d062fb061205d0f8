"""SGT: the cut of a neighbour graph, as far as its smoothest eigenvectors can tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from isthmus.matrices.threads import one_blas_thread
from isthmus.numerics.affinity import ROUNDING, Affinity, degrees_of, inverse_roots
from isthmus.numerics.eigen import largest_eigenpairs

# Halvings of the interval that holds the multiplier of the length.
_HALVINGS = 200


@dataclass(frozen=True)
class Smooth:
    """Eigenvectors of the normalised Laplacian, smoothest first, without the constant one."""

    vectors: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]
    linked: NDArray[np.bool_]
    """Rows that have a neighbour; the others have zeros."""


def smooth_vectors(
    affinity: Affinity, start: NDArray[Any], n_eigenvectors: int, *, tol: float = 1e-6
) -> Smooth:
    """The eigenvectors of ``I - D^-1/2 W D^-1/2`` with the smallest eigenvalues.

    ``start`` is as in :func:`largest_eigenpairs`.
    """
    degrees = degrees_of(affinity)
    linked = degrees > ROUNDING
    scale = inverse_roots(degrees, linked)[:, None]

    constant = np.sqrt(np.where(linked, degrees, 0.0))[:, None]
    constant /= max(float(np.linalg.norm(constant)), np.finfo(float).tiny)

    def product(columns: NDArray[Any]) -> NDArray[Any]:
        # 1 more on the diagonal, so that a relative tolerance means the same for all of them, and
        # 0 for the constant one: where the graph has several parts, others are as smooth.
        smoothed = scale * affinity.times(scale * columns) + linked[:, None] * columns
        return smoothed - 2 * constant * (constant.T @ columns)

    pairs = largest_eigenpairs(product, start * linked, n_eigenvectors, tol=tol)
    there = pairs.values > ROUNDING  # not the constant one, nor those of rows without a neighbour
    return Smooth(pairs.vectors[:, there], 2 - pairs.values[there], linked)


def transduce(
    vectors: NDArray[np.float64], positive: NDArray[np.bool_], known: NDArray[np.bool_], c: float
) -> NDArray[np.float64]:
    """For every row how far it lies on the positive side: 1 and -1 are where labels pull to.

    Minimises ``z' V D V' z + c (z - g)' C (z - g)`` over ``z = V u`` with ``z'z = n``, where ``D``
    holds 1, 4, 9, ... in place of the eigenvalues, ``g`` is ``sqrt(n- / n+)`` for positive,
    ``-sqrt(n+ / n-)`` for negative labelled rows and 0 for others, and ``C`` lets both classes
    weigh the same. What is returned is ``z`` less the middle of the two, over half their distance.
    """
    n_rows, n_vectors = vectors.shape
    n_known = int(known.sum())
    n_positive = int((known & positive).sum())
    if n_vectors == 0 or n_positive in (0, n_known):  # nothing to tell apart
        return np.full(n_rows, 1.0 if n_positive == n_known else -1.0)
    share = n_positive / n_known
    high, low = np.sqrt((1 - share) / share), -np.sqrt(share / (1 - share))
    pull = np.where(positive[known], high, low)
    cost = np.where(positive[known], 0.5 / share, 0.5 / (1 - share))
    seen = vectors[known]
    with one_blas_thread():
        gram = (seen * (c * cost)[:, None]).T @ seen
        gram[np.diag_indices(n_vectors)] += np.arange(1, n_vectors + 1) ** 2.0
        u = _on_the_sphere(gram, c * seen.T @ (cost * pull), float(n_rows))
        z = vectors @ u
    return np.asarray((z - (high + low) / 2) / ((high - low) / 2))


def _on_the_sphere(gram: NDArray[Any], right: NDArray[Any], square: float) -> NDArray[np.float64]:
    """The minimum of ``u' gram u - 2 right'u`` where ``u'u = square``.

    It is ``(gram - t)^-1 right`` for the one ``t`` below all eigenvalues of ``gram`` that makes
    its length right; the length grows with ``t``.
    """
    values, axes = eigh(gram)
    along = axes.T @ right
    length = float(np.linalg.norm(along))
    if length == 0:
        return np.sqrt(square) * axes[:, 0]
    far = length / np.sqrt(square)
    low, high = values[0] - far, values[0]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if float(((along / (values - middle)) ** 2).sum()) < square:
            low = middle
        else:
            high = middle
    u = along / (values - low)
    # Where nothing pulls along the first axis, the rest of the length lies on it.
    u[0] += np.sqrt(max(square - float((u**2).sum()), 0.0)) * (1 if u[0] >= 0 else -1)
    return np.asarray(axes @ (u * np.sqrt(square / float((u**2).sum()))))
