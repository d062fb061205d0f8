"""Classifiers of documents that a method has brought down to a few coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.validation import has_fit_parameter

from isthmus.estimators.components.init_classifier import probabilities
from isthmus.estimators.components.linear_models import for_every_class
from isthmus.estimators.components.parameters import check_choice
from isthmus.estimators.spectral._scaled_ridge import ScaledRidge
from isthmus.matrices.threads import one_thread

_NEVER = -1e9  # the intercept of a class that is not to be predicted

#: Classifiers by name.
CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "ridge": ScaledRidge,
    "logistic": lambda: LogisticRegression(max_iter=1000),
    "svm": lambda: LinearSVC(dual=False, max_iter=1000),
    "nearest": lambda: KNeighborsClassifier(n_neighbors=1),
}
#: Those of them that are a row of weights a class.
LINEAR = ("ridge", "logistic", "svm")


@dataclass(frozen=True)
class TrainingSet:
    """What a classifier is taught: coordinates, classes, and how much each document counts."""

    coordinates: NDArray[Any]
    labels: NDArray[np.intp]
    weights: NDArray[Any]

    def forgotten(self) -> TrainingSet:
        """One document of zeros in the place of all."""
        nothing = np.zeros((1, self.coordinates.shape[1]), self.coordinates.dtype)
        return TrainingSet(nothing, np.zeros(1, np.intp), np.ones(1))


def check_classifier(classifier: Any) -> None:
    """Raise ValueError unless it is a known name or an object that can be fitted."""
    if isinstance(classifier, str):
        check_choice("classifier", classifier, tuple(CLASSIFIERS))
    elif not hasattr(classifier, "fit"):
        names = ", ".join(repr(name) for name in CLASSIFIERS)
        raise ValueError(
            f"classifier must be {names} or a scikit-learn classifier, got {classifier!r}."
        )


def taught(classifier: Any, lesson: TrainingSet) -> Any:
    """The classifier fitted to the lesson; a number where the lesson has one class alone.

    Weights have a mean of 1, and are for classifiers that know what to do with them.
    """
    if len(np.unique(lesson.labels)) < 2:
        return int(lesson.labels[0])
    model = CLASSIFIERS[classifier]() if isinstance(classifier, str) else clone(classifier)
    weights = lesson.weights / lesson.weights.mean()
    weighted = {"sample_weight": weights} if has_fit_parameter(model, "sample_weight") else {}
    with one_thread():
        return model.fit(lesson.coordinates, lesson.labels, **weighted)


def class_shares(model: Any, coordinates: NDArray[Any], n_classes: int) -> NDArray[Any]:
    """Probabilities of all classes; those that the lesson had not get none."""
    shares = np.zeros((len(coordinates), n_classes))
    if isinstance(model, int):
        shares[:, model] = 1
    else:
        with one_thread():
            shares[:, model.classes_] = probabilities(model, coordinates)
    return shares


def linear_rule(model: Any, n_classes: int, width: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Weights and intercepts of all classes, whose softmax are the probabilities of the model."""
    coef, intercept = np.zeros((n_classes, width)), np.full(n_classes, _NEVER)
    if isinstance(model, int):
        intercept[model] = 0.0
        return coef, intercept
    found = for_every_class(np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_))
    coef[model.classes_], intercept[model.classes_] = found
    return coef, intercept
