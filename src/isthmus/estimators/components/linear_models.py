"""Linear rules on documents: a row of weights for every class."""

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
    # The primal-dual choice of liblinear that needs no random order of the rows.
    return LinearSVC(C=C, dual=False, max_iter=1000)


def for_every_class(
    coef: NDArray[Any], intercept: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """One row a class; scikit-learn has one row in all for two classes.

    Half a row for and half a row against give the same probabilities by softmax.
    """
    if len(coef) > 1:
        return coef, intercept
    return np.vstack([-coef, coef]) / 2, np.concatenate([-intercept, intercept]) / 2


def linear_memberships(X: Any, coef: NDArray[Any], intercept: NDArray[Any]) -> NDArray[Any]:
    """Class probabilities by softmax."""
    return np.asarray(softmax(X @ coef.T + intercept, axis=1))


def calibrate_temperature(
    coef: NDArray[Any], intercept: NDArray[Any], X: Any, confidence: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The same rule with weights scaled so that its mean largest probability on ``X`` is given.

    Scaling changes no label. A rule that was taught labels as certain is more certain than who
    found them.
    """
    scores = X @ coef.T + intercept
    low, high = 1e-3, 1e3
    for _ in range(40):
        scale = np.sqrt(low * high)
        if float(softmax(scale * scores, axis=1).max(axis=1).mean()) > confidence:
            high = scale
        else:
            low = scale
    return scale * coef, scale * intercept


def learn_found_labels(
    X: Any, memberships: NDArray[Any], C: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Weights and intercepts of a logistic regression on the labels that a method found.

    Rows of zeros, of which nothing is known, are left out. A class that no row has is never
    predicted.
    """
    rows = np.flatnonzero(memberships.any(axis=1))
    labels = memberships[rows].argmax(axis=1)
    n_classes = memberships.shape[1]
    if len(np.unique(labels)) < 2:  # nothing to tell apart
        shares = np.bincount(labels, minlength=n_classes)
        return np.zeros((n_classes, X.shape[1]), X.dtype), shares.astype(X.dtype)
    with one_thread():
        model = LogisticRegression(C=C, max_iter=500)
        model.fit(with_unit_rows(with_narrow_indices(take_rows(X, rows))), labels)
    found = for_every_class(model.coef_, model.intercept_)
    coef = np.zeros((n_classes, X.shape[1]), found[0].dtype)
    intercept = np.full(n_classes, -1e9, found[1].dtype)
    coef[model.classes_], intercept[model.classes_] = found
    return coef, intercept
