"""Calibration of scores to probabilities."""

from __future__ import annotations

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
