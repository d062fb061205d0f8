"""Truncated Newton method for linear classifiers, over ``X @ W`` and ``X.T @ R``.

Minimizes ``1/2 ||W||^2 + C * sum_i weight_i * loss_i(x_i @ W + b)``. Every Newton direction is
computed by conjugate gradients, which also give the scores of the direction. A step along it
therefore needs no further product with the documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Documents, Engine

# Conjugate gradients end if the rest of their decrease is below this proportion of it.
_REST = 0.5
_MAX_INNER = 250
# A step must achieve this proportion of the decrease that the gradient predicts.
_SUFFICIENT = 1e-4
_MAX_HALVINGS = 30


@dataclass(frozen=True)
class LinearFit:
    """A fitted linear classifier, as NumPy arrays."""

    coef: NDArray[np.float64]
    """One row per class; a single row for two classes, with the scores of the second class."""
    intercept: NDArray[np.float64]
    n_iter: int
    converged: bool


class RowLoss(Protocol):
    """The loss of the rows of one block, as a function of their scores.

    The weights of the rows are included. Scores have one row per document, in float64.
    """

    def total(self, scores: Array) -> Array:
        """Return the sum over the rows: one value per column."""
        ...

    def derivatives(self, scores: Array) -> tuple[Array, Array]:
        """Return the gradient of every row, and what ``curved`` needs at these scores."""
        ...

    def curved(self, curvature: Array, change: Array) -> Array:
        """Return the product of the Hessian of every row with a change of its scores."""
        ...


def minimize(
    blocks: Sequence[Documents],
    losses: Sequence[RowLoss],
    n_columns: int,
    *,
    C: float,
    separate: bool,
    penalize_intercept: bool,
    max_iter: int,
    tol: float,
) -> LinearFit:
    """Return the minimum, found from zero weights.

    ``separate`` is for losses that are sums over the columns: every column then has a step of its
    own. One loss per block of documents. The fit ends if the objective is estimated to be within
    the proportion ``tol`` of its minimum, or no longer decreases.
    """
    problem = _Problem(blocks, losses, C, separate, penalize_intercept, tol)
    xp, engine = problem.xp, problem.engine
    weights = xp.zeros((problem.n_terms + 1, n_columns))
    scores = [block.full(0.0, n_columns) for block in blocks]
    objective = problem.objective(weights, scores)
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        direction = problem.direction(weights, scores, objective)
        step, reached = problem.line_search(weights, scores, objective, direction)
        width = engine.asarray(step)
        weights = weights + width * direction.weights
        scores = [s + width * d for s, d in zip(scores, direction.scores, strict=True)]
        # The error of the quadratic model, and what conjugate gradients left over.
        missed = np.abs(objective - reached - direction.decrease) + direction.rest
        decreases = bool((reached < objective).any())
        objective = reached
        converged = not decreases or bool((missed <= tol * objective).all())
    found = engine.to_host(weights)
    return LinearFit(np.ascontiguousarray(found[:-1].T), found[-1].copy(), n_iter, converged)


@dataclass(frozen=True)
class _Direction:
    weights: Array
    """One row per term, and the intercept in the last row."""
    scores: list[Array]
    """Change of the scores of every block by a step of 1."""
    slope: NDArray[np.float64]
    """Derivative of the objective along the direction, one value per column or one in all."""
    decrease: NDArray[np.float64]
    """Decrease of the objective by a step of 1, according to the quadratic model."""
    rest: NDArray[np.float64]
    """Upper bound of the decrease that a more exact direction would add."""


class _Problem:
    def __init__(
        self,
        blocks: Sequence[Documents],
        losses: Sequence[RowLoss],
        C: float,
        separate: bool,
        penalize_intercept: bool,
        tol: float,
    ) -> None:
        self.engine: Engine = blocks[0].engine
        self.xp: Any = self.engine.xp
        self.n_terms = blocks[0].shape[1]
        self._blocks, self._losses = blocks, losses
        self._C, self._separate, self._tol = C, separate, tol
        self._intercept_penalty = 1.0 if penalize_intercept else 0.0

    def objective(self, weights: Array, scores: Sequence[Array]) -> NDArray[np.float64]:
        total = 0.5 * self._dot(weights, self._penalized(weights))
        for loss, part in zip(self._losses, scores, strict=True):
            total = total + self._C * self._per_column(loss.total(part))
        return total

    def direction(
        self, weights: Array, scores: Sequence[Array], objective: NDArray[np.float64]
    ) -> _Direction:
        """Solve ``H d = -gradient`` by conjugate gradients, as exactly as is worthwhile."""
        gradients, curvatures = [], []
        for loss, part in zip(self._losses, scores, strict=True):
            gradient, curvature = loss.derivatives(part)
            gradients.append(gradient)
            curvatures.append(curvature)
        gradient = self._penalized(weights) + self._C * self._transposed_times(gradients)
        residual, conjugate = -gradient, -gradient
        change = self.xp.zeros(weights.shape)
        moved = [self.xp.zeros_like(part) for part in scores]
        squared = self._dot(residual, residual)
        decrease, enough = np.zeros(len(squared)), 0.5 * self._tol * objective
        active = squared > 0
        for _ in range(_MAX_INNER):
            if not active.any():
                break
            products = self._times(conjugate)
            curved = [
                loss.curved(curvature, part)
                for loss, curvature, part in zip(self._losses, curvatures, products, strict=True)
            ]
            product = self._penalized(conjugate) + self._C * self._transposed_times(curved)
            bend = self._dot(conjugate, product)
            # Columns that are finished have a length of 0 and stay as they are.
            active &= bend > 0
            length = np.where(active, squared / np.where(active, bend, 1.0), 0.0)
            width = self.engine.asarray(length)
            change += width * conjugate
            for part, added in zip(moved, products, strict=True):
                part += width * added
            residual -= width * product
            decrease = decrease + 0.5 * length * squared
            before, squared = squared, self._dot(residual, residual)
            # The Hessian is at least the identity, except for an intercept without a penalty, so
            # half of this is about the most that is missing.
            active &= 0.5 * squared > np.maximum(_REST * decrease, enough)
            ratio = np.where(active, squared / np.where(before > 0, before, 1.0), 0.0)
            conjugate = residual + self.engine.asarray(ratio) * conjugate
        return _Direction(change, moved, self._dot(gradient, change), decrease, 0.5 * squared)

    def line_search(
        self,
        weights: Array,
        scores: Sequence[Array],
        objective: NDArray[np.float64],
        direction: _Direction,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Halve the step until it decreases the objective; return it with the new objective."""
        step = np.ones(len(objective))
        rounding = 1e-13 * objective
        for _ in range(_MAX_HALVINGS):
            width = self.engine.asarray(step)
            reached = self.objective(
                weights + width * direction.weights,
                [s + width * d for s, d in zip(scores, direction.scores, strict=True)],
            )
            accepted = reached <= objective + _SUFFICIENT * step * direction.slope + rounding
            if bool(accepted.all()):
                return step, reached
            step = np.where(accepted, step, step / 2)
        return np.where(accepted, step, 0.0), np.where(accepted, reached, objective)

    def _times(self, weights: Array) -> list[Array]:
        terms, intercept = weights[:-1], weights[-1]
        return [block.times(terms.astype(block.dtype)) + intercept for block in self._blocks]

    def _transposed_times(self, parts: Sequence[Array]) -> Array:
        """Return the products with the terms and, in the last row, with the intercept."""
        total = self.xp.zeros((self.n_terms + 1, parts[0].shape[1]))
        for block, part in zip(self._blocks, parts, strict=True):
            total[:-1] += block.transposed_times(part.astype(block.dtype))
            total[-1] += part.sum(axis=0)
        return total

    def _penalized(self, weights: Array) -> Array:
        """Return the gradient of half the squared norm."""
        gradient = weights.copy()
        gradient[-1] *= self._intercept_penalty
        return gradient

    def _dot(self, left: Array, right: Array) -> NDArray[np.float64]:
        """Return the sums of products, one per column or one in all."""
        return self._per_column((left * right).sum(axis=0))

    def _per_column(self, values: Array) -> NDArray[np.float64]:
        found = np.asarray(self.engine.to_host(values), np.float64)
        return found if self._separate else found.sum(keepdims=True)
