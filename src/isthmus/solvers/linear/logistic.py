"""Logistic regression, binary and multinomial, with the objective of scikit-learn.

Minimizes ``1/2 ||W||^2 + C * sum_i weight_i * log-loss_i``. The intercepts have no penalty. Two
classes have one column of weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Documents
from isthmus.solvers.linear._newton import LinearFit, RowLoss, minimize

__all__ = ["LinearFit", "logistic_regression"]

# Distance of the objective from its minimum, as a proportion.
_TOLERANCE = 1e-7


def logistic_regression(
    blocks: Sequence[Documents],
    labels: Sequence[NDArray[np.intp]],
    n_classes: int,
    *,
    C: float = 1.0,
    max_iter: int = 100,
    sample_weight: Sequence[NDArray[Any]] | None = None,
) -> LinearFit:
    """Fit to blocks of documents with a class number for every row.

    ``labels`` and ``sample_weight`` have one NumPy array per block. ``max_iter`` limits the Newton
    iterations; 5 to 15 are usual. A class without rows gets no weight and an intercept that
    decreases in every iteration, so leave such classes out.
    """
    loss = _Binary if n_classes == 2 else _Multinomial
    weights = [None] * len(blocks) if sample_weight is None else sample_weight
    losses: list[RowLoss] = [
        loss(block, codes, row_weights, n_classes)
        for block, codes, row_weights in zip(blocks, labels, weights, strict=True)
    ]
    return minimize(
        blocks,
        losses,
        1 if n_classes == 2 else n_classes,
        C=C,
        separate=False,
        penalize_intercept=False,
        max_iter=max_iter,
        tol=_TOLERANCE,
    )


class _Binary:
    def __init__(
        self, block: Documents, labels: NDArray[np.intp], weights: NDArray[Any] | None, _: int
    ) -> None:
        self._xp: Any = block.engine.xp
        self._target = block.asarray(labels[:, None], np.float64)
        self._weights = _column(block, weights)

    def total(self, scores: Array) -> Array:
        xp = self._xp
        # log(1 + exp(s)) - target * s, without overflow.
        softplus = xp.maximum(scores, 0) + xp.log1p(xp.exp(-xp.abs(scores)))
        return (self._weights * (softplus - self._target * scores)).sum(axis=0)

    def derivatives(self, scores: Array) -> tuple[Array, Array]:
        xp = self._xp
        decay = xp.exp(-xp.abs(scores))
        probability = xp.where(scores >= 0, 1.0, decay) / (1 + decay)
        curvature = self._weights * decay / (1 + decay) ** 2
        return self._weights * (probability - self._target), curvature

    def curved(self, curvature: Array, change: Array) -> Array:
        return curvature * change


class _Multinomial:
    def __init__(
        self,
        block: Documents,
        labels: NDArray[np.intp],
        weights: NDArray[Any] | None,
        n_classes: int,
    ) -> None:
        self._xp: Any = block.engine.xp
        classes = block.engine.asarray(np.arange(n_classes))
        self._target = block.asarray(labels[:, None]) == classes
        self._weights = _column(block, weights)

    def total(self, scores: Array) -> Array:
        xp = self._xp
        shifted = scores - scores.max(axis=1, keepdims=True)
        normalizer = xp.log(xp.exp(shifted).sum(axis=1, keepdims=True))
        # One value per column: the term of every row is in the column of its class.
        losses = self._weights * xp.where(self._target, normalizer - shifted, 0.0)
        return losses.sum(axis=0)

    def derivatives(self, scores: Array) -> tuple[Array, Array]:
        xp = self._xp
        probabilities = xp.exp(scores - scores.max(axis=1, keepdims=True))
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        return self._weights * (probabilities - self._target), probabilities

    def curved(self, curvature: Array, change: Array) -> Array:
        products = curvature * change
        products -= curvature * products.sum(axis=1, keepdims=True)
        return self._weights * products


def _column(block: Documents, weights: NDArray[Any] | None) -> Any:
    return 1.0 if weights is None else block.asarray(weights[:, None], np.float64)
