"""Self-training of a classifier on coordinates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.spectral._embedding_classifier import (
    TrainingSet,
    class_probabilities,
    fit_classifier,
)
from isthmus.numerics.progress import Callback, Progress


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
