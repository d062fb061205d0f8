"""From scores to probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax


def fit_inverse_temperature(scores: NDArray[np.float64], labels: NDArray[np.intp]) -> float:
    """The ``b`` for which ``softmax(b * scores)`` makes the labels most likely.

    Labels count as certain up to one in as many as there are, lest those that are told apart
    without a mistake ask for a ``b`` without bound.
    """
    n_rows, n_classes = scores.shape
    doubt = 1 / (n_rows + 2)
    wanted = np.full(scores.shape, doubt / n_classes)
    wanted[np.arange(n_rows), labels] += 1 - doubt
    mean = float((wanted * scores).sum())
    low, high = 1e-6, 1e6
    for _ in range(60):  # the likelihood is concave: where its slope changes sign
        middle = np.sqrt(low * high)
        if float((softmax(middle * scores, axis=1) * scores).sum()) < mean:
            low = middle
        else:
            high = middle
    return float(middle)
