"""The class prior of a target from classifier scores and from clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.solvers.class_prior.clusters import Clustering, choose_clustering, skewed_memberships
from isthmus.solvers.class_prior.quantifiers import (
    black_box_prior,
    calibrate,
    class_means,
    maximum_likelihood_prior,
    score_mismatch,
)

__all__ = ["PriorEstimates", "estimate_priors", "shrunk_towards"]

# Standard error of the maximum likelihood prior due to domain differences, measured on reviews.
_DOMAIN_ERROR = 0.05


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
