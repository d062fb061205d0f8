"""Labels of one target: consensus of the members, class proportions, refinement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.domains.model import Domain
from isthmus.estimators.components.repeatable_kmeans import random_projections
from isthmus.matrices.engines import is_distributed
from isthmus.matrices.rows import as_documents, take_rows, unit_rows_of
from isthmus.matrices.threads import one_thread
from isthmus.numerics.truncated_svd import Transposed, truncated_svd
from isthmus.solvers.ensemble.consensus import (
    centered_logs,
    consensus,
    label_proportions,
    scaled_scores,
    scores_at_prior,
)
from isthmus.solvers.ensemble.proportions import (
    HalfPredictor,
    Proportions,
    estimate_proportions,
    kappa_curves,
    mean_kappa,
    near_source,
)

# Fewer documents say nothing about their proportions.
_MIN_DOCUMENTS = 40
# Documents on which proportions are tried.
_MAX_SAMPLE = 2_500
# Documents for which coordinates are kept, because they are dense.
_MAX_COORDINATES = 50_000
_N_COMPONENTS = 100
# Weight of the estimated proportions in labeled documents of the target.
_ESTIMATE_WEIGHT = 70


@dataclass(frozen=True)
class TargetLabels:
    """Scores of the open documents of a target and what they rest on."""

    scores: NDArray[np.float64]
    """One row per open document; the largest score is the label."""
    proportions: Proportions
    kappa: float
    """How well one half of the target learns these labels from the other; NaN if unknown."""
    votes: NDArray[np.float64]
    """Class proportions of the consensus of the members, before any correction."""

    @property
    def labels(self) -> NDArray[np.intp]:
        return np.asarray(self.scores.argmax(axis=1))


@dataclass(frozen=True)
class OutsideEstimate:
    """Class proportions of a target that were estimated without the members."""

    prior: NDArray[np.float64]
    weight: float
    """How far they can be trusted, from 0 to 1."""


class Target:
    """The unlabeled, non-empty documents of a target: the open ones.

    Parameters
    ----------
    domain : Domain
    X : matrix of all rows
        The words, or words and characters, in the caller's order.
    prior : array of shape (n_classes,) or None
        Given class proportions of the unlabeled documents.
    source_prior : array of shape (n_classes,)
        Class proportions of the sources.
    """

    def __init__(
        self,
        domain: Domain,
        X: Any,
        prior: NDArray[np.float64] | None,
        source_prior: NDArray[np.float64],
    ) -> None:
        self.domain = domain
        rows = np.arange(X.shape[0])[domain.rows]
        filled = domain.filled
        self.positions = np.flatnonzero(~domain.labeled & filled)
        """Positions of the open documents among those of the domain."""
        self.rows = rows[self.positions]
        self._X = X
        self._prior = prior
        self.source_prior = source_prior
        self._outside: OutsideEstimate | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def number(self) -> int:
        """Domain number."""
        return self.domain.number

    @property
    def has_given_prior(self) -> bool:
        """Whether the class proportions are given."""
        return self._prior is not None

    def use(self, estimate: OutsideEstimate) -> None:
        """Take another estimate of the class proportions into account from now on."""
        self._outside = estimate

    def kappa_of(self, labels: NDArray[np.intp]) -> float:
        """How well one half of the open documents predicts these labels of the other half.

        NaN if nothing is known: few documents, or a single class by the given proportions.
        """
        if self.has_given_prior and len(np.unique(labels)) < 2:
            return float("nan")
        return self.kappa_between_halves(labels, int(labels.max()) + 1)

    def kappa_between_halves(self, labels: NDArray[np.intp], n_classes: int) -> float:
        """The same for any labels, with numbers below ``n_classes``; NaN for few documents."""
        if self._sample is None:
            return float("nan")
        rows, halves = self._sample
        with one_thread():
            return mean_kappa(np.eye(n_classes)[labels[rows]], halves)

    def kappa_curves(self, scores: NDArray[np.float64]) -> tuple[Any, int]:
        """Kappa by class proportions, and the number of documents that it was computed on.

        None and 0 for few documents.
        """
        if self._sample is None:
            return None, 0
        rows, halves = self._sample
        with one_thread():
            return kappa_curves(scores[rows], halves), len(rows)

    def label(
        self,
        members: Mapping[str, NDArray[Any]],
        estimates: list[NDArray[np.float64]],
    ) -> TargetLabels:
        """Labels by the consensus of the members, at the estimated class proportions.

        ``estimates`` are class proportions by members.
        """
        scores = scaled_scores(consensus(list(members.values())).scores)
        votes = label_proportions(scores)
        proportions = self._proportions(scores, estimates, votes)
        scores = scores_at_prior(scores, proportions.prior)
        if self._halves is not None:
            # One half of the documents corrects the labels of the other.
            predicted = scaled_scores(self._halves.predict(_one_hot(scores)))
            scores = scaled_scores(scores) + scaled_scores(
                scores_at_prior(3 * predicted, proportions.prior)
            )
        return self._finished(scores, estimates, votes)

    def unchanged(self, memberships: NDArray[Any]) -> TargetLabels:
        """Labels of a single classifier as they are."""
        scores = scaled_scores(centered_logs(memberships))
        votes = label_proportions(scores)
        proportions = estimate_proportions([votes], None, len(self), others=[self.source_prior])
        return TargetLabels(scores, proportions, self.kappa_of(scores.argmax(axis=1)), votes)

    def add(
        self,
        labels: TargetLabels,
        refits: list[NDArray[np.float64]],
        estimates: list[NDArray[np.float64]],
    ) -> TargetLabels:
        """Labels after members were fitted again, whose scores are ``refits``."""
        scores = scaled_scores(labels.scores) + sum(scaled_scores(part) for part in refits)
        return self._finished(scores, estimates, labels.votes)

    def towards(
        self, labels: TargetLabels, source_only: NDArray[Any], weight: float
    ) -> TargetLabels:
        """Labels with the scores of the source-only classifier added with a weight.

        ``kappa`` stays that of the labels so far, which the estimated accuracy was fitted to.
        """
        scores = scaled_scores(labels.scores) + weight * scaled_scores(centered_logs(source_only))
        return replace(labels, scores=scaled_scores(scores))

    def _finished(
        self,
        scores: NDArray[np.float64],
        estimates: list[NDArray[np.float64]],
        votes: NDArray[np.float64],
    ) -> TargetLabels:
        """Labels at the estimated proportions."""
        proportions = self._proportions(scores, estimates, votes)
        scores = scaled_scores(scores_at_prior(scores, proportions.prior))
        kappa = self.kappa_of(scores.argmax(axis=1))
        return TargetLabels(scores, proportions, kappa, votes)

    def _proportions(
        self,
        scores: NDArray[np.float64],
        estimates: list[NDArray[np.float64]],
        votes: NDArray[np.float64],
    ) -> Proportions:
        if self._prior is not None:
            zero = np.zeros(len(self._prior))
            return Proportions(self._prior, self._prior, self._prior, zero)
        curves, n_documents = self.kappa_curves(scores)
        proportions = estimate_proportions(
            estimates, curves, n_documents or len(self), votes=votes, others=[self.source_prior]
        )
        if self._outside is not None:
            weight = self._outside.weight
            blend = weight * self._outside.prior + (1 - weight) * proportions.prior
            proportions = proportions.moved_to(blend)
        return self._with_labeled(near_source(proportions, self.source_prior))

    def _with_labeled(self, estimate: Proportions) -> Proportions:
        """The estimate together with the labeled documents of the target."""
        codes = self.domain.labels[self.domain.labeled]
        if len(codes) == 0:
            return estimate
        counts = np.bincount(codes, minlength=len(estimate.prior))
        total = _ESTIMATE_WEIGHT + counts.sum()
        prior = (_ESTIMATE_WEIGHT * estimate.prior + counts) / total
        return estimate.moved_to(prior, float(np.sqrt(_ESTIMATE_WEIGHT / total)))

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """Rank of every open document by its content; equal documents have equal ranks."""
        if is_distributed(self._X):
            documents = take_rows(self._X, self.rows)
        else:
            # As a sparse matrix, because BLAS rounds equal rows of a dense one differently.
            documents = sparse.csr_matrix(self._X[self.rows])
        projections = random_projections(documents, np.random.default_rng(0))
        return np.unique(projections, return_inverse=True)[1]

    @cached_property
    def _directions(self) -> NDArray[Any]:
        """Leading directions of a sample of the documents."""
        sample = _spread(self._order, _MAX_SAMPLE)
        documents = as_documents(unit_rows_of(self._X, self.rows[sample], copied=True))
        svd = truncated_svd(Transposed(documents), _N_COMPONENTS, np.random.default_rng(0))
        return np.asarray(svd.coordinates / np.maximum(svd.singular_values, 1e-12))

    def _coordinates(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        return np.asarray(unit_rows_of(self._X, self.rows[rows], copied=True) @ self._directions)

    @cached_property
    def _sample(self) -> tuple[NDArray[np.intp], HalfPredictor] | None:
        """A sample of different documents, and its regression between halves."""
        if len(self) < _MIN_DOCUMENTS:
            return None
        rows = _spread(self._order, _MAX_SAMPLE)
        # Every second document of the sample. By rank, one half could be empty: of 5,000 documents,
        # every second one is in the sample.
        is_first_half = np.arange(len(rows)) % 2 == 0
        with one_thread():
            return rows, HalfPredictor(self._coordinates(rows), is_first_half)

    @cached_property
    def _halves(self) -> HalfPredictor | None:
        """The regression between halves of all documents; None for very few or very many."""
        if not _MIN_DOCUMENTS <= len(self) <= _MAX_COORDINATES:
            return None
        with one_thread():
            return HalfPredictor(self._coordinates(np.arange(len(self))), self._order % 2 == 0)


def _spread(order: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """At most ``size`` documents with different content, evenly spread over the ranks."""
    _, first = np.unique(order, return_index=True)
    chosen = np.linspace(0, len(first) - 1, min(size, len(first))).astype(np.intp)
    return np.asarray(first[chosen])


def _one_hot(scores: NDArray[Any]) -> NDArray[np.float64]:
    return np.eye(scores.shape[1])[scores.argmax(axis=1)]
