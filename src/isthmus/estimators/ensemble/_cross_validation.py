"""Accuracy and scores on labeled documents by classifiers that were not trained on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.class_prior.cross_val_scores import CrossValScores, cross_val_scores
from isthmus.estimators.ensemble._sample import sample_of
from isthmus.matrices.engines import is_distributed

__all__ = ["CrossValidation", "cross_validate"]

# Five classifiers are fitted, so a sample of larger data is enough.
_MAX_ROWS, _MAX_DOCUMENTS = 20_000, 5_000


@dataclass(frozen=True)
class CrossValidation:
    """The result of a cross-validation on the labeled documents."""

    accuracy: float
    z_score: float
    """Accuracy above that of random labels in the same proportions, in standard errors."""
    scores: CrossValScores
    is_complete: bool
    """Whether the scores are those of all documents, not of a sample."""


def cross_validate(data: TrainingData) -> CrossValidation | None:
    """Cross-validation of a logistic regression; None for hardly any labels.

    Of large data, a sample of the documents is used.
    """
    is_complete = data.problem.n_rows <= _MAX_ROWS
    if is_complete and is_distributed(data.X):
        data = sample_of(data, _MAX_ROWS).data  # all rows, in this process
    elif not is_complete:
        data = sample_of(data, _MAX_DOCUMENTS).data
    scores = cross_val_scores(data.problem, data.X)
    if len(scores.labels) == 0 or len(scores.codes) < 2:
        return None
    predicted = scores.known.argmax(axis=1)
    accuracy = float(np.mean(predicted == scores.labels))
    n_labels, n_classes = len(predicted), len(scores.codes)
    proportions = [np.bincount(part, minlength=n_classes) for part in (predicted, scores.labels)]
    random = float(proportions[0] @ proportions[1]) / n_labels**2
    error = np.sqrt(max(random * (1 - random), 1e-12) / n_labels)
    return CrossValidation(accuracy, float((accuracy - random) / error), scores, is_complete)
