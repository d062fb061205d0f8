"""Calibration of scores to probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from isthmus.matrices.engines import current_engine
from isthmus.numerics.class_probabilities import most_likely_scale, scale_to_confidence


def fit_inverse_temperature(scores: NDArray[np.float64], labels: NDArray[np.intp]) -> float:
    """The ``b`` for which ``softmax(b * scores)`` maximizes the likelihood of the labels."""
    engine = current_engine()
    return most_likely_scale(engine.asarray(scores), engine.asarray(labels), engine)


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
    engine = current_engine()
    return scale_to_confidence(engine.asarray(scores, np.float64), confidence, engine)
