"""Ridge classification of coordinates, with probabilities that match the training accuracy."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import RidgeClassifier

from isthmus.estimators.components.linear_models import (
    one_row_per_class,
    softmax_memberships,
)
from isthmus.estimators.components.temperature import calibrate_temperature

# Upper bound of the mean confidence.
_MAX_CONFIDENCE = 0.995


class ScaledRidge(ClassifierMixin, BaseEstimator):
    """Regularized least squares on coordinates whose scale reflects their importance.

    Minimizes ``sum_i w_i ||y_i - B' z_i - b||^2 + alpha ||B||^2`` with weights ``w`` that sum to 1,
    so that ``alpha`` means the same for any number of documents. The probabilities are a softmax of
    the predictions, scaled so that the mean confidence equals the training accuracy.

    Parameters
    ----------
    alpha : float, default=0.1
    """

    def __init__(self, alpha: float = 0.1) -> None:
        self.alpha = alpha

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to coordinates ``X`` of documents with classes ``y``."""
        X = np.asarray(X, np.float64)
        weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
        weights = weights / weights.sum()
        model = RidgeClassifier(alpha=self.alpha).fit(X, y, sample_weight=weights)
        rule = one_row_per_class(np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_))
        accuracy = float(weights @ (model.predict(X) == y))
        self.classes_ = model.classes_
        confidence = expected_confidence(accuracy, len(self.classes_))
        self.coef_, self.intercept_ = calibrate_temperature(*rule, X, confidence)
        return self

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Class probabilities; rows sum to 1."""
        return softmax_memberships(np.asarray(X, np.float64), self.coef_, self.intercept_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest probability."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def expected_confidence(accuracy: float, n_classes: int) -> float:
    """The mean confidence for a training accuracy."""
    return float(np.clip(accuracy, 1 / n_classes, _MAX_CONFIDENCE))
