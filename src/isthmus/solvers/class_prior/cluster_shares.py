"""Clusters of documents that several starts lead to, and the one to believe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.numerics.prior_shift import recentred
from isthmus.solvers.class_prior.word_mixture import mixture_memberships

__all__ = ["Clusters", "choose_clusters", "skewed_starts"]

# How much more a clustering counts that parts the documents better: e times for every 1/60.
_SHARPNESS = 60.0
# Clusterings that count less than this beside the best are not among the possible ones.
_POSSIBLE = 0.05
# In a skewed start one class has so many times its share beside the others.
_TILT = 4.0
# With more classes there are no skewed starts: every one takes a clustering.
_FEW_CLASSES = 5


@dataclass(frozen=True)
class Clusters:
    """The clustering that the others agree with best."""

    memberships: NDArray[np.float64]
    possible: NDArray[np.float64]
    """Shares of the clusters by every start that came to something, a row each."""
    parting: float
    """How well the documents part into clusters, from 0 to 1."""


def skewed_starts(memberships: NDArray[Any], shares: NDArray[Any]) -> list[NDArray[Any]]:
    """Memberships held to shares, and to shares of which one class has most, class by class."""
    n_classes = len(shares)
    wanted = [shares]
    if n_classes <= _FEW_CLASSES:
        wanted += [
            shares * np.where(np.arange(n_classes) == k, _TILT, 1.0) for k in range(n_classes)
        ]
    return [recentred(memberships, part / part.sum()) for part in wanted]


def choose_clusters(
    documents: Documents, starts: list[NDArray[Any]], scores: NDArray[Any]
) -> Clusters:
    """Cluster the documents from every start and take the clustering in the middle.

    A clustering counts by how well it parts the documents, ``sum_c var(R_c) / sum_c q_c (1 - q_c)``
    (1 if every document belongs to one cluster alone: right classes part better than halves of a
    class), and by the correlation of its memberships with the scores, without which its clusters
    would not be the classes. The one with the least mean distance of shares to all others is taken.
    """
    runs = [mixture_memberships(documents, start) for start in starts]
    shares = np.array([run.mean(axis=0) for run in runs])
    parting = np.array([_parting(run) for run in runs])
    likeness = np.array([_correlation(run, scores) for run in runs])
    weights = np.exp(_SHARPNESS * (parting - parting.max())) * np.maximum(likeness, 1e-6)
    distances = np.abs(shares[:, None] - shares[None]).sum(axis=2) @ weights
    # Of equal ones the one that counts most.
    chosen = int(np.lexsort([-weights, distances.round(9)])[0])
    possible = shares[weights >= _POSSIBLE * weights.max()]
    return Clusters(runs[chosen], possible, float(parting[chosen]))


def _parting(memberships: NDArray[np.float64]) -> float:
    shares = memberships.mean(axis=0)
    return float(memberships.var(axis=0).sum() / max((shares * (1 - shares)).sum(), 1e-12))


def _correlation(memberships: NDArray[np.float64], scores: NDArray[Any]) -> float:
    left = memberships - memberships.mean(axis=0)
    right = scores - scores.mean(axis=1, keepdims=True)
    right = right - right.mean(axis=0)
    norm = np.sqrt((left**2).sum() * (right**2).sum())
    return float((left * right).sum() / max(norm, 1e-300))
