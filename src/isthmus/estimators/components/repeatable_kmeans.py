"""K-means whose answer depends neither on the order of the rows nor on threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.utils.extmath import row_norms

from isthmus.matrices.rows import with_narrow_indices
from isthmus.matrices.threads import one_thread

__all__ = ["Clusters", "by_size", "nearest_center", "random_places", "repeatable_kmeans"]


@dataclass(frozen=True)
class Clusters:
    """What K-means found, the largest cluster first."""

    labels: NDArray[np.intp]
    centers: NDArray[Any]
    """One row a cluster."""


def random_places(X: Any, generator: np.random.Generator) -> NDArray[np.float64]:
    """A number for every row by which rows can be put into an order of their own.

    It is the product of the row and a random vector: it moves with the row.
    """
    return np.asarray(X @ generator.standard_normal(X.shape[1]), np.float64)


def repeatable_kmeans(
    X: Any,
    n_clusters: int,
    generator: np.random.Generator,
    *,
    places: NDArray[np.float64] | None = None,
    n_init: int = 10,
) -> Clusters:
    """K-means of the rows of a sparse matrix or an array.

    scikit-learn draws its starts by the positions of the rows, so rows are put into the order of
    their ``places`` first (:func:`random_places` of ``X`` unless given; give those of the documents
    where ``X`` holds coordinates that are known only up to their sign). Clusters are numbered by
    size, those of one size by the mean of their places. With fewer rows than clusters every row is
    its own, and the last centres repeat the first.
    """
    with one_thread():
        if places is None:
            places = random_places(X, generator)
        order = np.argsort(places, kind="stable")
        seed = int(generator.integers(2**31 - 1))
        model = KMeans(min(n_clusters, X.shape[0]), n_init=n_init, random_state=seed)
        model.fit(with_narrow_indices(X[order]))
    labels = np.empty(X.shape[0], np.intp)
    labels[order] = model.labels_
    ranks = by_size(labels, places, model.n_clusters)
    labels = np.argsort(ranks)[labels]
    # Of equal centres the first is the nearest, so a repeated one is nobody's.
    missing = np.repeat(ranks[:1], n_clusters - len(ranks))
    return Clusters(labels, model.cluster_centers_[np.concatenate([ranks, missing])])


def by_size(
    labels: NDArray[np.intp], places: NDArray[np.float64], n_clusters: int
) -> NDArray[np.intp]:
    """The clusters, the largest first, those of one size by the mean of their places."""
    order = np.argsort(places, kind="stable")  # sums in an order that is the rows' own
    sizes = np.bincount(labels, minlength=n_clusters)
    means = np.bincount(labels[order], places[order], n_clusters) / np.maximum(sizes, 1)
    return np.lexsort([means, -sizes])


def nearest_center(X: Any, centers: NDArray[Any]) -> NDArray[np.intp]:
    """For every row the number of the centre that is nearest, the first of equals."""
    with one_thread():
        closeness = np.asarray(X @ centers.T) - row_norms(centers, squared=True) / 2
    return np.asarray(closeness.argmax(axis=1), np.intp)
