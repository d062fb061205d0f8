"""Fitting the temperature of a softmax."""

from __future__ import annotations

import numpy as np

from isthmus.estimators.components.linear_models import fit_inverse_temperature


def test_inverse_temperature_is_recovered_from_labels():
    generator = np.random.default_rng(0)
    scores = generator.standard_normal((4000, 3))
    probabilities = np.exp(2.5 * scores)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    labels = (probabilities.cumsum(axis=1) < generator.random((4000, 1))).sum(axis=1)
    assert abs(fit_inverse_temperature(scores, labels) - 2.5) < 0.2
    assert np.isfinite(fit_inverse_temperature(scores, scores.argmax(axis=1)))
