"""Ridge classification with calibrated probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from isthmus.estimators.spectral._embedding_classifier import ScaledRidge


def test_weighted_least_squares_with_confidence_equal_to_accuracy():
    generator = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = generator.standard_normal((300, 4)) + 2 * np.eye(4)[y]
    weights = generator.random(300)
    model = ScaledRidge(0.2).fit(X, y, sample_weight=weights)
    w = weights / weights.sum()
    centered = X - w @ X
    covariance = (centered * w[:, None]).T @ centered
    penalty = 0.2 * np.eye(4)
    Y = 2 * np.eye(3)[y] - 1  # scikit-learn codes a class as 1 and the others as -1
    B = np.linalg.solve(covariance + penalty, (centered * w[:, None]).T @ (Y - w @ Y))
    scores = centered @ B + w @ Y
    np.testing.assert_array_equal(model.predict(X), scores.argmax(axis=1))
    accuracy = np.mean(model.predict(X) == y)
    assert model.predict_proba(X).max(axis=1).mean() == pytest.approx(accuracy, abs=0.02)
    reference = LogisticRegression().fit(X, y)
    assert accuracy > reference.score(X, y) - 0.03
