"""Scores of documents by a classifier that has not seen them."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from isthmus.domains.model import UNLABELLED, Domain, Problem
from isthmus.estimators.components.init_classifier import INIT_CLASSIFIERS, probabilities
from isthmus.estimators.components.parameters import check_choice
from isthmus.estimators.components.repeatable_kmeans import random_places
from isthmus.matrices.duplicates import duplicate_groups
from isthmus.matrices.rows import with_narrow_indices, with_unit_rows
from isthmus.matrices.threads import one_thread

__all__ = ["CrossValScores", "check_classifier", "cross_val_scores"]

# A class with fewer documents can hardly be taught and tested.
_LEAST_ROWS = 4
# Sharper than a first guess: what it says of documents is calibrated later. Of several strengths
# this one left the smallest error of the shares on development problems.
_STRENGTH = 5.0
# Probabilities of 0 are made so small.
_LEAST = 1e-12


@dataclass(frozen=True)
class CrossValScores:
    """Log probabilities of the classes that have documents enough, a column each.

    Rows are in an order of their own, which does not depend on the caller's.
    """

    known: NDArray[np.float64]
    """Of labelled documents, each by a classifier taught without it."""
    labels: NDArray[np.intp]
    """Their classes, as numbers of columns."""
    targets: dict[int, NDArray[np.float64]]
    """Of the unlabelled documents of every target that hold a word, by its number."""
    documents: dict[int, Any]
    """Those documents, of unit length."""
    codes: NDArray[np.intp]
    """The classes that the columns stand for."""


def check_classifier(classifier: Any) -> None:
    """Raise ValueError unless it is a known name or an object that can be fitted."""
    if isinstance(classifier, str):
        check_choice("classifier", classifier, tuple(INIT_CLASSIFIERS))
    elif not hasattr(classifier, "fit"):
        names = ", ".join(repr(name) for name in INIT_CLASSIFIERS)
        raise ValueError(
            f"classifier must be {names} or a scikit-learn classifier, got {classifier!r}."
        )


def cross_val_scores(
    problem: Problem,
    X: Any,
    classifier: Any = "logistic",
    *,
    n_folds: int = 5,
    targets: tuple[Domain, ...] | None = None,
) -> CrossValScores:
    """Teach a classifier all labelled rows but a fold, fold by fold, and once all of them.

    Folds are dealt class by class along one direction in the space of the terms, always the same.
    """
    with one_thread():
        places = random_places(X, np.random.default_rng(0))
    filled = _filled_rows(X)
    labels = np.where(filled, problem.labels, UNLABELLED)
    sizes = np.bincount(labels[labels >= 0], minlength=problem.n_classes)
    codes = np.flatnonzero(sizes >= _LEAST_ROWS)
    rows = _ordered(np.flatnonzero(np.isin(labels, codes)), places)
    known, columns = _unit(X, rows), np.searchsorted(codes, labels[rows])
    documents = {}
    for domain in problem.targets if targets is None else targets:
        unknown = np.arange(problem.n_rows)[domain.rows][~domain.labelled]
        rows_of_target = _unit(X, _ordered(unknown[filled[unknown]], places))
        # A text that stands there a hundred times is a cluster of its own, and no class.
        _, first = np.unique(duplicate_groups(rows_of_target), return_index=True)
        documents[domain.number] = rows_of_target[np.sort(first)]
    if len(codes) > 1:
        with one_thread() if isinstance(classifier, str) else nullcontext():
            scores = _scores_by_folds(classifier, known, columns, n_folds)
            model = _fresh(classifier).fit(known, columns)
            found = {n: _log_probabilities(model, part) for n, part in documents.items()}
    else:
        scores = np.zeros((len(rows), len(codes)))
        found = {n: np.zeros((part.shape[0], len(codes))) for n, part in documents.items()}
    return CrossValScores(scores, columns, found, documents, codes)


def _scores_by_folds(
    classifier: Any, known: Any, columns: NDArray[np.intp], n_folds: int
) -> NDArray[np.float64]:
    fold = _folds(columns, duplicate_groups(known), n_folds)
    scores = np.zeros((len(columns), int(columns.max()) + 1))
    for number in np.unique(fold):
        train, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        model = _fresh(classifier).fit(known[train], columns[train])
        scores[test] = _log_probabilities(model, known[test])
    return scores


def _folds(labels: NDArray[np.intp], copies: NDArray[np.intp], n_folds: int) -> NDArray[np.intp]:
    """A fold for every document, every class spread evenly, all copies of a document in one."""
    _, first, which = np.unique(copies, return_index=True, return_inverse=True)
    fold = np.empty(len(first), np.intp)
    for code in range(int(labels.max()) + 1):
        ones = np.flatnonzero(labels[first] == code)
        in_order = ones[np.argsort(first[ones])]
        fold[in_order] = np.arange(len(ones)) % n_folds
    return fold[which]


def _fresh(classifier: Any) -> Any:
    if not isinstance(classifier, str):
        return clone(classifier)
    if classifier == "logistic":
        return LogisticRegression(C=_STRENGTH, max_iter=500)
    return INIT_CLASSIFIERS[classifier]()


def _log_probabilities(model: Any, X: Any) -> NDArray[np.float64]:
    if X.shape[0] == 0:
        return np.zeros((0, len(model.classes_)))
    return np.log(np.maximum(np.asarray(probabilities(model, X), np.float64), _LEAST))


def _filled_rows(X: Any) -> NDArray[np.bool_]:
    if sparse.issparse(X):
        lengths = np.asarray(abs(X).sum(axis=1)).ravel()
        return np.asarray(lengths > 0)
    return np.asarray(np.any(X != 0, axis=1))


def _ordered(rows: NDArray[np.intp], places: NDArray[np.float64]) -> NDArray[np.intp]:
    return rows[np.argsort(places[rows], kind="stable")]


def _unit(X: Any, rows: NDArray[np.intp]) -> Any:
    """A copy of these rows of unit length, in double precision."""
    return with_unit_rows(with_narrow_indices(X[rows]).astype(np.float64))
