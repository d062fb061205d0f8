"""Structural correspondence: what words have in common, seen by the pivots that they foretell.

With ``X`` the documents (a row each) without their pivots and ``P`` the presence of the pivots, one
linear predictor a pivot is learnt by least squares, all of them at once:

``W = (X'X + lambda I)^-1 X'P``.

Two words whose rows of ``W`` are alike occur where the same pivots do, whichever domain uses them.
``theta``, the leading left singular vectors of ``W`` with its columns scaled to length 1, are the
directions of such likeness.

``X'X`` is never formed: the equations are solved by conjugate gradients, some columns at a time,
which takes two products with the documents a step and, with a lambda that is no tiny share of the
largest eigenvalue of ``X'X``, about ten steps.
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

# Predictors that are learnt at a time: wide products are quicker a column (three times quicker
# than with 8 columns), and a few arrays of this width are held beside ``W``.
_WIDTH = 64
# What may be left of the right-hand side, as a share of its length, is the root of the precision
# times this: conjugate gradients that stop early depend on rounding, and so on the order of the
# documents, as much as on what is left.
_RESIDUAL = 1.0
_MOST_STEPS = 200


class SomeTerms:
    """Documents of which some terms are seen alone; no entry of theirs is copied."""

    def __init__(self, documents: Rows, terms: NDArray[np.intp]) -> None:
        self._documents, self._terms = documents, terms
        self.shape = (documents.shape[0], len(terms))
        self.dtype: np.dtype[Any] = documents.dtype

    def times(self, right: Array) -> NDArray[Any]:
        whole = np.zeros((self._documents.shape[1], right.shape[1]), self.dtype)
        whole[self._terms] = right
        return self._documents.times(whole)

    def transposed_times(self, left: Array) -> NDArray[Any]:
        return self._documents.transposed_times(left)[self._terms]


@dataclass(frozen=True)
class Correspondences:
    """What the predictors of the pivots have in common."""

    directions: NDArray[Any]
    """``theta``, a row a term, orthonormal columns; one column of zeros if no pivot can be foretold
    by a term."""
    pivots: NDArray[np.float64]
    """The right singular vectors: a row a pivot."""
    singular_values: NDArray[np.float64]
    """How much of ``W`` lies in each, the most first."""


def correspondences(documents: Rows, pivots: Rows, rank: int, lam: float) -> Correspondences:
    """The leading left singular vectors of the predictors; fewer if there are no more.

    Every predictor is scaled to length 1 first, so that each pivot counts the same.
    """
    W = predictors(documents, pivots, lam)
    lengths = np.sqrt(_squares(W))
    W *= _ratio(np.ones_like(lengths), lengths).astype(W.dtype)
    with one_blas_thread():
        return _singular_vectors(W, rank)


def predictors(documents: Rows, pivots: Rows, lam: float) -> NDArray[Any]:
    """``W = (X'X + lambda I)^-1 X'P``: a row a term, a column a pivot."""
    n_pivots = pivots.shape[1]
    W = np.empty((documents.shape[1], n_pivots), documents.dtype)
    for start in range(0, n_pivots, _WIDTH):
        columns = np.eye(n_pivots, dtype=documents.dtype)[:, start : start + _WIDTH]
        presence = pivots.times(np.ascontiguousarray(columns))
        # A pivot that all documents hold has nothing but rounding left beside its mean.
        rounding = 100 * np.finfo(presence.dtype).eps
        presence *= np.abs(presence).max(axis=0, initial=0.0) > rounding
        W[:, start : start + _WIDTH] = _ridge(documents, presence, lam)
    return W


def _ridge(documents: Rows, answers: NDArray[Any], lam: float) -> NDArray[Any]:
    """``(X'X + lambda I)^-1 X' answers``: conjugate gradients, every column by itself."""
    rest = documents.transposed_times(answers)
    solution = np.zeros_like(rest)
    direction = rest.copy()
    scaled = np.empty_like(rest)  # new memory for every product would cost more than the product
    squares = _squares(rest)
    enough = _RESIDUAL**2 * np.finfo(rest.dtype).eps * squares
    for _ in range(_MOST_STEPS):
        if (squares <= enough).all():
            break
        product = documents.transposed_times(documents.times(direction))
        product += np.multiply(direction, rest.dtype.type(lam), out=scaled)
        curvature = np.einsum("ij,ij->j", direction, product, dtype=np.float64)
        step = _ratio(squares, curvature).astype(rest.dtype)
        solution += np.multiply(direction, step, out=scaled)
        rest -= np.multiply(product, step, out=scaled)
        before, squares = squares, _squares(rest)
        direction *= _ratio(squares, before).astype(rest.dtype)
        direction += rest
    return solution


def _squares(columns: NDArray[Any]) -> NDArray[np.float64]:
    return np.einsum("ij,ij->j", columns, columns, dtype=np.float64)


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Zero where both are: a column that is solved to the last digit moves no more."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _singular_vectors(W: NDArray[Any], rank: int) -> Correspondences:
    """By the products of its columns, of which there are few."""
    values, vectors = eigh((W.T @ W).astype(np.float64))
    order = np.argsort(values)[::-1][:rank]
    # What is less than this is rounding of the products.
    order = order[values[order] > 10 * np.finfo(W.dtype).eps * max(values.max(initial=0.0), 0.0)]
    if len(order) == 0:
        nothing = np.zeros((len(vectors), 1))
        return Correspondences(np.zeros((len(W), 1), W.dtype), nothing, np.zeros(1))
    lengths, vectors = np.sqrt(values[order]), with_fixed_signs(vectors[:, order])
    return Correspondences(W @ (vectors / lengths).astype(W.dtype), vectors, lengths)
