"""Calibration of scores to probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax


def fit_inverse_temperature(scores: NDArray[np.float64], labels: NDArray[np.intp]) -> float:
    """The ``b`` for which ``softmax(b * scores)`` maximises the likelihood of the labels.

    Labels are smoothed so that ``b`` stays finite for separable classes.
    """
    n_rows, n_classes = scores.shape
    smoothing = 1 / (n_rows + 2)
    targets = np.full(scores.shape, smoothing / n_classes)
    targets[np.arange(n_rows), labels] += 1 - smoothing
    mean = float((targets * scores).sum())
    low, high = 1e-6, 1e6
    for _ in range(60):  # the likelihood is concave: bisect where its slope changes sign
        middle = np.sqrt(low * high)
        if float((softmax(middle * scores, axis=1) * scores).sum()) < mean:
            low = middle
        else:
            high = middle
    return float(middle)


def calibrate_temperature(
    coef: NDArray[Any], intercept: NDArray[Any], X: Any, confidence: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Scale a linear rule so that its mean largest probability on ``X`` is ``confidence``.

    Scaling changes no label. A rule that is fitted to hard labels is more confident than the method
    that predicted them.
    """
    return calibrate_by_scores(coef, intercept, X @ coef.T + intercept, confidence)


def calibrate_by_scores(
    coef: NDArray[Any], intercept: NDArray[Any], scores: NDArray[Any], confidence: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The same for a rule whose scores are known."""
    scale = _scale_to_confidence(scores, confidence)
    return scale * coef, scale * intercept


def with_confidence(scores: NDArray[np.float64], confidence: float) -> NDArray[np.float64]:
    """The softmax of scaled scores whose mean largest probability is ``confidence``."""
    return np.asarray(softmax(_scale_to_confidence(scores, confidence) * scores, axis=1))


def _scale_to_confidence(scores: NDArray[Any], confidence: float) -> float:
    low, high = 1e-3, 1e3
    for _ in range(40):
        scale = np.sqrt(low * high)
        if float(softmax(scale * scores, axis=1).max(axis=1).mean()) > confidence:
            high = scale
        else:
            low = scale
    return float(scale)
