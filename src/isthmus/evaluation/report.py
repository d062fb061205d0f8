"""How well predicted labels agree with the true ones."""

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
from isthmus.evaluation.proportions import Accuracy, Comparison, compare, measure

__all__ = ["ClassScores", "ConfidenceBin", "Evaluation", "MacroScores", "evaluate_labels"]

N_BINS = 4
# The largest of several probabilities may leave their range by a rounding error.
ROUNDING = 1e-6


@dataclass(frozen=True)
class ClassScores:
    """How well one class was found."""

    label: Any
    support: int
    """Documents that are of this class."""
    n_predicted: int
    """Documents that were given this class."""
    precision: float | None
    """Share of the documents given this class that are of it; None if none was given it."""
    recall: float | None
    """Share of the documents of this class that were given it; None if there are none."""
    f1: float
    """Harmonic mean of both, which is 0 if one of them is None: not one document was found."""


@dataclass(frozen=True)
class MacroScores:
    """Plain averages over the classes that occur in the truth.

    A class that is predicted but never true has no document that could be found; the documents
    that were wrongly given it are missing from the recall of their own classes.
    """

    precision: float | None
    """None if one of the classes was never predicted: the average of the others would flatter."""
    recall: float
    f1: float


@dataclass(frozen=True)
class ConfidenceBin:
    """Documents of like confidence."""

    lowest: float
    highest: float
    mean_confidence: float
    accuracy: Accuracy


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate_labels` found."""

    n_documents: int
    """Documents with a true label; everything else here is about them."""
    n_without_truth: int
    """Documents that were left out."""
    accuracy: Accuracy
    macro: MacroScores
    classes: tuple[Any, ...]
    """Labels that occur in the truth or in the prediction, sorted."""
    per_class: tuple[ClassScores, ...]
    confusion: tuple[tuple[int, ...], ...]
    """Number of documents; rows are the true classes, columns the predicted ones."""
    comparison: Comparison | None
    """None if no labels of the source alone were given."""
    confidence_bins: tuple[ConfidenceBin, ...] | None
    """From least to most confident; None if no confidence was given."""

    def to_dict(self) -> dict[str, Any]:
        """All of it as dicts, lists, numbers and text, ready for JSON."""
        plain: dict[str, Any] = _plain(self)
        return plain


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
        All text or all numbers. Documents whose label is None (or NaN) are left out and counted.
    predicted : sequence of labels
        One for every document.
    source_only : sequence of labels, optional
        What a classifier trained on the source alone says, to tell what the transfer changed.
    confidence : sequence of float, optional
        Probability of every predicted label, from 0 to 1. The documents are cut into quarters by
        it; documents of the same confidence stay together, so a quarter may be larger than
        another, or missing.

    Returns
    -------
    Evaluation

    Raises
    ------
    ValueError
        If no document has a true label, or the sequences do not fit each other.

    Examples
    --------
    >>> found = evaluate_labels(["a", "a", "b", None], ["a", "b", "b", "b"])
    >>> found.accuracy.right, found.n_documents, found.n_without_truth
    (2, 3, 1)
    >>> found.confusion
    ((1, 1), (0, 1))
    """
    n_given = len(truth)
    rows, labels = known_labels(truth, missing_label=None, classes=())
    if len(rows) == 0:
        raise ValueError(
            f"None of the {n_given} documents has a true label: give the truth of at least one."
        )
    true = [plain_label(label) for label in labels]
    guessed = _labels_at(rows, predicted, "predicted", n_given)
    classes = _sorted_classes(true, guessed)
    number = {label: position for position, label in enumerate(classes)}
    true_codes = np.array([number[label] for label in true])
    codes = np.array([number[label] for label in guessed])
    right = true_codes == codes
    per_class = _score_classes(classes, true_codes, codes)
    # Counted by hand, for scikit-learn's function warns if there is but one class.
    counts = np.zeros((len(classes), len(classes)), int)
    np.add.at(counts, (true_codes, codes), 1)
    return Evaluation(
        n_documents=len(rows),
        n_without_truth=n_given - len(rows),
        accuracy=measure(int(right.sum()), len(rows)),
        macro=_average(per_class),
        classes=classes,
        per_class=per_class,
        confusion=tuple(map(tuple, counts.tolist())),
        comparison=None
        if source_only is None
        else _compare(right, true, _labels_at(rows, source_only, "source_only", n_given)),
        confidence_bins=None
        if confidence is None
        else _bins(right, _confidence_at(rows, confidence, n_given)),
    )


def _labels_at(rows: NDArray[Any], labels: Any, name: str, n_given: int) -> list[Any]:
    """The labels of these rows, as plain values."""
    _check_length(labels, name, n_given)
    present, values = known_labels(labels, missing_label=None, classes=())
    missing = np.setdiff1d(rows, present)
    if len(missing):
        raise ValueError(
            f"{name} has no label at position {missing[0]}: every document with a true label "
            "needs one."
        )
    return [plain_label(value) for value in values[np.searchsorted(present, rows)]]


def _confidence_at(rows: NDArray[Any], confidence: Any, n_given: int) -> NDArray[np.float64]:
    _check_length(confidence, "confidence", n_given)
    values = np.asarray(confidence, np.float64)[rows]
    # Written so that NaN, which compares as false, is wrong as well.
    wrong = np.flatnonzero(~((values >= -ROUNDING) & (values <= 1 + ROUNDING)))
    if len(wrong):
        raise ValueError(
            f"confidence is {values[wrong[0]]} at position {rows[wrong[0]]}: it must be a "
            "probability from 0 to 1."
        )
    return np.clip(values, 0.0, 1.0)


def _check_length(values: Any, name: str, n_given: int) -> None:
    if len(values) != n_given:
        raise ValueError(
            f"{name} has {len(values)} values and truth has {n_given}: both need one for every "
            "document."
        )


def _sorted_classes(true: list[Any], guessed: list[Any]) -> tuple[Any, ...]:
    try:
        return tuple(sorted({*true, *guessed}))
    except TypeError:
        raise ValueError(
            f"The true labels are of the type {type(true[0]).__name__}, the predicted ones of the "
            f"type {type(guessed[0]).__name__}: write both as text or both as numbers."
        ) from None


def _score_classes(
    classes: tuple[Any, ...], true_codes: NDArray[Any], codes: NDArray[Any]
) -> tuple[ClassScores, ...]:
    precision, recall, f1, support = precision_recall_fscore_support(
        true_codes, codes, labels=range(len(classes)), zero_division=0
    )
    n_predicted = np.bincount(codes, minlength=len(classes))
    # A zero would say that all were wrong where there was nothing to be right or wrong about.
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


def _compare(right: NDArray[np.bool_], true: list[Any], source_only: list[Any]) -> Comparison:
    before = np.array([a == b for a, b in zip(true, source_only, strict=True)])
    return compare(
        both=int((right & before).sum()),
        put_right=int((right & ~before).sum()),
        broken=int((~right & before).sum()),
        n_documents=len(right),
    )


def _bins(right: NDArray[np.bool_], confidence: NDArray[np.float64]) -> tuple[ConfidenceBin, ...]:
    # Equal values share their middle rank, so the order of the documents cannot tell them apart.
    share_below = (rankdata(confidence) - 0.5) / len(confidence)
    quarter = np.floor(N_BINS * share_below)
    bins = []
    for k in np.unique(quarter):
        inside = quarter == k
        values = confidence[inside]
        bins.append(
            ConfidenceBin(
                lowest=float(values.min()),
                highest=float(values.max()),
                # Summed exactly: the order of the documents must not show in the last digit.
                mean_confidence=fmean(values.tolist()),
                accuracy=measure(int(right[inside].sum()), len(values)),
            )
        )
    return tuple(bins)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value
