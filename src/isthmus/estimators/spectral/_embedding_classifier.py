"""Classifiers of documents that are represented by a few coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.validation import has_fit_parameter

from isthmus.estimators.base.fitted_model import array
from isthmus.estimators.components.linear_models import (
    calibrate_temperature,
    one_row_per_class,
    probabilities,
    softmax_memberships,
)
from isthmus.estimators.components.parameters import check_classifier
from isthmus.matrices.threads import one_thread

# Upper bound of the mean confidence.
_MAX_CONFIDENCE = 0.995
# Intercept of a class that is never predicted.
_NEVER = -1e9


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


#: Classifiers by name.
CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "ridge": ScaledRidge,
    "logistic": lambda: LogisticRegression(max_iter=1000),
    "svm": lambda: LinearSVC(dual=False, max_iter=1000),
    "nearest": lambda: KNeighborsClassifier(n_neighbors=1),
}
#: The linear ones among them.
LINEAR_CLASSIFIERS = ("ridge", "logistic", "svm")


@dataclass(frozen=True)
class TrainingSet:
    """Coordinates, classes and weights of the documents that a classifier is fitted to."""

    coordinates: NDArray[Any]
    labels: NDArray[np.intp]
    weights: NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class EmbeddingClassifier:
    """A fitted classifier of coordinates, in one of three forms.

    A linear classifier is ``coef`` and ``intercept``. The nearest-neighbor classifier is its
    training set. A classifier that the user passed is kept in ``estimator``, which no model file
    stores.
    """

    coef: NDArray[Any] | None = array("classes", "eigenvectors", optional=True)
    intercept: NDArray[Any] | None = array("classes", optional=True)
    training_coordinates: NDArray[Any] | None = array(
        "training_rows", "eigenvectors", public=False, optional=True
    )
    training_labels: NDArray[np.intp] | None = array("training_rows", public=False, optional=True)
    estimator: Any = None
    """A fitted scikit-learn classifier, or a class number as in :func:`fit_classifier`."""

    def classify(self, coordinates: NDArray[Any], n_classes: int) -> NDArray[Any]:
        """Class memberships of documents from their coordinates."""
        if self.coef is not None and self.intercept is not None:
            return softmax_memberships(coordinates, self.coef, self.intercept)
        if self.estimator is not None:
            return class_probabilities(self.estimator, coordinates, n_classes)
        return class_probabilities(self._nearest_neighbor, coordinates, n_classes)

    @cached_property
    def _nearest_neighbor(self) -> Any:
        """The search index of the training set, as :func:`fit_classifier` returns it."""
        coordinates, labels = self.training_coordinates, self.training_labels
        if coordinates is None or labels is None:
            raise ValueError("the classifier of the coordinates is incomplete")
        return fit_classifier("nearest", TrainingSet(coordinates, labels, np.ones(len(labels))))

    def as_fields(self) -> dict[str, Any]:
        """The fields by name, for a model that inherits them."""
        return {item.name: getattr(self, item.name) for item in fields(EmbeddingClassifier)}

    def check_classifier(self, n_classes: int) -> None:
        """Raise ValueError if fields that were read from a file contradict each other."""
        linear = [self.coef is not None, self.intercept is not None]
        nearest = [self.training_coordinates is not None, self.training_labels is not None]
        if not (all(linear) and not any(nearest)) and not (all(nearest) and not any(linear)):
            raise ValueError("the classifier of the coordinates is incomplete")
        labels = self.training_labels
        if labels is not None and (
            labels.dtype.kind != "i" or labels.min() < 0 or labels.max() >= n_classes
        ):
            raise ValueError("training_labels does not hold class numbers")


def check_embedding_classifier(classifier: Any) -> None:
    """Raise ValueError unless it is a known name or an object with a ``fit`` method."""
    check_classifier("classifier", classifier, tuple(CLASSIFIERS))


def fit_classifier(classifier: Any, training_set: TrainingSet) -> Any:
    """The fitted scikit-learn classifier; the class number if all documents have the same class.

    Weights are scaled to mean 1. Classifiers without the parameter ``sample_weight`` ignore them.
    """
    if len(np.unique(training_set.labels)) < 2:
        return int(training_set.labels[0])
    estimator = CLASSIFIERS[classifier]() if isinstance(classifier, str) else clone(classifier)
    weights = training_set.weights / training_set.weights.mean()
    weighted = {"sample_weight": weights} if has_fit_parameter(estimator, "sample_weight") else {}
    with one_thread():
        return estimator.fit(training_set.coordinates, training_set.labels, **weighted)


def class_probabilities(
    estimator: Any, coordinates: NDArray[Any], n_classes: int
) -> NDArray[np.float64]:
    """Probabilities of all classes by a result of :func:`fit_classifier`.

    Classes that are missing from the training set have probability 0.
    """
    result = np.zeros((len(coordinates), n_classes))
    if isinstance(estimator, int):
        result[:, estimator] = 1
    else:
        with one_thread():
            result[:, estimator.classes_] = probabilities(estimator, coordinates)
    return result


def embedding_classifier(
    classifier: Any, estimator: Any, training_set: TrainingSet, n_classes: int
) -> EmbeddingClassifier:
    """The form in which a model keeps a result of :func:`fit_classifier`."""
    if not isinstance(classifier, str):
        return EmbeddingClassifier(estimator=estimator)
    if classifier in LINEAR_CLASSIFIERS:
        width = training_set.coordinates.shape[1]
        coef, intercept = _linear_rule(estimator, n_classes, width)
        return EmbeddingClassifier(coef=coef, intercept=intercept)
    return EmbeddingClassifier(
        training_coordinates=training_set.coordinates, training_labels=training_set.labels
    )


def _linear_rule(estimator: Any, n_classes: int, width: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Weights and intercepts of all classes; the softmax of their scores gives probabilities."""
    coef, intercept = np.zeros((n_classes, width)), np.full(n_classes, _NEVER)
    if isinstance(estimator, int):
        intercept[estimator] = 0.0
        return coef, intercept
    known = estimator.classes_
    coef[known], intercept[known] = one_row_per_class(
        np.atleast_2d(estimator.coef_), np.atleast_1d(estimator.intercept_)
    )
    return coef, intercept
