"""A linear support vector machine by its weights, whose rows may pull to both sides.

``f = X w + h b`` minimises, with a constant feature ``h`` and the squared hinge,

``1/2 |w|^2 + 1/2 b^2 + sum_i up_i max(0, 1 - f_i)^2 + down_i max(0, 1 + f_i)^2``

A row of the positive class has ``down_i = 0``, one of the negative class ``up_i = 0``. The
objective is made of pieces of parabolas, so that Newton's method ends after a few steps: each
solves a linear system by conjugate gradients, which asks for products with the documents alone, and
then goes along the direction to its lowest point (Keerthi and DeCoste 2005).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.stacked import StackedDocuments

__all__ = ["Machine", "hinge", "least_machine"]

_MOST_STEPS = 50
_MOST_PRODUCTS = 200
# A direction need not be better than this to be worth going along.
_INNER = 0.1
# Slopes whose square is no number any more.
_NOTHING = 1e-100
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Machine:
    """Weights and what they say of the rows."""

    weights: NDArray[np.float64]
    """One a term, and last that of the constant feature."""
    scores: NDArray[np.float64]
    """``f`` of every row."""
    objective: float


def hinge(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """``max(0, 1 - f)``."""
    return np.maximum(0.0, 1.0 - scores)


class _WithConstant:
    """Documents with one more feature, the same for all; vectors in float64."""

    def __init__(self, documents: StackedDocuments, constant: float) -> None:
        self._documents = documents
        self._constant = constant

    def times(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        found = self._documents.times(weights[:-1, None].astype(self._documents.dtype))
        return found[:, 0].astype(np.float64) + self._constant * weights[-1]

    def transposed_times(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        found = self._documents.transposed_times(rows[:, None].astype(self._documents.dtype))
        return np.append(found[:, 0].astype(np.float64), self._constant * rows.sum())


def least_machine(
    documents: StackedDocuments,
    up: NDArray[np.float64],
    down: NDArray[np.float64],
    *,
    constant: float = 1.0,
    start: Machine | None = None,
    tol: float = 1e-3,
) -> Machine:
    """The machine with the least objective, from the weights of ``start`` on.

    It is reached when the slope is at most ``tol`` times that of the terms' weights at zero.
    """
    X = _WithConstant(documents, constant)
    if start is None:
        weights, scores = np.zeros(documents.shape[1] + 1), np.zeros(documents.shape[0])
    else:
        # Anew: scores that were only added to drift away in float32.
        weights, scores = start.weights, X.times(start.weights)
    at_zero = 2 * X.transposed_times(up - down)[:-1]
    enough = max(tol * float(np.linalg.norm(at_zero)), _NOTHING)
    value, last = _objective(weights, scores, up, down), np.inf
    for _ in range(_MOST_STEPS):
        pull = up * hinge(scores) - down * hinge(-scores)
        slope = weights - 2 * X.transposed_times(pull)
        size = float(np.linalg.norm(slope))
        if size <= enough:
            break
        curvature = 2 * (up * (scores < 1) + down * (scores > -1))
        step, along = _newton_step(X, curvature, slope, max(_INNER * size, 0.5 * enough))
        length = _lowest(weights, step, scores, along, up, down)
        there = _objective(weights + length * step, scores + length * along, up, down)
        # Near the end rounding hides that the objective falls, but not that the slope does.
        if there > value * (1 + _ROUNDING) or (there >= value and size > 0.5 * last):
            break
        weights, scores = weights + length * step, scores + length * along
        value, last = there, size
    return Machine(weights, scores, value)


def _objective(
    weights: NDArray[np.float64],
    scores: NDArray[np.float64],
    up: NDArray[np.float64],
    down: NDArray[np.float64],
) -> float:
    loss = up @ hinge(scores) ** 2 + down @ hinge(-scores) ** 2
    return float(0.5 * (weights @ weights) + loss)


def _newton_step(
    X: _WithConstant, curvature: NDArray[np.float64], slope: NDArray[np.float64], enough: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Conjugate gradients for ``(1 + X' diag(curvature) X) step = -slope``, and ``X step``."""
    step, along = np.zeros_like(slope), np.zeros_like(curvature)
    rest = -slope
    direction = rest.copy()
    size = float(rest @ rest)
    for _ in range(_MOST_PRODUCTS):
        seen = X.times(direction)
        bent = direction + X.transposed_times(curvature * seen)
        length = size / float(direction @ bent)
        step += length * direction
        along += length * seen
        rest -= length * bent
        before, size = size, float(rest @ rest)
        if size <= enough**2:
            break
        direction = rest + (size / before) * direction
    return step, along


def _lowest(
    weights: NDArray[np.float64],
    step: NDArray[np.float64],
    scores: NDArray[np.float64],
    along: NDArray[np.float64],
    up: NDArray[np.float64],
    down: NDArray[np.float64],
) -> float:
    """How far along the step the objective is lowest.

    Its slope there rises piece by piece along straight lines: Newton's method between two bounds.
    """
    inner, square = float(weights @ step), float(step @ step)
    low, high, length = 0.0, np.inf, 1.0
    for _ in range(60):
        here = scores + length * along
        slope = inner + length * square
        slope += 2 * float((down * hinge(-here) - up * hinge(here)) @ along)
        if slope < 0:
            low = length
        else:
            high = length
        bend = square + 2 * float((up * (here < 1) + down * (here > -1)) @ along**2)
        following = length - slope / bend
        if not low < following < high:
            following = (low + high) / 2 if np.isfinite(high) else 2 * length
        if abs(following - length) <= 1e-12 * length:
            break
        length = following
    return length
