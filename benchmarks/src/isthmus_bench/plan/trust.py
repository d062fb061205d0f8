"""How far the probabilities and the verdict of a fitted classifier can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from isthmus.estimators.base.verdict import Verdict

__all__ = [
    "COVERAGES", "TRUST_FIELDS", "calibration_error", "calibration_fields", "surest_accuracy",
    "total_variation", "verdict_fields",
]  # fmt: skip

TRUST_FIELDS = (
    "calibration_error", "surest_quarter_accuracy", "surest_half_accuracy",
    "surest_three_quarters_accuracy", "estimated_accuracy", "estimated_low", "estimated_high",
    "source_only_estimate", "verdict", "prior_error", "source_prior_error",
)  # fmt: skip
"""The fields of a result that this module writes."""
COVERAGES = {
    "surest_quarter_accuracy": 0.25,
    "surest_half_accuracy": 0.5,
    "surest_three_quarters_accuracy": 0.75,
}
"""Fields with the accuracy on the documents with the highest confidence, and their proportion."""
_N_BINS = 15


def calibration_fields(
    distributions: np.ndarray, classes: np.ndarray, predicted: np.ndarray, labels: np.ndarray
) -> dict[str, float]:
    """The calibration error of class probabilities and the accuracy at several coverages.

    ``distributions`` has one row per scored document and one column per class of ``classes``.
    Nothing is returned if a probability is not finite.
    """
    if not len(labels) or not np.isfinite(distributions).all():
        return {}
    confidence = distributions.max(axis=1)
    correct = classes[distributions.argmax(axis=1)] == labels
    return {
        "calibration_error": calibration_error(confidence, correct),
        **{
            field: surest_accuracy(confidence, predicted == labels, coverage)
            for field, coverage in COVERAGES.items()
        },
    }


def calibration_error(confidence: np.ndarray, correct: np.ndarray, n_bins: int = _N_BINS) -> float:
    """The expected calibration error, with bins of equal width.

    It is the mean over the documents of the absolute difference between the mean confidence and
    the accuracy of their bin.
    """
    bins = np.clip((confidence * n_bins).astype(int), 0, n_bins - 1)
    difference = np.bincount(bins, confidence - correct.astype(float), minlength=n_bins)
    return float(np.abs(difference).sum() / len(correct))


def surest_accuracy(confidence: np.ndarray, correct: np.ndarray, share: float) -> float:
    """The accuracy on the fraction of the documents with the highest confidence.

    Documents with the confidence at the limit count in part, so that their order does not matter.
    """
    size = max(1.0, share * len(confidence))
    limit = np.sort(confidence)[::-1][int(np.ceil(size)) - 1]
    above, equal = confidence > limit, confidence == limit
    part = (size - np.count_nonzero(above)) / np.count_nonzero(equal)
    return float(
        (np.count_nonzero(correct[above]) + part * np.count_nonzero(correct[equal])) / size
    )


def verdict_fields(
    verdict: Verdict, labels: np.ndarray, classes: tuple[Any, ...]
) -> dict[str, float | str]:
    """The estimates of a verdict, and the errors of its class proportions.

    ``labels`` are the true labels of the documents without a visible label. The errors are total
    variation distances between estimated and true class proportions, from 0 to 1.
    """
    truth = {label: float(np.mean(labels == label)) for label in classes}
    estimated = {label: interval.value for label, interval in verdict.class_prior.items()}
    return {
        "estimated_accuracy": float(verdict.accuracy.value),
        "estimated_low": float(verdict.accuracy.low),
        "estimated_high": float(verdict.accuracy.high),
        "source_only_estimate": float(verdict.source_only_accuracy.value),
        "verdict": verdict.decision,
        "prior_error": total_variation(estimated, truth),
        "source_prior_error": total_variation(verdict.source_prior, truth),
    }


def total_variation(first: Mapping[Any, float], second: Mapping[Any, float]) -> float:
    """Half the sum of the absolute differences of two distributions over labels."""
    labels = {*first, *second}
    return float(sum(abs(first.get(y, 0.0) - second.get(y, 0.0)) for y in labels) / 2)
