"""Linear classifiers with one row of weights per class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from isthmus.matrices.rows import take_rows, with_narrow_indices, with_unit_rows
from isthmus.matrices.threads import one_thread


def linear_model(kind: str, C: float) -> Any:
    """An unfitted linear classifier: "svm" or "logistic"."""
    if kind == "logistic":
        return LogisticRegression(C=C, max_iter=1000)
    # The primal solver of liblinear draws no random order of the rows.
    return LinearSVC(C=C, dual=False, max_iter=1000)


def one_row_per_class(
    coef: NDArray[Any], intercept: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Coefficients with one row per class; scikit-learn has a single row for two classes.

    Minus half and plus half of the row give the same probabilities by softmax.
    """
    if len(coef) > 1:
        return coef, intercept
    return np.vstack([-coef, coef]) / 2, np.concatenate([-intercept, intercept]) / 2


def softmax_memberships(X: Any, coef: NDArray[Any], intercept: NDArray[Any]) -> NDArray[Any]:
    """Class probabilities: the softmax of the linear scores."""
    return np.asarray(softmax(X @ coef.T + intercept, axis=1))


def fit_logistic_to_memberships(
    X: Any, memberships: NDArray[Any], C: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Coefficients and intercepts of a logistic regression on the labels of a method.

    The label of a row is its largest membership. Rows of zeros are left out. A class without rows
    is never predicted.
    """
    rows = np.flatnonzero(memberships.any(axis=1))
    labels = memberships[rows].argmax(axis=1)
    n_classes = memberships.shape[1]
    if len(np.unique(labels)) < 2:  # a single class
        counts = np.bincount(labels, minlength=n_classes)
        return np.zeros((n_classes, X.shape[1]), X.dtype), counts.astype(X.dtype)
    with one_thread():
        model = LogisticRegression(C=C, max_iter=500)
        model.fit(with_unit_rows(with_narrow_indices(take_rows(X, rows))), labels)
    fitted_coef, fitted_intercept = one_row_per_class(model.coef_, model.intercept_)
    coef = np.zeros((n_classes, X.shape[1]), fitted_coef.dtype)
    intercept = np.full(n_classes, -1e9, fitted_intercept.dtype)
    coef[model.classes_], intercept[model.classes_] = fitted_coef, fitted_intercept
    return coef, intercept
