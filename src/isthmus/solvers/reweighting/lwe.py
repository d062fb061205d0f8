"""LWE, the locally weighted ensemble of Gao et al. (2008).

Two graphs over the target documents are compared at every document ``x``. In one, the documents of
a cluster ``K(x)`` are neighbors. In that of model ``i``, the documents of the class ``M_i(x)`` that
the model predicts are neighbors. Neighborhoods are therefore whole clusters and classes, and their
similarity follows from counts, without a graph:

``s_i(x) = |K(x) & M_i(x)| / |K(x) | M_i(x)|``  or  ``|K(x) & M_i(x)| / |K(x)|``

(``&`` is the intersection, ``|`` the union; a document is a neighbor of itself).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Names of the similarity measures.
MEASURES = ("share", "jaccard")


@dataclass(frozen=True)
class Ensemble:
    """The combined prediction of all models."""

    memberships: NDArray[np.float64]
    weights: NDArray[np.float64]
    """Weight of every model (column) at every document; rows sum to 1."""
    similarity: NDArray[np.float64]
    """Mean similarity over the models at every document."""
    trusted: NDArray[np.bool_]
    """Documents that are labeled by the models and not by their cluster."""


def cluster_similarity(
    clusters: NDArray[np.intp], labels: NDArray[np.intp], measure: str
) -> NDArray[np.float64]:
    """Similarity of the cluster and the class of every document."""
    n_clusters, n_classes = int(clusters.max()) + 1, int(labels.max()) + 1
    pairs = np.bincount(clusters * n_classes + labels, minlength=n_clusters * n_classes)
    counts = pairs.reshape(n_clusters, n_classes)
    shared = counts[clusters, labels]
    total = counts.sum(axis=1)[clusters]
    if measure == "jaccard":
        total = total + counts.sum(axis=0)[labels] - shared
    return np.asarray(shared / total)


def locally_weighted(
    clusters: NDArray[np.intp],
    predictions: Sequence[NDArray[Any]],
    threshold: float,
    measure: str,
    labeled: NDArray[np.bool_] | None = None,
) -> Ensemble:
    """Average the predictions of all models, weighted by their similarity to the clusters.

    If the mean similarity of the models at a document is below the threshold, it gets the mean
    memberships of the trusted documents of its cluster. In a cluster without trusted documents the
    models decide. Labeled documents are always trusted.
    """
    similarities = np.column_stack(
        [cluster_similarity(clusters, part.argmax(axis=1), measure) for part in predictions]
    )
    # No sum is 0, because a document is in its own cluster and class.
    weights = similarities / similarities.sum(axis=1, keepdims=True)
    memberships = sum(w[:, None] * part for w, part in zip(weights.T, predictions, strict=True))
    memberships = np.asarray(memberships, np.float64)
    similarity = similarities.mean(axis=1)
    trusted = similarity >= threshold - 1e-12  # tolerance for rounding errors
    if labeled is not None:
        trusted |= labeled
    for cluster in np.unique(clusters[~trusted]):
        members = clusters == cluster
        if (members & trusted).any():
            memberships[members & ~trusted] = memberships[members & trusted].mean(axis=0)
    return Ensemble(memberships, weights, similarity, trusted)
