"""Scores of documents by classifiers that were not trained on them."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from isthmus.domains.model import UNLABELED, Domain, Problem
from isthmus.estimators.components.init_classifier import INIT_CLASSIFIERS, probabilities
from isthmus.estimators.components.repeatable_kmeans import random_projections
from isthmus.matrices.rows import duplicate_groups, with_narrow_indices, with_unit_rows
from isthmus.matrices.threads import one_thread

__all__ = ["CrossValScores", "cross_val_scores"]

# Classes with fewer documents are left out of the cross-validation.
_MIN_ROWS = 4
# Inverse regularization strength of the logistic regression, whose scores are calibrated later. It
# gave the smallest error of the prior on development problems.
_C = 5.0
# Lower bound of probabilities under the logarithm.
_MIN_PROBABILITY = 1e-12


@dataclass(frozen=True)
class CrossValScores:
    """Log probabilities of the classes with enough documents, one column per class.

    The order of the rows does not depend on the caller's order.
    """

    known: NDArray[np.float64]
    """Of labeled documents, each by a classifier that was not trained on it."""
    labels: NDArray[np.intp]
    """Their classes, as column numbers."""
    targets: dict[int, NDArray[np.float64]]
    """Of the non-empty unlabeled documents of every target, by domain number."""
    documents: dict[int, Any]
    """These documents, with unit norm; documents with the same terms occur once."""
    rows: dict[int, NDArray[np.intp]]
    """Row numbers of all non-empty unlabeled documents of every target, in ascending order."""
    document_of_row: dict[int, NDArray[np.intp]]
    """For every entry of ``rows`` its position in ``documents``."""
    codes: NDArray[np.intp]
    """The class of every column."""


def cross_val_scores(
    problem: Problem,
    X: Any,
    classifier: Any = "logistic",
    *,
    n_folds: int = 5,
    targets: tuple[Domain, ...] | None = None,
) -> CrossValScores:
    """Scores of labeled rows by cross-validation, and of targets by a fit to all labeled rows.

    Folds are stratified and assigned in the order of a fixed random projection of the documents.
    """
    with one_thread():
        projections = random_projections(X, np.random.default_rng(0))
    filled = _filled_rows(X)
    labels = np.where(filled, problem.labels, UNLABELED)
    rows = _ordered(np.flatnonzero(labels >= 0), projections)
    known = _unit(X, rows)
    copies = duplicate_groups(known)
    codes = np.flatnonzero(_distinct(copies, labels[rows], problem.n_classes) >= _MIN_ROWS)
    kept_rows = np.isin(labels[rows], codes)
    if not kept_rows.all():
        rows, known, copies = rows[kept_rows], known[kept_rows], copies[kept_rows]
    columns = np.searchsorted(codes, labels[rows])
    documents, rows_of, document_of_row = {}, {}, {}
    for domain in problem.targets if targets is None else targets:
        unknown = np.arange(problem.n_rows)[domain.rows][~domain.labeled]
        ordered = _ordered(unknown[filled[unknown]], projections)
        unit_rows = _unit(X, ordered)
        # Many copies of one text would form a cluster that is not a class.
        groups = duplicate_groups(unit_rows)
        _, first, group = np.unique(groups, return_index=True, return_inverse=True)
        kept = np.sort(first)
        ascending = np.argsort(ordered)
        documents[domain.number] = unit_rows[kept]
        rows_of[domain.number] = ordered[ascending]
        document_of_row[domain.number] = np.searchsorted(kept, first[group])[ascending]
    if len(codes) > 1:
        with one_thread() if isinstance(classifier, str) else nullcontext():
            scores = _scores_by_folds(classifier, known, columns, _folds(columns, copies, n_folds))
            model = _unfitted(classifier).fit(known, columns)
            target_scores = {n: _log_probabilities(model, part) for n, part in documents.items()}
    else:
        scores = np.zeros((len(rows), len(codes)))
        target_scores = {n: np.zeros((part.shape[0], len(codes))) for n, part in documents.items()}
    return CrossValScores(
        scores, columns, target_scores, documents, rows_of, document_of_row, codes
    )


def _distinct(
    copies: NDArray[np.intp], labels: NDArray[np.intp], n_classes: int
) -> NDArray[np.intp]:
    """Number of different documents of every class.

    Copies are in one fold, so a class with one document would be missing in a training set.
    """
    _, first = np.unique(copies, return_index=True)
    return np.bincount(labels[first], minlength=n_classes)


def _scores_by_folds(
    classifier: Any, known: Any, columns: NDArray[np.intp], fold_of_row: NDArray[np.intp]
) -> NDArray[np.float64]:
    scores = np.zeros((len(columns), int(columns.max()) + 1))
    for fold in np.unique(fold_of_row):
        train, test = np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)
        model = _unfitted(classifier).fit(known[train], columns[train])
        scores[test] = _log_probabilities(model, known[test])
    return scores


def _folds(labels: NDArray[np.intp], groups: NDArray[np.intp], n_folds: int) -> NDArray[np.intp]:
    """The fold of every document; stratified, with duplicates in the same fold."""
    _, first, which = np.unique(groups, return_index=True, return_inverse=True)
    fold = np.empty(len(first), np.intp)
    for code in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels[first] == code)
        in_order = members[np.argsort(first[members])]
        fold[in_order] = np.arange(len(members)) % n_folds
    return fold[which]


def _unfitted(classifier: Any) -> Any:
    if not isinstance(classifier, str):
        return clone(classifier)
    if classifier == "logistic":
        return LogisticRegression(C=_C, max_iter=500)
    return INIT_CLASSIFIERS[classifier]()


def _log_probabilities(model: Any, X: Any) -> NDArray[np.float64]:
    if X.shape[0] == 0:
        return np.zeros((0, len(model.classes_)))
    return np.log(np.maximum(np.asarray(probabilities(model, X), np.float64), _MIN_PROBABILITY))


def _filled_rows(X: Any) -> NDArray[np.bool_]:
    if sparse.issparse(X):
        sums = np.asarray(abs(X).sum(axis=1)).ravel()
        return np.asarray(sums > 0)
    return np.asarray(np.any(X != 0, axis=1))


def _ordered(rows: NDArray[np.intp], projections: NDArray[np.float64]) -> NDArray[np.intp]:
    return rows[np.argsort(projections[rows], kind="stable")]


def _unit(X: Any, rows: NDArray[np.intp]) -> Any:
    """A copy of these rows with unit norm, in float64."""
    return with_unit_rows(with_narrow_indices(X[rows]).astype(np.float64))
