"""Evaluate predicted labels: accuracy, class scores, confusion matrix, confidence bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import precision_recall_fscore_support

from isthmus.domains.labels import known_labels, plain_label
from isthmus.evaluation.accuracy import (
    Accuracy,
    Comparison,
    accuracy_with_interval,
    compare_correct,
)

__all__ = ["ClassScores", "ConfidenceBin", "Evaluation", "MacroScores", "evaluate_labels"]

N_BINS = 4
# Tolerance for probabilities outside of 0 and 1.
ROUNDING = 1e-6


@dataclass(frozen=True)
class ClassScores:
    """Scores of one class."""

    label: Any
    support: int
    """Number of documents with this true class."""
    n_predicted: int
    """Number of documents with this predicted class."""
    precision: float | None
    """None if the class was never predicted."""
    recall: float | None
    """None if no document has this true class."""
    f1: float
    """Harmonic mean of precision and recall; 0 if one of them is None."""


@dataclass(frozen=True)
class MacroScores:
    """Unweighted means over the classes that occur in the true labels.

    Errors of a class that is predicted but never true lower the recall of the true classes.
    """

    precision: float | None
    """None if a class was never predicted: the mean of the others would be too optimistic."""
    recall: float
    f1: float


@dataclass(frozen=True)
class ConfidenceBin:
    """Documents in a range of confidence."""

    lowest: float
    highest: float
    mean_confidence: float
    accuracy: Accuracy


@dataclass(frozen=True)
class Evaluation:
    """Result of :func:`evaluate_labels`."""

    n_documents: int
    """Number of documents with a true and a predicted label, to which the scores refer."""
    n_without_truth: int
    """Number of documents without a true label."""
    n_abstained: int
    """Number of documents with a true label but without a predicted one."""
    coverage: float
    """Proportion of the documents with a true label that have a predicted one."""
    accuracy: Accuracy
    macro: MacroScores
    classes: tuple[Any, ...]
    """Sorted labels that occur in the true or in the predicted labels."""
    per_class: tuple[ClassScores, ...]
    confusion: tuple[tuple[int, ...], ...]
    """Numbers of documents, with one row per true class and one column per predicted class."""
    comparison: Comparison | None
    """None if no source-only labels were given."""
    confidence_bins: tuple[ConfidenceBin, ...] | None
    """In order of increasing confidence; None if no confidence was given."""

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as dicts, lists, numbers and strings, for JSON."""
        record: dict[str, Any] = _as_plain_data(self)
        return record


def evaluate_labels(
    truth: Sequence[Any] | NDArray[Any],
    predicted: Sequence[Any] | NDArray[Any],
    source_only: Sequence[Any] | NDArray[Any] | None = None,
    confidence: Sequence[float] | NDArray[Any] | None = None,
) -> Evaluation:
    """Compare predicted labels with the true ones.

    Parameters
    ----------
    truth : sequence of labels
        All text or all numbers. Documents with the label None or NaN are excluded and counted.
    predicted : sequence of labels
        One label per document, None or NaN if the classifier abstained. Such documents are excluded
        and counted.
    source_only : sequence of labels, optional
        Labels of a classifier trained on the source only, for comparison.
    confidence : sequence of float, optional
        Probability of every predicted label, from 0 to 1. The documents are divided into quarters
        by confidence. Documents with equal confidence are in the same quarter, so quarters may
        differ in size or be missing.

    Returns
    -------
    Evaluation

    Raises
    ------
    ValueError
        If no document has a true and a predicted label, or the sequences differ in length.

    Examples
    --------
    >>> evaluation = evaluate_labels(["a", "a", "b", None], ["a", "b", "b", "b"])
    >>> evaluation.accuracy.n_correct, evaluation.n_documents, evaluation.n_without_truth
    (2, 3, 1)
    >>> evaluation.confusion
    ((1, 1), (0, 1))
    """
    n_given = len(truth)
    with_truth, labels = known_labels(truth, missing_label=None, classes=())
    if len(with_truth) == 0:
        raise ValueError(f"None of the {n_given} documents has a true label: label at least one.")
    _check_length(predicted, "predicted", n_given)
    is_predicted = np.isin(with_truth, known_labels(predicted, missing_label=None, classes=())[0])
    if not is_predicted.any():
        raise ValueError(
            f"None of the {len(with_truth)} documents with a true label has a predicted label: "
            "label others, or predict with a lower min_confidence."
        )
    rows = with_truth[is_predicted]
    true = [plain_label(label) for label in labels[is_predicted]]
    predicted_labels = _labels_at(rows, predicted, "predicted", n_given)
    classes = _sorted_classes(true, predicted_labels)
    number = {label: position for position, label in enumerate(classes)}
    true_codes = np.array([number[label] for label in true])
    codes = np.array([number[label] for label in predicted_labels])
    is_correct = true_codes == codes
    per_class = _score_classes(classes, true_codes, codes)
    # confusion_matrix of scikit-learn warns if there is only one class.
    counts = np.zeros((len(classes), len(classes)), int)
    np.add.at(counts, (true_codes, codes), 1)
    return Evaluation(
        n_documents=len(rows),
        n_without_truth=n_given - len(with_truth),
        n_abstained=len(with_truth) - len(rows),
        coverage=len(rows) / len(with_truth),
        accuracy=accuracy_with_interval(int(is_correct.sum()), len(rows)),
        macro=_average(per_class),
        classes=classes,
        per_class=per_class,
        confusion=tuple(map(tuple, counts.tolist())),
        comparison=None
        if source_only is None
        else _compare(is_correct, true, _labels_at(rows, source_only, "source_only", n_given)),
        confidence_bins=None
        if confidence is None
        else _bins(is_correct, _confidence_at(rows, confidence, n_given)),
    )


def _labels_at(rows: NDArray[Any], labels: Any, name: str, n_given: int) -> list[Any]:
    """Return the labels of these rows as Python values."""
    _check_length(labels, name, n_given)
    present, values = known_labels(labels, missing_label=None, classes=())
    missing = np.setdiff1d(rows, present)
    if len(missing):
        raise ValueError(
            f"{name} has no label at position {missing[0]}: pass a label for every document with a "
            "true and a predicted label."
        )
    return [plain_label(value) for value in values[np.searchsorted(present, rows)]]


def _confidence_at(rows: NDArray[Any], confidence: Any, n_given: int) -> NDArray[np.float64]:
    _check_length(confidence, "confidence", n_given)
    values = np.asarray(confidence, np.float64)[rows]
    # Negated, so that NaN is invalid too.
    invalid = np.flatnonzero(~((values >= -ROUNDING) & (values <= 1 + ROUNDING)))
    if len(invalid):
        raise ValueError(
            f"confidence is {values[invalid[0]]} at position {rows[invalid[0]]}: it must be a "
            "probability from 0 to 1."
        )
    return np.clip(values, 0.0, 1.0)


def _check_length(values: Any, name: str, n_given: int) -> None:
    if len(values) != n_given:
        raise ValueError(
            f"{name} has {len(values)} values but truth has {n_given}: pass one value per document."
        )


def _sorted_classes(true: list[Any], predicted_labels: list[Any]) -> tuple[Any, ...]:
    try:
        return tuple(sorted({*true, *predicted_labels}))
    except TypeError:
        raise ValueError(
            f"The true labels have the type {type(true[0]).__name__}, the predicted ones the type "
            f"{type(predicted_labels[0]).__name__}: pass both as text or both as numbers."
        ) from None


def _score_classes(
    classes: tuple[Any, ...], true_codes: NDArray[Any], codes: NDArray[Any]
) -> tuple[ClassScores, ...]:
    precision, recall, f1, support = precision_recall_fscore_support(
        true_codes, codes, labels=range(len(classes)), zero_division=0
    )
    n_predicted = np.bincount(codes, minlength=len(classes))
    # None instead of scikit-learn's zero, because these scores are undefined.
    return tuple(
        ClassScores(
            label=label,
            support=int(support[k]),
            n_predicted=int(n_predicted[k]),
            precision=float(precision[k]) if n_predicted[k] else None,
            recall=float(recall[k]) if support[k] else None,
            f1=float(f1[k]),
        )
        for k, label in enumerate(classes)
    )


def _average(per_class: tuple[ClassScores, ...]) -> MacroScores:
    occurring = [scores for scores in per_class if scores.recall is not None]
    precisions = [scores.precision for scores in occurring if scores.precision is not None]
    return MacroScores(
        precision=fmean(precisions) if len(precisions) == len(occurring) else None,
        recall=fmean(scores.recall for scores in occurring if scores.recall is not None),
        f1=fmean(scores.f1 for scores in occurring),
    )


def _compare(is_correct: NDArray[np.bool_], true: list[Any], source_only: list[Any]) -> Comparison:
    was_correct = np.array([a == b for a, b in zip(true, source_only, strict=True)])
    return compare_correct(is_correct, was_correct)


def _bins(
    is_correct: NDArray[np.bool_], confidence: NDArray[np.float64]
) -> tuple[ConfidenceBin, ...]:
    # Ties share their mean rank, so that the order of the documents has no influence.
    quantile = (rankdata(confidence) - 0.5) / len(confidence)
    quarter = np.floor(N_BINS * quantile)
    bins = []
    for k in np.unique(quarter):
        inside = quarter == k
        values = confidence[inside]
        bins.append(
            ConfidenceBin(
                lowest=float(values.min()),
                highest=float(values.max()),
                # fmean is exact, so that the order of the documents has no influence.
                mean_confidence=fmean(values.tolist()),
                accuracy=accuracy_with_interval(int(is_correct[inside].sum()), len(values)),
            )
        )
    return tuple(bins)


def _as_plain_data(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _as_plain_data(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_as_plain_data(item) for item in value]
    return value
