"""Adaptive subspace iteration (Li, Ma and Ogihara 2004): clusters and the subspace they lie in.

With hard memberships ``P`` (a row a document, a single 1 in it), an orthonormal ``W`` of l columns
and centroids ``M`` (a row a cluster, l columns), minimises ``J = ||X - P M W'||^2``:

- given ``P``, ``W`` are the l leading eigenvectors of the between-cluster part
  ``X'P (P'P)^-1 P'X`` and ``M`` the means of the documents in that subspace: ``M W'`` is then the
  best approximation of rank l of the clusters' means, weighted by their sizes;
- given ``W`` and ``M``, every document goes to the nearest centroid in the subspace, since
  ``||x - W m||^2 = ||W'x - m||^2 + ||x||^2 - ||W'x||^2``.

Both steps minimise one and the same ``J``, so it never rises.
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


@dataclass(frozen=True)
class Subspace:
    """Where the clusters of one part of the documents lie."""

    directions: NDArray[Any]
    """``W``, a row a term: orthonormal columns, and zeros where fewer suffice."""
    centroids: NDArray[Any]
    """``M``, a row a cluster; zeros for a cluster without a document."""


@dataclass(frozen=True)
class Asi:
    """Clusters of every part, with the curve of ``J``, summed over the parts."""

    labels: list[NDArray[np.intp]]
    subspaces: list[Subspace]
    objective: list[float]
    n_iter: int
    converged: bool
    interrupted: bool


def asi(
    parts: Sequence[Documents],
    labels: Sequence[NDArray[np.intp]],
    n_clusters: int,
    n_components: int,
    *,
    stopping: Stopping,
    callback: Callback | None = None,
) -> Asi:
    """Alternate from given clusters; parts have nothing in common but the clock.

    The curve begins with the given clusters in the subspace that is best for them. The labels that
    come back are those of the nearest centroids in the subspaces that come back.
    """
    labels = list(labels)
    norms = sum(part.squared_norm() for part in parts)
    n_rows = sum(part.shape[0] for part in parts)
    subspaces, explained = _best_subspaces(parts, labels, n_clusters, n_components)
    monitor = Monitor(stopping, callback)
    monitor.begin(norms - explained)
    for iteration in range(stopping.max_iter):
        if iteration > 0:
            subspaces, _ = _best_subspaces(parts, labels, n_clusters, n_components)
        value, moved = norms, 0
        for number, (part, space) in enumerate(zip(parts, subspaces, strict=True)):
            nearest, saved = _nearest(part, space)
            moved += int(np.count_nonzero(nearest != labels[number]))
            labels[number] = nearest
            value -= saved
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


def _best_subspaces(
    parts: Sequence[Documents],
    labels: Sequence[NDArray[np.intp]],
    n_clusters: int,
    n_components: int,
) -> tuple[list[Subspace], float]:
    """Steps of ``W`` and ``M``, and how much of ``||X||^2`` they explain."""
    found = [
        _best_subspace(part, numbers, n_clusters, n_components)
        for part, numbers in zip(parts, labels, strict=True)
    ]
    return [space for space, _ in found], sum(explained for _, explained in found)


def _best_subspace(
    documents: Documents, labels: NDArray[np.intp], n_clusters: int, n_components: int
) -> tuple[Subspace, float]:
    sizes = np.bincount(labels, minlength=n_clusters)
    weights = 1 / np.sqrt(np.maximum(sizes, 1))
    # The between-cluster part is B B' with few columns: B'B has its eigenvalues.
    between = documents.transposed_times(np.eye(n_clusters)[labels]) * weights
    with one_thread():
        between = np.asarray(between, np.float64)
        values, vectors = np.linalg.eigh(between.T @ between)
        values, vectors = values[::-1][:n_components], vectors[:, ::-1][:, :n_components]
        # What is below rounding is no direction of the data.
        lengths = np.sqrt(np.where(values > values[0] * 1e-12, values, 0.0))
        inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        directions = between @ (vectors * inverse)
        centroids = vectors * lengths * weights[:, None]
    space = Subspace(directions.astype(documents.dtype), centroids.astype(documents.dtype))
    return space, float(np.sum(lengths**2))


def _nearest(documents: Documents, space: Subspace) -> tuple[NDArray[np.intp], float]:
    """The step of ``P``, and how much of ``||X||^2`` it explains."""
    with one_thread():
        products = documents.times(space.directions) @ space.centroids.T
    saved = 2 * products.astype(np.float64) - np.sum(space.centroids**2, axis=1, dtype=np.float64)
    nearest = np.asarray(saved.argmax(axis=1), np.intp)
    return nearest, float(saved.max(axis=1).sum())
