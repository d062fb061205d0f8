"""The class prior of a target from classifier scores and from clusters, and its interval.

A mixture of multinomial word distributions clusters the documents from several initial memberships,
and one of the clusterings is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from isthmus.matrices.protocols import Documents
from isthmus.numerics.class_probabilities import match_mean
from isthmus.solvers.class_prior.quantifiers import (
    black_box_prior,
    calibrate,
    class_means,
    maximum_likelihood_prior,
    score_mismatch,
)

# Added to the weight of every word in every class.
_SMOOTHING = 0.1
# Inverse temperatures of the first steps. Values above 1 separate the classes before their
# proportions have changed much, if the initial memberships are wrong.
_INVERSE_TEMPERATURES = np.geomspace(3.0, 1.0, 12)
_MIN_PROPORTION = 1e-3
# The weight of a clustering is exp(60 * separation).
_SEPARATION_FACTOR = 60.0
# Clusterings with a smaller weight relative to the best one are discarded.
_MIN_RELATIVE_WEIGHT = 0.05
# In skewed initial memberships the prior of one class is multiplied by this factor.
_SKEW = 4.0
# With more classes there are no skewed initial memberships, because each costs a clustering.
_MAX_SKEWED_CLASSES = 5
# Standard error of the maximum likelihood prior due to domain differences, measured on reviews.
_DOMAIN_ERROR = 0.05
Interval = tuple[NDArray[np.float64], NDArray[np.float64]]

# Added to both ends for differences between the domains, chosen on development problems. Estimates
# from scores get the first value plus the mismatch of the scores. Estimates from clusters get the
# second value plus half the range of the clusterings from different initial memberships.
_SCORE_ALLOWANCE, _CLUSTER_ALLOWANCE = 0.05, 0.03


def mixture_memberships(
    documents: Documents,
    memberships: NDArray[Any],
    *,
    max_iter: int = 40,
    tol: float = 1e-3,
) -> NDArray[np.float64]:
    """Memberships under a mixture of multinomials, by expectation-maximization.

    The word distributions of the classes are ``f = X' R`` with columns scaled to sum 1. The
    memberships are ``R_ic ~ q_c exp(s sum_w x_iw log f_wc)``, where ``q`` is the mean of the rows
    of ``R`` and ``s`` falls from 3 to 1 in the first steps. Only the initial memberships come from
    outside, so the classes are clusters of these documents, and the mean memberships are their
    proportions.

    References
    ----------
    K. Nigam, A. McCallum, S. Thrun, T. Mitchell. Text Classification from Labeled and Unlabeled
    Documents using EM. Machine Learning 39, 2000.
    """
    memberships = np.asarray(memberships, np.float64)
    for step in range(max_iter):
        inverse_temperature = _INVERSE_TEMPERATURES[min(step, len(_INVERSE_TEMPERATURES) - 1)]
        prior = np.maximum(memberships.mean(axis=0), _MIN_PROPORTION)
        words = np.asarray(documents.transposed_times(memberships)) + _SMOOTHING
        scores = np.asarray(documents.times(np.log(words / words.sum(axis=0))))
        updated = np.asarray(softmax(inverse_temperature * scores + np.log(prior), axis=1))
        change = float(np.abs(updated - memberships).max())
        memberships = updated
        if change < tol and step >= len(_INVERSE_TEMPERATURES):
            break
    return memberships


@dataclass(frozen=True)
class Clustering:
    """The clustering with the smallest distance to the others."""

    memberships: NDArray[np.float64]
    plausible_priors: NDArray[np.float64]
    """Cluster proportions of all clusterings that were not discarded, one row each."""
    separation: float
    """How well the clusters are separated, from 0 to 1."""


def skewed_memberships(memberships: NDArray[Any], prior: NDArray[Any]) -> list[NDArray[Any]]:
    """Memberships matched to the prior, and to priors with a larger proportion of each class."""
    n_classes = len(prior)
    priors = [prior]
    if n_classes <= _MAX_SKEWED_CLASSES:
        priors += [
            prior * np.where(np.arange(n_classes) == k, _SKEW, 1.0) for k in range(n_classes)
        ]
    return [match_mean(memberships, part / part.sum()) for part in priors]


def choose_clustering(
    documents: Documents, initial: list[NDArray[Any]], scores: NDArray[Any]
) -> Clustering:
    """Cluster the documents from all initial memberships and choose the most central result.

    The weight of a clustering grows with its separation,
    ``sum_c var(R_c) / sum_c q_c (1 - q_c)``, which is 1 if every document belongs to one cluster
    only; the correct classes are better separated than two halves of one class. It also grows with
    the correlation of memberships and scores, because otherwise clusters could not be identified
    with classes. The clustering with the smallest weighted distance of proportions to all others is
    chosen.
    """
    clusterings = [mixture_memberships(documents, memberships) for memberships in initial]
    priors = np.array([memberships.mean(axis=0) for memberships in clusterings])
    separation = np.array([_separation(memberships) for memberships in clusterings])
    correlation = np.array([_correlation(memberships, scores) for memberships in clusterings])
    weights = np.exp(_SEPARATION_FACTOR * (separation - separation.max()))
    weights = weights * np.maximum(correlation, 1e-6)
    distances = np.abs(priors[:, None] - priors[None]).sum(axis=2) @ weights
    # Equal distances are ordered by weight.
    chosen = int(np.lexsort([-weights, distances.round(9)])[0])
    plausible = priors[weights >= _MIN_RELATIVE_WEIGHT * weights.max()]
    return Clustering(clusterings[chosen], plausible, float(separation[chosen]))


def _separation(memberships: NDArray[np.float64]) -> float:
    prior = memberships.mean(axis=0)
    return float(memberships.var(axis=0).sum() / max((prior * (1 - prior)).sum(), 1e-12))


def _correlation(memberships: NDArray[np.float64], scores: NDArray[Any]) -> float:
    left = memberships - memberships.mean(axis=0)
    right = scores - scores.mean(axis=1, keepdims=True)
    right = right - right.mean(axis=0)
    norm = np.sqrt((left**2).sum() * (right**2).sum())
    return float((left * right).sum() / max(norm, 1e-300))


@dataclass(frozen=True)
class PriorEstimates:
    """The prior by method, and how well the methods fit."""

    priors: dict[str, NDArray[np.float64]]
    source_prior: NDArray[np.float64]
    mismatch: float
    """Distance of the target scores from all mixtures of source classes, see `score_mismatch`."""
    likelihood_mismatch: float
    """The same for the mixture with the maximum likelihood prior."""
    probabilities: NDArray[np.float64]
    """Calibrated class probabilities of the target documents, for the source prior."""
    shrunk: NDArray[np.float64]
    """The maximum likelihood prior, shrunk towards the source prior."""
    clustering: Clustering
    """Clusters of the target documents by their words."""


def estimate_priors(
    known: NDArray[Any],
    labels: NDArray[np.intp],
    unknown: NDArray[Any],
    documents: Documents | None,
) -> PriorEstimates:
    """Estimate the class prior by every method.

    Parameters
    ----------
    known : array of shape (n_known, n_classes)
        Log probabilities of labeled documents by a classifier that was not trained on them.
    labels : array of int of shape (n_known,)
    unknown : array of shape (n_unknown, n_classes)
        Log probabilities of the target documents.
    documents : Documents or None
        The target documents, without negative values. None if they cannot be clustered; then the
        maximum likelihood memberships take the place of the clusters.
    """
    calibration = calibrate(known, labels)
    known_probabilities, probabilities = calibration(known), calibration(unknown)
    source_prior = known_probabilities.mean(axis=0)
    likeliest = maximum_likelihood_prior(probabilities, source_prior)
    reweighted = probabilities * (likeliest / source_prior)
    reweighted /= reweighted.sum(axis=1, keepdims=True)
    if documents is None:
        clustering = Clustering(reweighted, likeliest[None], 0.0)
    else:
        initial = [probabilities, reweighted, *skewed_memberships(probabilities, source_prior)]
        clustering = choose_clustering(documents, initial, unknown)
    means = class_means(known_probabilities, labels, known.shape[1])
    n_unknown = len(probabilities)
    priors = {
        "likelihood": likeliest,
        "black_box": black_box_prior(means, probabilities.mean(axis=0), n_unknown, source_prior),
        "clusters": clustering.memberships.mean(axis=0),
    }
    sampling_variance = (1 / len(known) + 1 / len(unknown)) / 4
    shrunk = shrunk_towards(likeliest, source_prior, np.sqrt(_DOMAIN_ERROR**2 + sampling_variance))
    return PriorEstimates(
        priors,
        source_prior,
        score_mismatch(known, labels, unknown),
        score_mismatch(known, labels, unknown, likeliest),
        probabilities,
        shrunk,
        clustering,
    )


def shrunk_towards(
    estimate: NDArray[Any], prior: NDArray[Any], error: float
) -> NDArray[np.float64]:
    """James-Stein shrinkage of an estimate with the given standard error towards a prior.

    The difference, of norm d, is multiplied by ``max(0, 1 - error^2 / d^2)``: an estimate within
    one error of the prior is not evidence against it, and an estimate far away stays unchanged. For
    two classes d is the difference of the proportions of a class.
    """
    difference = estimate - prior
    squared_norm = float(difference @ difference) / 2
    return np.asarray(prior + max(0.0, 1 - error**2 / max(squared_norm, 1e-300)) * difference)


def prior_interval(
    estimates: PriorEstimates,
    method: str,
    known: NDArray[Any],
    labels: NDArray[np.intp],
    unknown: NDArray[Any],
    level: float,
    n_resamples: int,
    generator: np.random.Generator,
) -> Interval:
    """Lower and upper end of the interval of every class.

    ``method`` is "likelihood", "black_box" or "clusters". ``known``, ``labels`` and ``unknown`` are
    the arguments from which ``estimates`` was computed.
    """
    if method == "clusters":
        means = resampled_means(estimates.clustering.memberships, n_resamples, generator)
        return _cluster_interval(estimates, means, level)
    likeliest, black_box = resampled_priors(known, labels, unknown, n_resamples, generator)
    resampled = black_box if method == "black_box" else likeliest
    allowance = _SCORE_ALLOWANCE + estimates.mismatch
    return _widened(estimates.priors[method], resampled, level, allowance)


def resampled_priors(
    known: NDArray[Any],
    labels: NDArray[np.intp],
    unknown: NDArray[Any],
    n_resamples: int,
    generator: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Maximum likelihood and black-box priors of bootstrap samples, one row per sample.

    Labeled and target documents are both resampled, and the calibration is fitted to each sample.
    """
    n_classes = known.shape[1]
    first = calibrate(known, labels)
    start = maximum_likelihood_prior(first(unknown), first(known).mean(axis=0))
    likeliest, black_box = [], []
    for _ in range(n_resamples):
        counts = _bootstrap_counts(len(known), generator)
        target_counts = _bootstrap_counts(len(unknown), generator)
        calibration = calibrate(known, labels, weights=counts, start=first)
        known_probabilities, probabilities = calibration(known), calibration(unknown)
        prior = counts @ known_probabilities / counts.sum()
        likeliest.append(
            maximum_likelihood_prior(
                probabilities, prior, weights=target_counts, start=start, tol=1e-5
            )
        )
        means = class_means(known_probabilities, labels, n_classes, counts)
        target_mean = target_counts @ probabilities / target_counts.sum()
        black_box.append(black_box_prior(means, target_mean, len(probabilities), prior))
    return np.array(likeliest), np.array(black_box)


def resampled_means(
    memberships: NDArray[Any], n_resamples: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Mean memberships of bootstrap samples, one row per sample."""
    n_rows = len(memberships)
    return np.array(
        [_bootstrap_counts(n_rows, generator) @ memberships / n_rows for _ in range(n_resamples)]
    )


def _cluster_interval(estimates: PriorEstimates, resampled: NDArray[Any], level: float) -> Interval:
    low, high = _widened(estimates.priors["clusters"], resampled, level, _CLUSTER_ALLOWANCE)
    plausible = estimates.clustering.plausible_priors
    lowest, highest = plausible.min(axis=0), plausible.max(axis=0)
    half_range = (highest - lowest) / 2
    low = np.minimum(low, lowest - _CLUSTER_ALLOWANCE) - half_range
    high = np.maximum(high, highest + _CLUSTER_ALLOWANCE) + half_range
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def _widened(
    prior: NDArray[Any], resampled: NDArray[Any], level: float, allowance: float
) -> Interval:
    """The interval of resampled priors, with an allowance at both ends."""
    tail = (1 - level) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
    low = np.clip(np.minimum(low, prior) - allowance, 0.0, 1.0)
    high = np.clip(np.maximum(high, prior) + allowance, 0.0, 1.0)
    return low, high


def _bootstrap_counts(n_rows: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """How often every row occurs in a bootstrap sample."""
    return np.bincount(generator.integers(n_rows, size=n_rows), minlength=n_rows).astype(float)
