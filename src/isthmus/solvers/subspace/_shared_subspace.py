"""LSSMTC and LSSTTC: clusters of several tasks in a subspace that they share (ICDM 2009).

minimise  sum_k lambda_k ||F_k' - M_k P_k'||^2 + (1 - lambda) g^2 sum_k ||W'F_k' - M P_k'||^2

over memberships ``P_k``, a task's centroids ``M_k``, an orthonormal ``W`` and the shared centroids
``M`` in it. ``F_k`` are the documents of a task in coordinates of which ``F'F = diag(s^2)``, as a
singular value decomposition gives them. ``lambda_k`` is ``lambda``, or 0 for a task without a term
of its own. ``g`` is 1 with the paper's ``W``; the discriminant ``W`` keeps few of many directions,
and ``g = ||F|| / ||F W||`` lets the two terms weigh what ``lambda`` says.

An iteration costs O(n r c): everything but ``F'P`` and ``F (r x c)`` is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback, Monitor, Stopping
from isthmus.solvers.subspace._steps import (
    Matrix,
    binary_scores,
    discriminant_directions,
    inverse_sqrt_matrix,
    multiplicative_step,
    quadratic,
    smallest_directions,
)


@dataclass(frozen=True)
class Task:
    """Documents of one domain."""

    coordinates: NDArray[Any]
    """``F_k``."""
    memberships: NDArray[Any]
    """``P_k`` at the start."""
    fixed: NDArray[np.bool_]
    """Rows that keep their memberships: labelled ones, and empty ones, whose are zero."""
    weight: float
    """``lambda_k``."""

    @cached_property
    def squared_norm(self) -> float:
        F = self.coordinates
        return float(np.einsum("ij,ij->", F, F, dtype=np.float64))


@dataclass(frozen=True)
class Subspace:
    """How ``W`` is found."""

    step: Literal["discriminant", "smallest"]
    n_directions: int
    """``l``; fewer where fewer hold everything."""
    ridge: float = 0.1
    n_null: int = 0
    """Directions in which no document has anything: the smallest of all, and left out of ``W``."""


@dataclass(frozen=True)
class Centroids:
    """What the memberships say; all small."""

    directions: Matrix
    """``g W``, a row a coordinate."""
    profiles: list[Matrix]
    """For every task ``C_k`` with ``A_k = F_k C_k``, a row a coordinate."""
    grams: list[Matrix]
    """For every task ``B_k``."""
    taken: NDArray[np.bool_]
    """Which clusters have any document."""
    objective: float


@dataclass(frozen=True)
class SharedSubspace:
    """The memberships found, with the curve of the objective."""

    memberships: list[NDArray[Any]]
    centroids: Centroids
    objective: list[float]
    n_iter: int
    converged: bool
    interrupted: bool


def shared_subspace(
    tasks: Sequence[Task],
    singular_values: NDArray[np.float64],
    *,
    lam: float,
    subspace: Subspace,
    binary: bool,
    stopping: Stopping,
    callback: Callback | None = None,
) -> SharedSubspace:
    """Alternate from the start; ``binary`` memberships are a single 1, others nonnegative.

    With ``W``, ``M`` and ``M_k`` fixed either step of the memberships never raises the objective.
    """
    memberships = [task.memberships for task in tasks]
    n_open = max(1, sum(int((~task.fixed).sum()) for task in tasks))
    monitor = Monitor(stopping, callback)
    with one_thread():
        centroids = _centroids(tasks, memberships, singular_values, lam, subspace)
    monitor.begin(centroids.objective)
    for _ in range(stopping.max_iter):
        with one_thread():
            before = memberships
            memberships = _step(tasks, before, centroids, binary)
            pairs = zip(before, memberships, strict=True)
            moved = sum(int((old.argmax(1) != new.argmax(1)).sum()) for old, new in pairs)
            centroids = _centroids(tasks, memberships, singular_values, lam, subspace)
        if monitor.finished(centroids.objective, moved / n_open):
            break
    return SharedSubspace(
        memberships,
        centroids,
        monitor.objective,
        monitor.n_iter,
        monitor.converged,
        monitor.interrupted,
    )


def _step(
    tasks: Sequence[Task], memberships: list[Matrix], centroids: Centroids, binary: bool
) -> list[Matrix]:
    """New memberships of the open rows."""
    new = []
    parts = zip(tasks, memberships, centroids.profiles, centroids.grams, strict=True)
    for task, P, profiles, B in parts:
        A = task.coordinates @ profiles.astype(P.dtype)
        if binary:
            near = np.where(centroids.taken, binary_scores(A, B.astype(P.dtype)), -np.inf)
            found = np.eye(P.shape[1], dtype=P.dtype)[near.argmax(axis=1)]
        else:
            found = multiplicative_step(P, A, B.astype(P.dtype))
        new.append(np.where(task.fixed[:, None], P, found))
    return new


def _centroids(
    tasks: Sequence[Task],
    memberships: Sequence[Matrix],
    singular_values: NDArray[np.float64],
    lam: float,
    subspace: Subspace,
) -> Centroids:
    """The best ``M_k``, ``W`` and ``M`` for the memberships, and the objective there."""
    own = [_Sums.of(task, P) for task, P in zip(tasks, memberships, strict=True)]
    products = sum((sums.products for sums in own), np.zeros_like(own[0].products))
    gram = sum((sums.gram for sums in own), np.zeros_like(own[0].gram))
    pooled = products @ _inverse(gram)
    W = _directions(products, gram, singular_values, subspace)
    kept = float(((W * singular_values[:, None]) ** 2).sum())
    if subspace.step == "discriminant" and kept > 0:
        gain = float((singular_values**2).sum()) / kept
        W, kept = W * np.sqrt(gain), kept * gain
    M = W.T @ pooled
    objective = (1 - lam) * (kept - float(((M.T @ M) * gram).sum()))
    profiles, grams = [], []
    for task, sums in zip(tasks, own, strict=True):
        M_k = sums.products @ _inverse(sums.gram)
        # A cluster without a document in this task has the centroid that it has in all of them.
        M_k = np.where(np.diag(sums.gram) > 0, M_k, pooled)
        profile, B = quadratic(M_k, W, M, task.weight, 1 - lam)
        profiles.append(profile)
        grams.append(B)
        objective += task.weight * (task.squared_norm - float((M_k * sums.products).sum()))
    return Centroids(W, profiles, grams, np.diag(gram) > 0, objective)


@dataclass(frozen=True)
class _Sums:
    products: Matrix
    """``F'P``."""
    gram: Matrix
    """``P'P``."""

    @classmethod
    def of(cls, task: Task, P: Matrix) -> _Sums:
        return cls((task.coordinates.T @ P).astype(np.float64), (P.T @ P).astype(np.float64))


def _inverse(gram: Matrix) -> Matrix:
    root = inverse_sqrt_matrix(gram)
    return np.asarray(root @ root.T)


def _directions(
    products: Matrix, gram: Matrix, singular_values: NDArray[np.float64], subspace: Subspace
) -> Matrix:
    if subspace.step == "discriminant":
        return discriminant_directions(
            products, gram, singular_values, subspace.n_directions, subspace.ridge
        )
    wanted = min(subspace.n_directions - subspace.n_null, len(singular_values))
    if wanted <= 0:
        return np.zeros((len(singular_values), 0))
    return smallest_directions(products, gram, singular_values, wanted)
