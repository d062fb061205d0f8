"""Intervals of estimated class priors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.solvers.class_prior.estimation import PriorEstimates
from isthmus.solvers.class_prior.quantifiers import (
    black_box_prior,
    calibrate,
    class_means,
    maximum_likelihood_prior,
)

Interval = tuple[NDArray[np.float64], NDArray[np.float64]]

# Added to both ends for differences between the domains, chosen on development problems. Estimates
# from scores get the first value plus the mismatch of the scores. Estimates from clusters get the
# second value plus half the range of the clusterings from different initial memberships.
_SCORE_ALLOWANCE, _CLUSTER_ALLOWANCE = 0.05, 0.03


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
