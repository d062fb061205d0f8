"""K-means of several domains with cluster numbers that mean the same in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from isthmus.estimators.components.repeatable_kmeans import repeatable_kmeans

__all__ = ["kmeans_apart", "kmeans_together"]

#: Coordinates of a domain's documents, and a number for each that puts them into an order.
Part = tuple[NDArray[Any], NDArray[np.float64]]


def kmeans_together(
    parts: Sequence[Part], n_clusters: int, generator: np.random.Generator, n_init: int
) -> list[NDArray[np.intp]]:
    """Labels of every domain: clusters of the documents of all as one."""
    rows = np.concatenate([coordinates for coordinates, _ in parts])
    places = np.concatenate([own for _, own in parts])
    found = repeatable_kmeans(rows, n_clusters, generator, places=places, n_init=n_init)
    return np.split(found.labels, np.cumsum([len(own) for _, own in parts])[:-1])


def kmeans_apart(
    parts: Sequence[Part], n_clusters: int, generator: np.random.Generator, n_init: int
) -> list[NDArray[np.intp]]:
    """Labels of every domain: its own clusters, numbered by the direction that they lie in.

    The largest domain comes first; the clusters of every other are matched to the sums of the
    centroids of those before it.
    """
    found = [
        repeatable_kmeans(rows, n_clusters, generator, places=places, n_init=n_init)
        for rows, places in parts
    ]
    labels = [clusters.labels for clusters in found]
    sums = np.zeros((n_clusters, parts[0][0].shape[1]))
    for number in np.argsort([-len(own) for own in labels], kind="stable"):
        centers = found[number].centers
        _, partners = linear_sum_assignment(-_directions(centers) @ _directions(sums).T)
        labels[number] = partners[labels[number]]
        sums[partners] += centers
    return labels


def _directions(centers: NDArray[Any]) -> NDArray[Any]:
    lengths = np.linalg.norm(centers, axis=1, keepdims=True)
    return np.asarray(centers / np.where(lengths > 0, lengths, 1))
