"""K-means of several domains with cluster numbers that mean the same in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from isthmus.estimators.components.repeatable_kmeans import repeatable_kmeans

__all__ = ["kmeans_apart", "kmeans_together"]

#: Coordinates of a domain's documents, and one number per document that defines their order.
Part = tuple[NDArray[Any], NDArray[np.float64]]


def kmeans_together(
    parts: Sequence[Part], n_clusters: int, generator: np.random.Generator, n_init: int
) -> list[NDArray[np.intp]]:
    """Labels of every domain after K-means on the documents of all domains."""
    rows = np.concatenate([coordinates for coordinates, _ in parts])
    places = np.concatenate([own_places for _, own_places in parts])
    clusters = repeatable_kmeans(rows, n_clusters, generator, projections=places, n_init=n_init)
    return np.split(clusters.labels, np.cumsum([len(rows) for rows, _ in parts])[:-1])


def kmeans_apart(
    parts: Sequence[Part], n_clusters: int, generator: np.random.Generator, n_init: int
) -> list[NDArray[np.intp]]:
    """Labels of every domain after K-means on each, with clusters matched between domains.

    Domains are matched in order of size, the largest first: the centers of a domain are assigned
    to the sums of the centers of the earlier domains by cosine similarity.
    """
    clusters = [
        repeatable_kmeans(rows, n_clusters, generator, projections=places, n_init=n_init)
        for rows, places in parts
    ]
    labels = [part.labels for part in clusters]
    sums = np.zeros((n_clusters, parts[0][0].shape[1]))
    for i in np.argsort([-len(part) for part in labels], kind="stable"):
        centers = clusters[i].centers
        _, partners = linear_sum_assignment(-_directions(centers) @ _directions(sums).T)
        labels[i] = partners[labels[i]]
        sums[partners] += centers
    return labels


def _directions(centers: NDArray[Any]) -> NDArray[Any]:
    norms = np.linalg.norm(centers, axis=1, keepdims=True)
    return np.asarray(centers / np.where(norms > 0, norms, 1))
