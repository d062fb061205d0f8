"""Confidence: how many documents reach it, and whether it is right on the source."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.inspection.sample import random_rows
from isthmus.matrices.rows import duplicate_groups, with_narrow_indices, with_unit_rows
from isthmus.matrices.threads import one_thread

__all__ = ["Calibration", "CalibrationBin", "Coverage", "calibration_on_source", "coverage"]

_N_POINTS = 101
_N_BINS = 10
_N_FOLDS = 5
# Limits of the cross-validation, which bound its time and memory: documents, documents times
# classes, and weights of the classifier. Beyond them, the most frequent words are used.
_MAX_DOCUMENTS, _MAX_CELLS, _MAX_WEIGHTS = 3_000, 60_000, 300_000


@dataclass(frozen=True)
class Coverage:
    """What remains if labels below a confidence are left out.

    Points are ordered by falling confidence: at ``coverage[i]`` of the documents, the least
    confidence is ``threshold[i]`` and the mean one ``mean_confidence[i]``.
    """

    coverage: NDArray[np.float64]
    threshold: NDArray[np.float64]
    mean_confidence: NDArray[np.float64]
    n_documents: int

    def at(self, coverage: float) -> tuple[float, float]:
        """The least and the mean confidence of this part of the documents."""
        place = min(int(np.searchsorted(self.coverage, coverage - 1e-9)), len(self.coverage) - 1)
        return float(self.threshold[place]), float(self.mean_confidence[place])


def coverage(confidence: NDArray[Any]) -> Coverage | None:
    """Return the coverage of every confidence; None without a document."""
    n = len(confidence)
    if n == 0:
        return None
    falling = np.sort(np.asarray(confidence, np.float64))[::-1]
    means = np.cumsum(falling) / np.arange(1, n + 1)
    ends = np.unique(np.maximum(np.round(np.linspace(0, n, _N_POINTS)), 1).astype(np.intp))
    return Coverage(ends / n, falling[ends - 1], means[ends - 1], n)


@dataclass(frozen=True)
class CalibrationBin:
    """Source documents of similar confidence."""

    confidence: float
    """Their mean confidence."""
    accuracy: float
    n_documents: int


@dataclass(frozen=True)
class Calibration:
    """Cross-validation of the source-only classifier on the source."""

    accuracy: float
    bins: list[CalibrationBin]
    n_documents: int


def calibration_on_source(
    X: Any, codes: NDArray[np.intp], classifier: Any, n_classes: int
) -> Calibration | None:
    """Compare confidence and accuracy on source documents that a classifier has not seen.

    Copies of a document are in the same fold. Classes with fewer documents than folds are left
    out; None if fewer than two classes remain.

    Parameters
    ----------
    X : sparse matrix
        Source documents.
    codes : array
        Their class numbers; below 0 if there is no label.
    classifier : estimator
        An unfitted classifier with ``predict_proba``.
    n_classes : int
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict

    sizes = np.bincount(codes[codes >= 0], minlength=n_classes)
    large = np.flatnonzero(sizes >= 2 * _N_FOLDS)
    rows = np.flatnonzero(np.isin(codes, large))
    if len(large) < 2:
        return None
    rows = random_rows(rows, min(_MAX_DOCUMENTS, _MAX_CELLS // len(large)))
    # The sample may have too little of a class.
    left = np.bincount(codes[rows], minlength=n_classes)
    rows = rows[left[codes[rows]] >= _N_FOLDS]
    kept = np.unique(codes[rows])
    if len(kept) < 2:
        return None
    known = with_unit_rows(with_narrow_indices(_frequent(X[rows], _MAX_WEIGHTS // len(kept))))
    folds = StratifiedGroupKFold(_N_FOLDS, shuffle=True, random_state=0)
    truth = np.searchsorted(kept, codes[rows])
    with one_thread(), warnings.catch_warnings():
        # A classifier that has almost converged is good enough for ten bins.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            predicted = cross_val_predict(
                classifier,
                known,
                truth,
                groups=duplicate_groups(known),
                cv=folds,
                method="predict_proba",
            )
        except ValueError:  # a fold lacks a class, because most documents are copies
            return None
    return _binned(predicted.max(axis=1), predicted.argmax(axis=1) == truth)


def _frequent(X: Any, n_columns: int) -> Any:
    """The columns that occur in most rows, at most this many."""
    n_rows = np.bincount(X.indices, minlength=X.shape[1])
    columns = np.argsort(-n_rows, kind="stable")[: min(n_columns, np.count_nonzero(n_rows))]
    return X[:, np.sort(columns)]


def _binned(confidence: NDArray[np.float64], correct: NDArray[np.bool_]) -> Calibration:
    bins = np.minimum((confidence * _N_BINS).astype(np.intp), _N_BINS - 1)
    parts = [np.flatnonzero(bins == number) for number in range(_N_BINS)]
    return Calibration(
        float(correct.mean()),
        [
            CalibrationBin(float(confidence[p].mean()), float(correct[p].mean()), len(p))
            for p in parts
            if len(p)
        ],
        len(correct),
    )
