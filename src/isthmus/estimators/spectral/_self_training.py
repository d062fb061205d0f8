"""A classifier that is taught again with the labels that it found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.spectral._embedding_classifier import TrainingSet, class_shares, taught
from isthmus.numerics.progress import Callback, Progress


def class_weights(labels: NDArray[np.intp]) -> NDArray[np.float64]:
    """Weights of documents under which every class that occurs counts the same."""
    sizes = np.bincount(labels)
    return 1 / sizes[labels]


def first_lesson(coordinates: NDArray[Any], labels: NDArray[np.intp]) -> TrainingSet:
    """The labelled documents, every class counting the same."""
    known = np.flatnonzero(labels >= 0)
    return TrainingSet(coordinates[known], labels[known], class_weights(labels[known]))


def lessons(
    classifier: Any,
    coordinates: NDArray[Any],
    labels: NDArray[np.intp],
    n_classes: int,
    rounds: int,
    callback: Callback | None,
) -> Iterator[TrainingSet]:
    """What the classifier is taught, round by round: the last is the one to take.

    The first lesson has the labelled documents alone (labels of the others are below 0), every
    other one also those without a label, as the classifier taught before has labelled them. The
    two halves count the same, and so does every class in either.
    """
    lesson = first_lesson(coordinates, labels)
    yield lesson
    unknown = np.flatnonzero(labels < 0)
    before = None
    for number in range(1, rounds + 1):
        if len(unknown) == 0:
            return
        shares = class_shares(taught(classifier, lesson), coordinates[unknown], n_classes)
        found = shares.argmax(axis=1)
        changed = 1.0 if before is None else float(np.mean(found != before))
        if changed == 0:
            return
        before = found
        known = first_lesson(coordinates, labels)
        lesson = TrainingSet(
            np.vstack([known.coordinates, coordinates[unknown]]),
            np.concatenate([known.labels, found]),
            np.concatenate([known.weights, class_weights(found)]),
        )
        yield lesson
        uncertainty = 1 - float(shares.max(axis=1).mean())
        if callback is not None and callback(Progress(number, uncertainty, changed)):
            return
