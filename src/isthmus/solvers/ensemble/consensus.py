"""Consensus of several classifiers without knowing which of them is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from isthmus.numerics.class_probabilities import shift_to_prior

# Steps of the EM algorithm of Dawid and Skene; the weights hardly change after ten.
_STEPS = 20
# Lower bound of probabilities under the logarithm. A smaller one would let a single classifier
# that is wrong and certain decide.
_MIN_PROBABILITY = 1e-6
# Bounds of the proportions that labels are shifted to.
_MIN_PROPORTION = 1e-4


@dataclass(frozen=True)
class Consensus:
    """Scores of the documents by all classifiers together."""

    scores: NDArray[np.float64]
    """One row per document, one column per class; the mean margin is 2."""
    accuracies: NDArray[np.float64]
    """Accuracy of every classifier, if their errors were independent."""


def consensus(memberships: Sequence[NDArray[Any]]) -> Consensus:
    """Combine memberships of the same documents by several classifiers.

    The labels are combined by the one-coin model of Dawid and Skene: every classifier has one
    accuracy, which is estimated from the labels of all of them by EM. The log posteriors and the
    mean log memberships are scaled to the same mean margin and added, so that the certainty of a
    classifier about a document counts as much as its label.
    """
    labels = [part.argmax(axis=1) for part in memberships]
    posteriors, accuracies = _one_coin(labels, memberships[0].shape[1])
    logs = [centered_logs(part) for part in memberships]
    mean = logs[0].copy()
    for part in logs[1:]:
        mean += part
    return Consensus(scaled_scores(posteriors) + scaled_scores(mean), accuracies)


def centered_logs(memberships: NDArray[Any]) -> NDArray[np.float64]:
    """Log memberships minus their mean over the classes."""
    logs = np.log(np.maximum(memberships.astype(np.float64), _MIN_PROBABILITY))
    return np.asarray(logs - logs.mean(axis=1, keepdims=True))


def scaled_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores with mean 0 in every row and mean margin 1."""
    centered = scores - scores.mean(axis=1, keepdims=True)
    if len(scores) == 0 or scores.shape[1] < 2:
        return np.asarray(centered)
    largest = np.partition(centered, -2, axis=1)[:, -2:]
    margin = float((largest[:, 1] - largest[:, 0]).mean())
    return np.asarray(centered / max(margin, 1e-9))


def scores_at_prior(scores: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores shifted so that the predicted classes have the proportions of ``prior``."""
    bounded = np.maximum(prior, _MIN_PROPORTION)
    shift = shift_to_prior(softmax(scores, axis=1), bounded / bounded.sum())
    return np.asarray(scores + shift)


def label_proportions(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Proportions of the classes with the largest score."""
    counts = np.bincount(scores.argmax(axis=1), minlength=scores.shape[1])
    return counts / max(len(scores), 1)


def mean_agreement(labels: Sequence[NDArray[np.intp]]) -> float:
    """Mean proportion of documents on which two classifiers agree, over all pairs."""
    pairs = [
        float(np.mean(left == right))
        for i, left in enumerate(labels)
        for right in labels[:i]
        if len(left)
    ]
    return float(np.mean(pairs)) if pairs else 1.0


def _one_coin(
    labels: Sequence[NDArray[np.intp]], n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Log posteriors of the classes up to a constant per row, and accuracies."""
    rows = np.arange(len(labels[0]))
    posteriors = np.zeros((len(rows), n_classes))
    for part in labels:
        posteriors[rows, part] += 1 / len(labels)
    low = min(1 / n_classes + 0.01, 0.98)
    accuracies = np.full(len(labels), low)
    scores = posteriors
    for _ in range(_STEPS if len(rows) else 0):
        right = [float(posteriors[rows, part].mean()) for part in labels]
        accuracies = np.clip(right, low, 0.99)
        prior = np.maximum(posteriors.mean(axis=0), 1e-3)
        weights = np.log(accuracies * max(n_classes - 1, 1) / (1 - accuracies))
        scores = np.tile(np.log(prior), (len(rows), 1))
        for weight, part in zip(weights, labels, strict=True):
            scores[rows, part] += weight
        posteriors = softmax(scores, axis=1)
    return scores, accuracies
