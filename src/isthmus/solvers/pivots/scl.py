"""Structural correspondence: common directions of the linear predictors of pivots.

With ``X`` the documents (one row each) without their pivots and ``P`` the presence of the pivots,
one linear predictor per pivot is fitted by ridge regression, all of them at once:

``W = (X'X + lambda I)^-1 X'P``.

Two words with similar rows of ``W`` occur with the same pivots, in any domain. ``theta`` are the
leading left singular vectors of ``W`` with its columns scaled to norm 1.

``X'X`` is never formed: the equations are solved by conjugate gradients, some columns at a time.
Every step takes two products with the documents, and about ten steps are needed unless lambda is
very small compared to the largest eigenvalue of ``X'X``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from isthmus.matrices.protocols import Array
from isthmus.matrices.threads import one_blas_thread
from isthmus.numerics.eigen import with_fixed_signs
from isthmus.numerics.truncated_svd import Rows

# Number of predictors that are fitted at once. Wide products are faster per column (three times
# faster than with 8 columns), and only a few arrays of this width are in memory next to ``W``.
_WIDTH = 64
# The relative residual at which conjugate gradients stop is this, times the square root of the
# machine precision. With a larger residual the result would depend on rounding, and so on the order
# of the documents.
_RESIDUAL = 1.0
_MAX_STEPS = 200


class SelectedTerms:
    """Some columns of documents, without a copy of their entries."""

    def __init__(self, documents: Rows, terms: NDArray[np.intp]) -> None:
        self._documents, self._terms = documents, terms
        self.engine = documents.engine
        self.shape = (documents.shape[0], len(terms))
        self.dtype: np.dtype[Any] = documents.dtype

    def times(self, right: Array) -> NDArray[Any]:
        padded = np.zeros((self._documents.shape[1], right.shape[1]), self.dtype)
        padded[self._terms] = right
        return self._documents.times(padded)

    def transposed_times(self, left: Array) -> NDArray[Any]:
        return self._documents.transposed_times(left)[self._terms]


@dataclass(frozen=True)
class Correspondences:
    """Leading singular vectors of the predictors of the pivots."""

    directions: NDArray[Any]
    """``theta``: one row per term, orthonormal columns; one column of zeros if no pivot can be
    predicted."""
    pivots: NDArray[np.float64]
    """The right singular vectors, one row per pivot."""
    singular_values: NDArray[np.float64]
    """Singular values of ``W``, largest first."""


def correspondences(documents: Rows, pivots: Rows, rank: int, lam: float) -> Correspondences:
    """The ``rank`` leading singular vectors of the predictors, or fewer if the rank is lower.

    Every predictor is scaled to norm 1 first, so that all pivots have the same weight.
    """
    W = predictors(documents, pivots, lam)
    norms = np.sqrt(_squares(W))
    W *= _ratio(np.ones_like(norms), norms).astype(W.dtype)
    with one_blas_thread():
        return _singular_vectors(W, rank)


def predictors(documents: Rows, pivots: Rows, lam: float) -> NDArray[Any]:
    """``W = (X'X + lambda I)^-1 X'P``: one row per term, one column per pivot."""
    n_pivots = pivots.shape[1]
    W = np.empty((documents.shape[1], n_pivots), documents.dtype)
    for start in range(0, n_pivots, _WIDTH):
        columns = np.eye(n_pivots, dtype=documents.dtype)[:, start : start + _WIDTH]
        presence = pivots.times(np.ascontiguousarray(columns))
        # The centered presence of a pivot that all documents contain is rounding.
        rounding = 100 * np.finfo(presence.dtype).eps
        presence *= np.abs(presence).max(axis=0, initial=0.0) > rounding
        W[:, start : start + _WIDTH] = _ridge(documents, presence, lam)
    return W


def _ridge(documents: Rows, values: NDArray[Any], lam: float) -> NDArray[Any]:
    """``(X'X + lambda I)^-1 X' values`` by conjugate gradients, separately for every column."""
    residual = documents.transposed_times(values)
    solution = np.zeros_like(residual)
    direction = residual.copy()
    scaled = np.empty_like(residual)  # allocation would take longer than the product
    squares = _squares(residual)
    tolerance = _RESIDUAL**2 * np.finfo(residual.dtype).eps * squares
    for _ in range(_MAX_STEPS):
        if (squares <= tolerance).all():
            break
        product = documents.transposed_times(documents.times(direction))
        product += np.multiply(direction, residual.dtype.type(lam), out=scaled)
        curvature = np.einsum("ij,ij->j", direction, product, dtype=np.float64)
        step = _ratio(squares, curvature).astype(residual.dtype)
        solution += np.multiply(direction, step, out=scaled)
        residual -= np.multiply(product, step, out=scaled)
        previous, squares = squares, _squares(residual)
        direction *= _ratio(squares, previous).astype(residual.dtype)
        direction += residual
    return solution


def _squares(columns: NDArray[Any]) -> NDArray[np.float64]:
    return np.einsum("ij,ij->j", columns, columns, dtype=np.float64)


def _ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quotient, or 0 where the denominator is 0, as in columns that are solved exactly."""
    zeros = np.zeros_like(numerator)
    return np.divide(numerator, denominator, out=zeros, where=denominator > 0)


def _singular_vectors(W: NDArray[Any], rank: int) -> Correspondences:
    """Singular vectors of ``W`` by the eigenvectors of ``W'W``, which is small."""
    values, vectors = eigh((W.T @ W).astype(np.float64))
    order = np.argsort(values)[::-1][:rank]
    # Smaller eigenvalues are rounding.
    order = order[values[order] > 10 * np.finfo(W.dtype).eps * max(values.max(initial=0.0), 0.0)]
    if len(order) == 0:
        no_pivots = np.zeros((len(vectors), 1))
        return Correspondences(np.zeros((len(W), 1), W.dtype), no_pivots, np.zeros(1))
    s, V = np.sqrt(values[order]), with_fixed_signs(vectors[:, order])
    return Correspondences(W @ (V / s).astype(W.dtype), V, s)
