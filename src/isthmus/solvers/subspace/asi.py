"""ASI: adaptive subspace iteration (Li, Ma and Ogihara 2004).

:func:`asi` minimizes ``J = ||X - P M W'||^2`` over hard memberships ``P`` (one row per document
with a single 1), an orthonormal ``W`` with l columns and centroids ``M`` (one row per cluster, l
columns):

- Given ``P``, ``W`` holds the l leading eigenvectors of the between-cluster scatter
  ``X'P (P'P)^-1 P'X`` and ``M`` the cluster means in that subspace. ``M W'`` is the best rank-l
  approximation of the cluster means, weighted by cluster size.
- Given ``W`` and ``M``, every document moves to the nearest centroid in the subspace, since
  ``||x - W m||^2 = ||W'x - m||^2 + ||x||^2 - ||W'x||^2``.

Both steps minimize the same ``J``, so it never increases.

:func:`asi_within` is the reading of Gu and Zhou (2009): the part ``||XW - P M||^2`` of ``J`` within
the subspace, which is the objective of LSSMTC with ``lambda = 0``. ``W`` holds the eigenvectors of
the within-cluster scatter ``X'(I - P (P'P)^-1 P')X`` with the smallest eigenvalues.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback, Monitor, Stopping
from isthmus.numerics.truncated_svd import full_svd
from isthmus.solvers.subspace._shared_subspace import (
    Group,
    WStep,
    shared_subspaces,
)
from isthmus.solvers.subspace.lssmtc import clustering_task


@dataclass(frozen=True)
class AdaptiveSubspace:
    """Subspace and centroids of one group of documents."""

    directions: NDArray[Any]
    """``W``, one row per term: orthonormal columns, then columns of zeros if fewer suffice."""
    centroids: NDArray[Any]
    """``M``, one row per cluster; zeros for a cluster without documents."""


@dataclass(frozen=True)
class Asi:
    """Clusters of every group, and ``J`` summed over the groups after every iteration."""

    labels: list[NDArray[np.intp]]
    subspaces: list[AdaptiveSubspace]
    objective: list[float]
    n_iter: int
    converged: bool
    interrupted: bool


def asi(
    groups: Sequence[Documents],
    labels: Sequence[NDArray[np.intp]],
    n_clusters: int,
    n_components: int,
    *,
    stopping: Stopping,
    callback: Callback | None = None,
) -> Asi:
    """Iterate from the given clusters; groups are independent except for the stopping rule.

    The objective starts with the given clusters in their best subspace. The returned labels belong
    to the nearest centroids in the returned subspaces.
    """
    labels = list(labels)
    norms = sum(documents.squared_norm() for documents in groups)
    n_rows = sum(documents.shape[0] for documents in groups)
    best = [
        _best_subspace(*part, n_clusters, n_components) for part in zip(groups, labels, strict=True)
    ]
    subspaces = [subspace for subspace, _ in best]
    monitor = Monitor(stopping, callback)
    monitor.begin(norms - sum(explained for _, explained in best))
    for iteration in range(stopping.max_iter):
        value, moved = norms, 0
        for i, documents in enumerate(groups):
            if iteration > 0:
                subspaces[i], _ = _best_subspace(documents, labels[i], n_clusters, n_components)
            nearest, explained = _nearest(documents, subspaces[i])
            moved += int(np.count_nonzero(nearest != labels[i]))
            labels[i] = nearest
            value -= explained
        if monitor.finished(value, moved / n_rows):
            break
    return Asi(
        labels,
        subspaces,
        monitor.objective,
        monitor.n_iter,
        monitor.converged,
        monitor.interrupted,
    )


def asi_within(
    groups: Sequence[Documents],
    labels: Sequence[NDArray[np.intp]],
    n_clusters: int,
    n_components: int,
    w_step: WStep,
    *,
    stopping: Stopping,
    callback: Callback | None = None,
) -> Asi:
    """The same with the subspaces and the objective of LSSMTC, one task per group.

    Empty documents have no influence; they get the cluster that is nearest to them. A cluster
    without documents has the centroid of the largest one.
    """
    decompositions = [full_svd(documents) for documents in groups]
    tasks = []
    for documents, svd, own in zip(groups, decompositions, labels, strict=True):
        task = clustering_task(
            svd.coordinates,
            own,
            documents.row_norms() == 0,
            n_clusters=n_clusters,
            smoothing=0.0,
            lam=0.0,
            engine=documents.engine,
        )
        n_null = documents.shape[1] - svd.directions.shape[1] if w_step == "smallest" else 0
        tasks.append(Group([task], svd.singular_values, w_step, n_components, n_null=n_null))
    results = shared_subspaces(tasks, lam=0.0, binary=True, stopping=stopping, callback=callback)
    ends, subspaces = [], []
    for group, svd, result in zip(tasks, decompositions, results, strict=True):
        [P], W = result.memberships, result.centroids.directions
        centroids = result.centroids.profiles[0].T @ W
        centroids[~result.centroids.nonempty] = centroids[P.sum(axis=0).argmax()]
        nearest = int((centroids**2).sum(axis=1).argmin())
        ends.append(np.where(group.tasks[0].fixed, nearest, P.argmax(axis=1)))
        with one_thread():
            directions = svd.directions @ W.astype(P.dtype)
        subspaces.append(AdaptiveSubspace(directions, centroids.astype(P.dtype)))
    end = results[0]
    return Asi(ends, subspaces, end.objective, end.n_iter, end.converged, end.interrupted)


def _best_subspace(
    documents: Documents, labels: NDArray[np.intp], n_clusters: int, n_components: int
) -> tuple[AdaptiveSubspace, float]:
    """The best ``W`` and ``M`` of a group, and how much of ``||X||^2`` they explain."""
    sizes = np.bincount(labels, minlength=n_clusters)
    weights = 1 / np.sqrt(np.maximum(sizes, 1))
    # The between-cluster scatter is B B' with few columns; B'B has the same eigenvalues.
    between = documents.transposed_times(np.eye(n_clusters)[labels]) * weights
    with one_thread():
        between = np.asarray(between, np.float64)
        values, vectors = np.linalg.eigh(between.T @ between)
        values, vectors = values[::-1][:n_components], vectors[:, ::-1][:, :n_components]
        # Smaller eigenvalues are rounding errors.
        lengths = np.sqrt(np.where(values > values[0] * 1e-12, values, 0.0))
        inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        directions = between @ (vectors * inverse)
        centroids = vectors * lengths * weights[:, None]
    subspace = AdaptiveSubspace(
        directions.astype(documents.dtype), centroids.astype(documents.dtype)
    )
    return subspace, float(np.sum(lengths**2))


def _nearest(documents: Documents, subspace: AdaptiveSubspace) -> tuple[NDArray[np.intp], float]:
    """Nearest centroids of the documents, and how much of ``||X||^2`` they explain."""
    centroids = subspace.centroids
    with one_thread():
        products = documents.times(subspace.directions) @ centroids.T
    explained = 2 * products.astype(np.float64) - np.sum(centroids**2, axis=1, dtype=np.float64)
    nearest = np.asarray(explained.argmax(axis=1), np.intp)
    return nearest, float(explained.max(axis=1).sum())
