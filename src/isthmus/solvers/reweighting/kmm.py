"""Kernel mean matching (Huang et al. 2006) with a linear kernel: weights by a quadratic program.

No n x n matrix is computed: an iteration multiplies the documents by one vector from each side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.numerics.progress import Callback, Monitor, Stopping

# Differences of the objective (which is about 1) that are rounding errors.
_NOISE = 1e-12
# Growth of the estimated curvature, so that few steps are repeated.
_MARGIN = 1.1


@dataclass(frozen=True)
class MatchedMeans:
    """Weights of the source documents, and how they were found."""

    weights: NDArray[np.float64]
    """One weight per row of all blocks, in order."""
    objective: list[float]
    n_iter: int
    converged: bool
    interrupted: bool


@dataclass(frozen=True)
class _Point:
    """Weights ``b``, and the difference of the means ``X'b/n - m``."""

    weights: NDArray[np.float64]
    difference: NDArray[np.float64]

    def beyond(self, before: _Point, factor: float) -> _Point:
        """The point ``factor`` times the last step ahead; the difference needs no product."""
        return _Point(
            self.weights + factor * (self.weights - before.weights),
            self.difference + factor * (self.difference - before.difference),
        )


def kernel_mean_matching(
    blocks: Sequence[Documents],
    target_mean: NDArray[np.float64],
    *,
    max_weight: float,
    epsilon: float,
    stopping: Stopping,
    callback: Callback | None = None,
) -> MatchedMeans:
    """Minimize ``||X'b / n - m||^2 / ||m||^2`` over the weights ``b`` of the n rows of all blocks.

    ``m`` is ``target_mean``. The constraints are ``0 <= b <= max_weight`` and
    ``|mean(b) - 1| <= epsilon``, with ``max_weight >= 1``. The solver is an accelerated projected
    gradient from equal weights. It restarts when the momentum points uphill, and a step that would
    increase the objective is not made. All weights are 1 if there is nothing to match: no row, or
    a zero mean.
    """
    monitor = Monitor(stopping, callback)
    n_rows = sum(block.shape[0] for block in blocks)
    scale = float(target_mean @ target_mean)
    if n_rows == 0 or scale == 0:
        monitor.begin(0.0)
        monitor.finished(0.0, np.nan)
        return MatchedMeans(
            np.ones(n_rows), monitor.objective, monitor.n_iter, True, monitor.interrupted
        )
    source = _Source(blocks, target_mean)
    bounds = max(0.0, 1 - epsilon) * n_rows, (1 + epsilon) * n_rows
    current = previous = source.point(np.ones(n_rows))
    value = float(current.difference @ current.difference) / scale
    monitor.begin(value)
    momentum = 1.0
    for _ in range(stopping.max_iter):
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = current.beyond(previous, (momentum - 1) / following)
        new = source.step(ahead, max_weight, bounds)
        new_value = float(new.difference @ new.difference) / scale
        if new_value > value + _NOISE:  # the momentum is too large
            momentum, previous = 1.0, current
        else:
            uphill = (ahead.weights - new.weights) @ (new.weights - current.weights) > 0
            momentum = 1.0 if uphill else following
            previous, current, value = current, new, new_value
        if monitor.finished(value, np.nan):
            break
    return MatchedMeans(
        current.weights, monitor.objective, monitor.n_iter, monitor.converged, monitor.interrupted
    )


def mean_document(blocks: Sequence[Documents], n_terms: int) -> NDArray[np.float64]:
    """Mean of the rows of all blocks that are not empty; zeros if there is none."""
    n_filled = sum(int((block.row_norms() > 0).sum()) for block in blocks)
    total = np.zeros(n_terms)
    for block in blocks:
        total += block.column_sums()
    return total / max(n_filled, 1)


def project(
    values: NDArray[np.float64], most: float, sums: tuple[float, float]
) -> NDArray[np.float64]:
    """The nearest vector with entries from 0 to ``most`` and a sum within the bounds ``sums``.

    It is ``clip(values - shift, 0, most)``. The sum of it falls with the shift, linearly between
    the shifts at which an entry reaches a bound.
    """
    clipped = np.clip(values, 0, most)
    total = float(np.clip(clipped.sum(), *sums))
    if total == clipped.sum():
        return clipped
    shifts = np.concatenate([values - most, values])
    order = np.argsort(shifts, kind="stable")
    shifts = shifts[order]
    n_moving = np.cumsum(np.where(order < len(values), 1, -1))  # entries strictly within the bounds
    falls = np.concatenate([[0.0], np.cumsum(n_moving[:-1] * np.diff(shifts))])
    place = int(np.searchsorted(falls, most * len(values) - total, side="right")) - 1
    middle = (shifts[place] + shifts[min(place + 1, len(shifts) - 1)]) / 2
    moving = (values > middle) & (values - most < middle)
    if not moving.any():  # all entries are at a bound
        return np.clip(values - middle, 0, most)
    # Computed again from the entries that move, because the sum of many falls is rounded.
    n_at_most = int((values - most >= middle).sum())
    shift = (values[moving].sum() + most * n_at_most - total) / moving.sum()
    return np.clip(values - shift, 0, most)


class _Source:
    """The source documents of all blocks and the mean that their weighted mean is to match."""

    def __init__(self, blocks: Sequence[Documents], target_mean: NDArray[np.float64]) -> None:
        self._blocks = blocks
        self._target_mean = target_mean
        self._starts = np.cumsum([block.shape[0] for block in blocks])[:-1]
        self._n_rows = sum(block.shape[0] for block in blocks)
        squared_norm = sum(block.squared_norm() for block in blocks)
        self._most_curvature = squared_norm / self._n_rows**2
        # The vector of ones is close to the first singular vector of non-negative documents.
        mean = self.point(np.ones(self._n_rows)).difference + target_mean
        self._curvature = min(_MARGIN * float(mean @ mean) / self._n_rows, self._most_curvature)

    def point(self, weights: NDArray[np.float64]) -> _Point:
        total = np.zeros(len(self._target_mean))
        for block, part in zip(self._blocks, np.split(weights, self._starts), strict=True):
            total += block.transposed_times(_column(part, block))[:, 0]
        return _Point(weights, total / self._n_rows - self._target_mean)

    def step(self, start: _Point, max_weight: float, sums: tuple[float, float]) -> _Point:
        """A projected gradient step, with the curvature along it as inverse step size.

        The curvature is at least the estimated one; it is raised when a step finds a larger one, up
        to the trace of ``XX'/n^2``, which no direction exceeds.
        """
        parts = [block.times(_column(start.difference, block))[:, 0] for block in self._blocks]
        gradient = np.concatenate(parts).astype(np.float64) / self._n_rows
        while True:
            if self._curvature == 0:  # all documents are empty
                return start
            new = self.point(project(start.weights - gradient / self._curvature, max_weight, sums))
            squared_length = float(((new.weights - start.weights) ** 2).sum())
            growth = float(((new.difference - start.difference) ** 2).sum())
            if (
                growth <= self._curvature * squared_length
                or self._curvature >= self._most_curvature
            ):
                return new
            raised = _MARGIN * growth / max(squared_length, np.finfo(float).tiny)
            self._curvature = min(raised, self._most_curvature)


def _column(vector: NDArray[Any], block: Documents) -> NDArray[Any]:
    """A vector as an operand of the products of the documents."""
    return np.asarray(vector[:, None], block.dtype)
