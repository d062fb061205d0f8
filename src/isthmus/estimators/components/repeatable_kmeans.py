"""K-means with a result that depends neither on the order of the rows nor on threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.utils.extmath import row_norms

from isthmus.matrices.rows import with_narrow_indices
from isthmus.matrices.threads import one_thread


@dataclass(frozen=True)
class Clusters:
    """The result of K-means, by falling cluster size."""

    labels: NDArray[np.intp]
    centers: NDArray[Any]
    """One row per cluster."""


def random_projections(X: Any, generator: np.random.Generator) -> NDArray[np.float64]:
    """A random projection of every row, which defines an order of the rows.

    The order depends on the content of the rows only, not on their positions.
    """
    return np.asarray(X @ generator.standard_normal(X.shape[1]), np.float64)


def repeatable_kmeans(
    X: Any,
    n_clusters: int,
    generator: np.random.Generator,
    *,
    projections: NDArray[np.float64] | None = None,
    n_init: int = 10,
) -> Clusters:
    """K-means of the rows of a sparse matrix or an array.

    scikit-learn draws its initial centers by row position, so rows are first sorted by
    ``projections``, by default :func:`random_projections` of ``X``.
    If ``X`` holds coordinates without a fixed sign, pass the random projections of the documents
    instead. Clusters are numbered by falling size, and those of equal size by their mean
    projection. With fewer rows than clusters every row is a cluster, and the remaining centers
    repeat the first one.
    """
    with one_thread():
        if projections is None:
            projections = random_projections(X, generator)
        order = np.argsort(projections, kind="stable")
        seed = int(generator.integers(2**31 - 1))
        model = KMeans(min(n_clusters, X.shape[0]), n_init=n_init, random_state=seed)
        model.fit(with_narrow_indices(X[order]))
    labels = np.empty(X.shape[0], np.intp)
    labels[order] = model.labels_
    ranks = by_size(labels, projections, model.n_clusters)
    labels = np.argsort(ranks)[labels]
    # Repeated centers stay empty, because ties go to the first of equal centers.
    missing = np.repeat(ranks[:1], n_clusters - len(ranks))
    return Clusters(labels, model.cluster_centers_[np.concatenate([ranks, missing])])


def by_size(
    labels: NDArray[np.intp], projections: NDArray[np.float64], n_clusters: int
) -> NDArray[np.intp]:
    """Clusters by falling size, and those of equal size by their mean projection."""
    order = np.argsort(projections, kind="stable")  # sums must not depend on the order of the rows
    sizes = np.bincount(labels, minlength=n_clusters)
    means = np.bincount(labels[order], projections[order], n_clusters) / np.maximum(sizes, 1)
    return np.lexsort([means, -sizes])


def nearest_center(X: Any, centers: NDArray[Any]) -> NDArray[np.intp]:
    """The nearest center of every row; the first one of equally near centers."""
    with one_thread():
        closeness = np.asarray(X @ centers.T) - row_norms(centers, squared=True) / 2
    return np.asarray(closeness.argmax(axis=1), np.intp)
