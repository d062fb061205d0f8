"""Clusterings of documents from several initial memberships, and the choice of one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.numerics.prior_shift import match_mean
from isthmus.solvers.class_prior.word_mixture import mixture_memberships

__all__ = ["Clustering", "choose_clustering", "skewed_memberships"]

# The weight of a clustering is exp(60 * separation).
_SEPARATION_FACTOR = 60.0
# Clusterings with a smaller weight relative to the best one are discarded.
_MIN_RELATIVE_WEIGHT = 0.05
# In skewed initial memberships the prior of one class is multiplied by this factor.
_SKEW = 4.0
# With more classes there are no skewed initial memberships, because each costs a clustering.
_MAX_SKEWED_CLASSES = 5


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
