"""Combination of the class proportions of the automatic method with clusters and label shift.

The members of the automatic method stay near the class proportions of the source, so its estimate
is too small a change for a target with very different proportions. Two estimates have no such
limit, but fail if their assumption is wrong: clusters of the target documents, which need not be
the classes, and the maximum likelihood under label shift. Each of them is used as far as the labels
that it implies agree with the scores of the automatic method at the same proportions, and as far as
its own assumption holds. Both need cross-validated scores of a local sample, which are made here
too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from isthmus.domains.model import UNLABELED, Domain, Problem
from isthmus.estimators.components.linear_models import INIT_CLASSIFIERS, probabilities
from isthmus.estimators.components.repeatable_kmeans import random_projections
from isthmus.matrices.rows import (
    as_documents,
    duplicate_groups,
    with_narrow_indices,
    with_unit_rows,
)
from isthmus.matrices.threads import one_thread
from isthmus.solvers.class_prior.estimation import PriorEstimates, estimate_priors
from isthmus.solvers.class_prior.quantifiers import PSEUDO_COUNT
from isthmus.solvers.ensemble.consensus import scores_at_prior

# Classes with fewer documents are left out of the cross-validation.
_MIN_ROWS = 4
# Inverse regularization strength of the logistic regression, whose scores are calibrated later. It
# gave the smallest error of the prior on development problems.
_C = 5.0
# Lower bound of probabilities under the logarithm.
_MIN_PROBABILITY = 1e-12
# Weights rise from 0 at the first value to 1 at the second one. All values were chosen on
# development problems: everyday scenarios, reviews and newsgroups
# (benchmarks/studies/proportions.md).
#
# Kappa with which one half of the target predicts the clusters of the other. Newsgroups whose
# clusters are the classes had 0.88 to 1, reviews and tweets up to 0.87.
_CLUSTER_KAPPA = (0.82, 0.88)
# The same kappa, less that of the labels of the consensus. Clusters that split one class and merge
# two others can be predicted well, but not as well as the classes.
_CLUSTER_KAPPA_GAIN = (-0.02, 0.0)
# Kappa of clusters and consensus at the proportions of the clusters.
_CLUSTER_AGREEMENT = (0.3, 0.5)
# Clusters are not used if one is smaller than this part of the source prior of its class.
_MIN_CLUSTER = 0.05
# Kappa of the classifier of the source and the consensus at the maximum likelihood prior. With
# more classes, label shift was wrong on development problems with values up to 0.64.
_TWO_CLASS_AGREEMENT, _AGREEMENT = (0.45, 0.55), (0.7, 0.8)
# Mismatch of the scores at the maximum likelihood prior: the weight is 1 up to the first value.
_MISMATCH = (0.08, 0.12)


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


@dataclass(frozen=True)
class ConsensusEstimate:
    """The estimate of the automatic method for the non-empty unlabeled documents of a target."""

    rows: NDArray[np.intp]
    """Row numbers of these documents."""
    scores: NDArray[np.float64]
    """One row per document, one column per class."""
    prior: NDArray[np.float64]
    low: NDArray[np.float64]
    """Lower end of the 80 % interval of every class."""
    high: NDArray[np.float64]
    """Upper end of the 80 % interval of every class."""
    learnability: Callable[[NDArray[np.intp]], float]
    """Kappa with which one half of the documents predicts these labels of the other half."""


@dataclass(frozen=True)
class CombinedPrior:
    """The combined prior of the classes with enough documents, and the weights of its parts."""

    prior: NDArray[np.float64]
    consensus: NDArray[np.float64]
    """The prior by the automatic method alone."""
    consensus_half_width: NDArray[np.float64]
    """Half-width of its 80 % interval."""
    cluster_weight: float
    likelihood_weight: float
    """Weight of the maximum likelihood prior, shrunk towards the source prior."""

    @property
    def consensus_weight(self) -> float:
        return 1 - self.cluster_weight - self.likelihood_weight


def estimates_of_target(scores: CrossValScores, number: int) -> PriorEstimates | None:
    """Estimates for the classes with enough documents; None if none are possible."""
    unknown, documents = scores.targets[number], scores.documents[number]
    if len(scores.codes) < 2 or len(unknown) == 0:
        return None
    words = as_documents(documents) if documents.min() >= 0 else None
    with one_thread():
        return estimate_priors(scores.known, scores.labels, unknown, words)


def combine_estimates(
    scores: CrossValScores,
    number: int,
    estimates: PriorEstimates,
    consensus: ConsensusEstimate | None,
) -> CombinedPrior:
    """Combine the estimates for a target, given by its number.

    Without a consensus, the result is the maximum likelihood prior, shrunk towards the source
    prior.
    """
    if consensus is None:
        no_width = np.zeros(len(estimates.shrunk))
        return CombinedPrior(estimates.shrunk, estimates.shrunk, no_width, 0.0, 1.0)
    positions = np.searchsorted(scores.rows[number], consensus.rows)
    documents = scores.document_of_row[number][positions]
    own_scores = consensus.scores[:, scores.codes]
    by_consensus = consensus.prior[scores.codes]
    # A handful of documents says little about proportions.
    n_documents = len(consensus.rows)
    by_consensus = n_documents * by_consensus / by_consensus.sum()
    by_consensus += PSEUDO_COUNT * estimates.source_prior
    by_consensus /= by_consensus.sum()
    of_clusters = _cluster_weight(scores, estimates, consensus, own_scores, documents)
    of_likelihood = (1 - of_clusters) * _likelihood_weight(estimates, own_scores, documents)
    prior = (
        of_clusters * estimates.priors["clusters"]
        + of_likelihood * estimates.shrunk
        + (1 - of_clusters - of_likelihood) * by_consensus
    )
    half_width = np.maximum(consensus.prior - consensus.low, consensus.high - consensus.prior)
    return CombinedPrior(prior, by_consensus, half_width[scores.codes], of_clusters, of_likelihood)


def _cluster_weight(
    scores: CrossValScores,
    estimates: PriorEstimates,
    consensus: ConsensusEstimate,
    own_scores: NDArray[np.float64],
    documents: NDArray[np.intp],
) -> float:
    prior = estimates.priors["clusters"]
    if (prior < _MIN_CLUSTER * estimates.source_prior).any():
        return 0.0
    labels = estimates.clustering.memberships.argmax(axis=1)[documents]
    kappa = consensus.learnability(scores.codes[labels])
    if np.isnan(kappa):
        return 0.0
    gain = kappa - consensus.learnability(scores.codes[own_scores.argmax(axis=1)])
    agreement = _agreement(labels, scores_at_prior(own_scores, prior).argmax(axis=1), len(prior))
    return (
        _ramp(kappa, _CLUSTER_KAPPA)
        * _ramp(gain, _CLUSTER_KAPPA_GAIN)
        * _ramp(agreement, _CLUSTER_AGREEMENT)
    )


def _likelihood_weight(
    estimates: PriorEstimates, own_scores: NDArray[np.float64], documents: NDArray[np.intp]
) -> float:
    prior = estimates.priors["likelihood"]
    logs = np.log(np.maximum(estimates.probabilities, 1e-12))
    labels = scores_at_prior(logs, prior).argmax(axis=1)[documents]
    agreement = _agreement(labels, scores_at_prior(own_scores, prior).argmax(axis=1), len(prior))
    bounds = _TWO_CLASS_AGREEMENT if len(prior) == 2 else _AGREEMENT
    return _ramp(agreement, bounds) * (1 - _ramp(estimates.likelihood_mismatch, _MISMATCH))


def _agreement(one: NDArray[np.intp], other: NDArray[np.intp], n_classes: int) -> float:
    """Cohen's kappa of two labelings."""
    proportions = [np.bincount(labels, minlength=n_classes) / len(one) for labels in (one, other)]
    expected = float(proportions[0] @ proportions[1])
    return (float(np.mean(one == other)) - expected) / max(1 - expected, 1e-9)


def _ramp(value: float, bounds: tuple[float, float]) -> float:
    low, high = bounds
    return float(np.clip((value - low) / (high - low), 0.0, 1.0))
