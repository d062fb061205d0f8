"""Least squares on a few coordinates, with probabilities as certain as it is right."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import RidgeClassifier

from isthmus.estimators.components.linear_models import (
    calibrate_temperature,
    for_every_class,
    linear_memberships,
)

# Nobody is surer than this, however right on what was taught.
_SUREST = 0.995


class ScaledRidge(ClassifierMixin, BaseEstimator):
    """Regularised least squares on coordinates whose scale says how much they may count.

    Minimises ``sum_i w_i ||y_i - B' z_i - b||^2 + alpha ||B||^2`` with weights ``w`` of sum 1, so
    that ``alpha`` means the same for any number of documents. The probabilities are a softmax of
    the answers, scaled to a mean confidence that is the share of the training documents that it
    gets right.

    Parameters
    ----------
    alpha : float, default=0.1
    """

    def __init__(self, alpha: float = 0.1) -> None:
        self.alpha = alpha

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from coordinates ``X`` of documents of classes ``y``."""
        X = np.asarray(X, np.float64)
        weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
        weights = weights / weights.sum()
        model = RidgeClassifier(alpha=self.alpha).fit(X, y, sample_weight=weights)
        rule = for_every_class(np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_))
        right = float(weights @ (model.predict(X) == y))
        self.classes_ = model.classes_
        least = 1 / len(self.classes_)
        self.coef_, self.intercept_ = calibrate_temperature(
            *rule, X, float(np.clip(right, least, _SUREST))
        )
        return self

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Probabilities of the classes, rows summing to 1."""
        return linear_memberships(np.asarray(X, np.float64), self.coef_, self.intercept_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
