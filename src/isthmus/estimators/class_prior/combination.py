"""Combination of the class proportions of the automatic method with clusters and label shift.

The members of the automatic method stay near the class proportions of the source, so its estimate
is too small a change for a target with very different proportions. Two estimates have no such
limit, but fail if their assumption is wrong: clusters of the target documents, which need not be
the classes, and the maximum likelihood under label shift. Each of them is used as far as the labels
that it implies agree with the scores of the automatic method at the same proportions, and as far as
its own assumption holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.class_prior.cross_val_scores import CrossValScores
from isthmus.solvers.class_prior.estimation import PriorEstimates
from isthmus.solvers.class_prior.quantifiers import PSEUDO_COUNT
from isthmus.solvers.ensemble.consensus import scores_at_prior

__all__ = ["CombinedPrior", "ConsensusEstimate", "combine_estimates"]

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
