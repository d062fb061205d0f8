"""Linear support vector machine in the primal, with soft labels.

``f = X w + h b`` minimizes, with a constant feature ``h`` and the squared hinge loss,

``1/2 |w|^2 + 1/2 b^2 + sum_i p_i max(0, 1 - f_i)^2 + n_i max(0, 1 + f_i)^2``

with weights ``p_i`` for the positive and ``n_i`` for the negative class. A document with a known
label has one of them 0. The objective is piecewise quadratic, so Newton's method needs few steps:
each solves a linear system by conjugate gradients, which only needs products with the documents,
followed by an exact line search (Keerthi and DeCoste 2005).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.derived_documents import StackedDocuments

_MAX_NEWTON_STEPS = 50
_MAX_GRADIENT_STEPS = 200
_MAX_LINE_STEPS = 60
# Relative residual of the Newton direction.
_INNER_TOLERANCE = 0.1
# Smaller gradients underflow when they are squared.
_SMALLEST_GRADIENT = 1e-100
_ROUNDING = 1e-13


@dataclass(frozen=True)
class LinearSVM:
    """Fitted weights and the scores of the fitted rows."""

    weights: NDArray[np.float64]
    """One weight per term, followed by that of the constant feature."""
    scores: NDArray[np.float64]
    """``f`` of every row."""
    objective: float


def hinge(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """``max(0, 1 - f)``."""
    return np.maximum(0.0, 1.0 - scores)


class _WithConstant:
    """Documents with a constant feature; vectors are float64."""

    def __init__(self, documents: StackedDocuments, constant: float) -> None:
        self._documents = documents
        self._constant = constant

    def times(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        column = weights[:-1, None].astype(self._documents.dtype)
        products = self._documents.times(column)
        return products[:, 0].astype(np.float64) + self._constant * weights[-1]

    def transposed_times(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        column = values[:, None].astype(self._documents.dtype)
        products = self._documents.transposed_times(column)
        return np.append(products[:, 0].astype(np.float64), self._constant * values.sum())


def fit_svm(
    documents: StackedDocuments,
    positive: NDArray[np.float64],
    negative: NDArray[np.float64],
    *,
    constant: float = 1.0,
    initial: LinearSVM | None = None,
    tol: float = 1e-3,
) -> LinearSVM:
    """Minimize the objective, from the weights of ``initial``.

    ``positive`` and ``negative`` are the weights of every row in the two classes. The fit stops
    when the norm of the gradient is at most ``tol`` times that of the terms' gradient at zero.
    """
    X = _WithConstant(documents, constant)
    if initial is None:
        weights, scores = np.zeros(documents.shape[1] + 1), np.zeros(documents.shape[0])
    else:
        # Computed again, because scores that are only updated accumulate float32 errors.
        weights, scores = initial.weights, X.times(initial.weights)
    gradient_at_zero = 2 * X.transposed_times(positive - negative)[:-1]
    tolerance = max(tol * float(np.linalg.norm(gradient_at_zero)), _SMALLEST_GRADIENT)
    value, previous_norm = _objective(weights, scores, positive, negative), np.inf
    for _ in range(_MAX_NEWTON_STEPS):
        slack = positive * hinge(scores) - negative * hinge(-scores)
        gradient = weights - 2 * X.transposed_times(slack)
        norm = float(np.linalg.norm(gradient))
        if norm <= tolerance:
            break
        curvature = 2 * (positive * (scores < 1) + negative * (scores > -1))
        inner_tolerance = max(_INNER_TOLERANCE * norm, 0.5 * tolerance)
        step, score_step = _newton_step(X, curvature, gradient, inner_tolerance)
        length = _line_search(weights, step, scores, score_step, positive, negative)
        new_weights, new_scores = weights + length * step, scores + length * score_step
        new_value = _objective(new_weights, new_scores, positive, negative)
        # Near the minimum, rounding hides the decrease of the objective but not of the gradient.
        if new_value > value * (1 + _ROUNDING) or (
            new_value >= value and norm > 0.5 * previous_norm
        ):
            break
        weights, scores = new_weights, new_scores
        value, previous_norm = new_value, norm
    return LinearSVM(weights, scores, value)


def _objective(
    weights: NDArray[np.float64],
    scores: NDArray[np.float64],
    positive: NDArray[np.float64],
    negative: NDArray[np.float64],
) -> float:
    loss = positive @ hinge(scores) ** 2 + negative @ hinge(-scores) ** 2
    return float(0.5 * (weights @ weights) + loss)


def _newton_step(
    X: _WithConstant,
    curvature: NDArray[np.float64],
    gradient: NDArray[np.float64],
    tolerance: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Solve ``(1 + X' diag(curvature) X) step = -gradient``; returns ``step`` and ``X step``."""
    step, score_step = np.zeros_like(gradient), np.zeros_like(curvature)
    residual = -gradient
    direction = residual.copy()
    square = float(residual @ residual)
    for _ in range(_MAX_GRADIENT_STEPS):
        scores = X.times(direction)
        product = direction + X.transposed_times(curvature * scores)
        length = square / float(direction @ product)
        step += length * direction
        score_step += length * scores
        residual -= length * product
        previous, square = square, float(residual @ residual)
        if square <= tolerance**2:
            break
        direction = residual + (square / previous) * direction
    return step, score_step


def _line_search(
    weights: NDArray[np.float64],
    step: NDArray[np.float64],
    scores: NDArray[np.float64],
    score_step: NDArray[np.float64],
    positive: NDArray[np.float64],
    negative: NDArray[np.float64],
) -> float:
    """The step length with the least objective.

    The derivative along the step is increasing and piecewise linear, so this is Newton's method
    with bisection as a safeguard.
    """
    inner, square = float(weights @ step), float(step @ step)
    low, high, length = 0.0, np.inf, 1.0
    for _ in range(_MAX_LINE_STEPS):
        here = scores + length * score_step
        slope = inner + length * square
        slope += 2 * float((negative * hinge(-here) - positive * hinge(here)) @ score_step)
        if slope < 0:
            low = length
        else:
            high = length
        active = positive * (here < 1) + negative * (here > -1)
        curvature = square + 2 * float(active @ score_step**2)
        new_length = length - slope / curvature
        if not low < new_length < high:
            new_length = (low + high) / 2 if np.isfinite(high) else 2 * length
        if abs(new_length - length) <= 1e-12 * length:
            break
        length = new_length
    return length
