"""Scales of scores for which their softmax has given properties, on the arrays of any engine."""

from __future__ import annotations

import numpy as np

from isthmus.matrices.protocols import Array, Engine


def most_likely_scale(scores: Array, labels: Array, engine: Engine) -> float:
    """The ``b`` for which ``softmax(b * scores)`` maximizes the likelihood of the labels.

    Scores have one row per document, in float64, and labels are class numbers. Labels are smoothed
    so that ``b`` stays finite for separable classes.
    """
    xp, (n_rows, n_classes) = engine.xp, scores.shape
    smoothing = 1 / (n_rows + 2)
    # A number that is added to a row of scores changes nothing.
    below = scores - scores.max(axis=1, keepdims=True)
    given = float(below[xp.arange(n_rows), labels].sum())
    mean = (1 - smoothing) * given + smoothing / n_classes * float(below.sum())
    low, high = 1e-6, 1e6
    for _ in range(60):  # the likelihood is concave: bisect where its slope changes sign
        middle = float(np.sqrt(low * high))
        powers = xp.exp(middle * below)
        if float(((powers * below).sum(axis=1) / powers.sum(axis=1)).sum()) < mean:
            low = middle
        else:
            high = middle
    return middle


def scale_to_confidence(scores: Array, confidence: float, engine: Engine) -> float:
    """The ``b`` for which the mean largest probability in ``softmax(b * scores)`` is as given."""
    below = scores - scores.max(axis=1, keepdims=True)
    low, high = 1e-3, 1e3
    for _ in range(40):
        middle = float(np.sqrt(low * high))
        # The exponential of the largest score is 1.
        if float((1 / engine.xp.exp(middle * below).sum(axis=1)).mean()) > confidence:
            high = middle
        else:
            low = middle
    return middle


def softmax_rows(scores: Array, engine: Engine) -> Array:
    """The softmax of every row."""
    powers = engine.xp.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
