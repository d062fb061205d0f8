"""LWE, the locally weighted ensemble of Gao et al. (2008).

Two graphs over the target's documents are compared at every document ``x``: in one, documents of a
cluster ``K(x)`` are neighbours; in that of model ``i``, documents of the class ``M_i(x)`` that the
model gives. Neighbourhoods are therefore whole clusters and classes, and how like each other they
are follows from counts, without a graph:

``s_i(x) = |K(x) & M_i(x)| / |K(x) | M_i(x)|``  or  ``|K(x) & M_i(x)| / |K(x)|``

(``&`` is an intersection, ``|`` a union; a document is a neighbour of itself).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MEASURES", "Ensemble", "cluster_similarity", "locally_weighted"]

#: How neighbourhoods are compared.
MEASURES = ("share", "jaccard")


@dataclass(frozen=True)
class Ensemble:
    """What the models say together."""

    memberships: NDArray[np.float64]
    weights: NDArray[np.float64]
    """Of every model (column) at every document; rows sum to 1."""
    similarity: NDArray[np.float64]
    """The mean over the models, of every document."""
    trusted: NDArray[np.bool_]
    """Documents that are labelled by the models, and not by their neighbours."""


def cluster_similarity(
    clusters: NDArray[np.intp], labels: NDArray[np.intp], measure: str
) -> NDArray[np.float64]:
    """How much the cluster of a document is like its class, document by document."""
    n_clusters, n_classes = int(clusters.max()) + 1, int(labels.max()) + 1
    pairs = np.bincount(clusters * n_classes + labels, minlength=n_clusters * n_classes)
    counts = pairs.reshape(n_clusters, n_classes)
    shared = counts[clusters, labels]
    whole = counts.sum(axis=1)[clusters]
    if measure == "jaccard":
        whole = whole + counts.sum(axis=0)[labels] - shared
    return np.asarray(shared / whole)


def locally_weighted(
    clusters: NDArray[np.intp],
    said: Sequence[NDArray[Any]],
    threshold: float,
    measure: str,
    given: NDArray[np.bool_] | None = None,
) -> Ensemble:
    """Memberships from those that every model gives, weighed by the clusters.

    Documents whose label is ``given``, about which all models agree, are trusted whatever happens.

    Where the models' mean similarity to the clustering is below the threshold, a document gets the
    mean membership of the trusted documents of its cluster; in a cluster without one the models
    have the last word.
    """
    similarities = np.column_stack(
        [cluster_similarity(clusters, found.argmax(axis=1), measure) for found in said]
    )
    # A document shares its cluster and its class with itself, so no sum is 0.
    weights = similarities / similarities.sum(axis=1, keepdims=True)
    memberships = sum(w[:, None] * found for w, found in zip(weights.T, said, strict=True))
    memberships = np.asarray(memberships, np.float64)
    similarity = similarities.mean(axis=1)
    trusted = similarity >= threshold - 1e-12  # half of a cluster is half, whatever the rounding
    if given is not None:
        trusted |= given
    for cluster in np.unique(clusters[~trusted]):
        members = clusters == cluster
        if (members & trusted).any():
            memberships[members & ~trusted] = memberships[members & trusted].mean(axis=0)
    return Ensemble(memberships, weights, similarity, trusted)
