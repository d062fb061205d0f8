"""Self-training of a classifier on coordinates, and of the ridge classifier on any engine."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.labels import one_hot
from isthmus.estimators.spectral._embedding_classifier import (
    ScaledRidge,
    TrainingSet,
    class_probabilities,
    expected_confidence,
    fit_classifier,
)
from isthmus.matrices.protocols import Array, Engine
from isthmus.numerics.class_probabilities import scale_to_confidence, softmax_rows
from isthmus.numerics.progress import Callback, Progress
from isthmus.solvers.spectral._coordinates import weighted_ridge


class SelfTrained(NamedTuple):
    """The classifier of the last round."""

    estimator: Any
    """As :func:`fit_classifier` returns it."""
    training_set: TrainingSet
    n_rounds: int
    """Rounds after the first fit."""


def self_train(
    classifier: Any,
    coordinates: NDArray[Any],
    labels: NDArray[np.intp],
    n_classes: int,
    n_rounds: int,
    callback: Callback | None,
) -> SelfTrained:
    """Fit to the labeled documents, then also to the others with their predicted labels.

    Unlabeled documents have labels below 0. Both halves of the training set have the same total
    weight, and so has every class in each half. Training stops when no predicted label changes.
    """
    known, unknown = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
    labeled = TrainingSet(coordinates[known], labels[known], class_weights(labels[known]))
    trained = SelfTrained(fit_classifier(classifier, labeled), labeled, 0)
    if len(unknown) == 0:
        return trained
    previous = None
    for number in range(1, n_rounds + 1):
        probabilities = class_probabilities(trained.estimator, coordinates[unknown], n_classes)
        predicted = probabilities.argmax(axis=1)
        changed = 1.0 if previous is None else float(np.mean(predicted != previous))
        if changed == 0:
            break
        previous = predicted
        training_set = TrainingSet(
            np.vstack([labeled.coordinates, coordinates[unknown]]),
            np.concatenate([labeled.labels, predicted]),
            np.concatenate([labeled.weights, class_weights(predicted)]),
        )
        trained = SelfTrained(fit_classifier(classifier, training_set), training_set, number)
        uncertainty = 1 - float(probabilities.max(axis=1).mean())
        if callback is not None and callback(Progress(number, uncertainty, changed)):
            break
    return trained


def class_weights(labels: NDArray[np.intp]) -> NDArray[np.float64]:
    """Document weights that give every class the same total weight."""
    sizes = np.bincount(labels)
    return 1 / sizes[labels]


def self_train_ridge(
    coordinates: Array,
    labels: NDArray[np.intp],
    n_classes: int,
    n_rounds: int,
    callback: Callback | None,
    engine: Engine,
) -> SelfTrained:
    """The same as :func:`self_train` with the classifier "ridge", on the arrays of an engine.

    ``labels`` is a NumPy array with at least two classes; unlabeled documents have labels below 0.
    Between rounds only numbers and small matrices are transferred.
    """
    trainer = _Trainer(coordinates, labels, n_classes, engine)
    ridge, done = trainer.fit(None), 0
    previous = None
    for number in range(1, n_rounds + 1 if trainer.n_unknown else 1):
        predicted = trainer.predicted
        changed = 1.0 if previous is None else trainer.proportion(predicted != previous)
        if changed == 0:
            break
        previous, uncertainty = predicted, 1 - trainer.confidence
        ridge, done = trainer.fit(predicted), number
        if callback is not None and callback(Progress(number, uncertainty, changed)):
            break
    width = np.zeros((1, coordinates.shape[1]))
    return SelfTrained(ridge, TrainingSet(width, labels[:1], np.ones(1)), done)


class _Trainer:
    """Documents, their given labels, and the predictions of the last fit."""

    def __init__(
        self, coordinates: Array, labels: NDArray[np.intp], n_classes: int, engine: Engine
    ) -> None:
        self._engine, self._xp = engine, engine.xp
        self._coordinates = coordinates.astype(np.float64, copy=False)
        given = labels >= 0
        self._known = engine.asarray(given)
        self.n_unknown = int(np.count_nonzero(~given))
        weights = np.zeros(len(labels))
        weights[given] = class_weights(labels[given])
        self._weights = engine.asarray(weights)
        self._one_hot = engine.asarray(one_hot(labels, n_classes))
        self.predicted: Array = None
        """The class of every document."""
        self.confidence = 1.0
        """Mean largest probability of the unlabeled documents."""

    def fit(self, predicted: Array | None) -> ScaledRidge:
        """Fit to the labeled documents and, if given, to the predicted labels of the others."""
        engine, xp = self._engine, self._xp
        unknown, classes, weights = ~self._known, self._one_hot, self._weights
        trained = self._known
        if predicted is not None:
            chosen = predicted[:, None] == xp.arange(classes.shape[1])
            others = (chosen & unknown[:, None]).astype(np.float64)
            sizes = engine.to_host(others.sum(axis=0))
            classes = classes + others
            weights = weights + engine.product(others, 1 / np.maximum(sizes, 1)[:, None])[:, 0]
            trained = xp.ones(len(weights), bool)
        weights = weights / float(weights.sum())
        ridge = ScaledRidge()
        rule = weighted_ridge(self._coordinates, classes, weights, ridge.alpha, engine)
        scores = rule.scores(self._coordinates, engine)
        self.predicted = rule.labels(scores, engine)
        # The label of a document in one column, to compare it with the predicted one.
        correct = (classes.argmax(axis=1) == self.predicted) & trained
        accuracy = float((weights * correct).sum())
        confidence = expected_confidence(accuracy, len(rule.classes))
        scale = scale_to_confidence(scores[trained], confidence, engine)
        largest = softmax_rows(scale * scores, engine).max(axis=1)
        self.confidence = self.proportion(largest)
        ridge.classes_ = rule.classes
        ridge.coef_, ridge.intercept_ = scale * rule.coef, scale * rule.intercept
        return ridge

    def proportion(self, values: Any) -> float:
        """The mean over the unlabeled documents."""
        return float(self._xp.where(self._known, 0, values).sum()) / max(1, self.n_unknown)
