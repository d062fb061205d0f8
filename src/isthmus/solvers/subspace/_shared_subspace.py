"""LSSMTC and LSSTTC: clusters of several tasks in a shared subspace (Gu and Zhou, ICDM 2009).

minimize  sum_k lambda_k ||F_k' - M_k P_k'||^2 + (1 - lambda) g^2 sum_k ||W'F_k' - M P_k'||^2

over the memberships ``P_k`` and centroids ``M_k`` of every task, an orthonormal ``W`` and the
shared centroids ``M`` in the subspace. ``F_k`` holds the coordinates of a task's documents by a
singular value decomposition, so that ``F'F = diag(s^2)``. ``lambda_k`` is ``lambda``, or 0 for a
task without a term of its own. ``g`` is 1 with the paper's ``W``. The discriminant ``W`` keeps only
a few directions; there ``g = ||F|| / ||F W||`` gives the two terms the balance that ``lambda``
specifies.

An iteration costs O(n r c) for n documents, r coordinates and c clusters. Only the products ``F'P``
and ``F C`` involve all documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from isthmus.matrices.protocols import Array, Engine
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback, Monitor, Stopping
from isthmus.numerics.truncated_svd import column_squares

#: A small NumPy array.
Matrix = NDArray[Any]
#: How ``W`` is computed.
WStep = Literal["discriminant", "smallest", "smallest_in_span"]

# Up to this many coordinates a dense eigendecomposition is fast enough.
_DENSE_SIZE = 400
# A larger squared cosine counts as 1.
_TIED = 0.999


@dataclass(frozen=True)
class Task:
    """Documents of one domain."""

    coordinates: Array
    """``F_k``."""
    memberships: Array
    """``P_k`` at the start."""
    fixed: Array
    """Rows that keep their memberships: labeled documents, and empty ones (zeros)."""
    weight: float
    """``lambda_k``."""
    engine: Engine
    """The engine of these arrays."""

    @cached_property
    def squared_norm(self) -> float:
        return float(column_squares(self.coordinates, self.engine).sum())


@dataclass(frozen=True)
class Group:
    """Tasks that share one subspace, and how ``W`` is computed."""

    tasks: Sequence[Task]
    singular_values: NDArray[np.float64]
    step: WStep
    n_directions: int
    """``l``, an upper bound."""
    ridge: float = 0.1
    n_null: int = 0
    """Number of directions orthogonal to all documents that "smallest" takes first. They have the
    smallest eigenvalue, 0, and are left out of ``W``."""


@dataclass(frozen=True)
class Centroids:
    """Subspace and centroids for given memberships."""

    directions: Matrix
    """``g W``, one row per coordinate."""
    profiles: list[Matrix]
    """``C_k`` of every task, with ``A_k = F_k C_k``; one row per coordinate."""
    grams: list[Matrix]
    """``B_k`` of every task."""
    nonempty: NDArray[np.bool_]
    """Which clusters have a document."""
    objective: float


@dataclass(frozen=True)
class SharedSubspace:
    """Memberships and centroids, and the objective after every iteration."""

    memberships: list[Array]
    centroids: Centroids
    objective: list[float]
    n_iter: int
    converged: bool
    interrupted: bool


def shared_subspaces(
    groups: Sequence[Group],
    *,
    lam: float,
    binary: bool,
    stopping: Stopping,
    callback: Callback | None = None,
) -> list[SharedSubspace]:
    """Alternate between memberships and centroids.

    ``binary`` memberships have a single 1; otherwise they are nonnegative. With ``W``, ``M`` and
    ``M_k`` fixed, neither membership step increases the objective. Groups are independent except
    for the stopping rule: the objective, that of every result, is the sum over the groups.
    """
    memberships = [[task.memberships for task in group.tasks] for group in groups]
    n_open = sum(int((~task.fixed).sum()) for group in groups for task in group.tasks)
    monitor = Monitor(stopping, callback)
    centroids = [_centroids(*pair, lam) for pair in zip(groups, memberships, strict=True)]
    monitor.begin(sum(part.objective for part in centroids))
    for _ in range(stopping.max_iter):
        moved = 0
        for i, group in enumerate(groups):
            before = memberships[i]
            memberships[i] = _step(group.tasks, before, centroids[i], binary)
            pairs = zip(before, memberships[i], strict=True)
            moved += sum(int((old.argmax(1) != new.argmax(1)).sum()) for old, new in pairs)
            centroids[i] = _centroids(group, memberships[i], lam)
        if monitor.finished(sum(part.objective for part in centroids), moved / max(1, n_open)):
            break
    return [
        SharedSubspace(
            own, part, monitor.objective, monitor.n_iter, monitor.converged, monitor.interrupted
        )
        for own, part in zip(memberships, centroids, strict=True)
    ]


def _step(
    tasks: Sequence[Task], memberships: list[Array], centroids: Centroids, binary: bool
) -> list[Array]:
    """New memberships of the rows that are not fixed."""
    updated = []
    parts = zip(tasks, memberships, centroids.profiles, centroids.grams, strict=True)
    for task, P, profiles, B in parts:
        engine = task.engine
        A = engine.product(task.coordinates, profiles)
        if binary:
            new = binary_step(A, B, centroids.nonempty, engine)
        else:
            new = multiplicative_step(P, A, B, engine)
        updated.append(engine.xp.where(task.fixed[:, None], P, new))
    return updated


def _centroids(group: Group, memberships: Sequence[Array], lam: float) -> Centroids:
    """The best ``M_k``, ``W`` and ``M`` for the memberships, and the objective."""
    by_task = [_Sums.of(task, P) for task, P in zip(group.tasks, memberships, strict=True)]
    with one_thread():
        return _best_centroids(group, by_task, lam)


def _best_centroids(group: Group, by_task: Sequence[_Sums], lam: float) -> Centroids:
    tasks, singular_values = group.tasks, group.singular_values
    products = sum((sums.products for sums in by_task), np.zeros_like(by_task[0].products))
    gram = sum((sums.gram for sums in by_task), np.zeros_like(by_task[0].gram))
    pooled = products @ _inverse(gram)
    W = _directions(products, gram, group)
    kept = float(((W * singular_values[:, None]) ** 2).sum())
    if group.step == "discriminant" and kept > 0:
        gain = float((singular_values**2).sum()) / kept
        W, kept = W * np.sqrt(gain), kept * gain
    M = W.T @ pooled
    objective = (1 - lam) * (kept - float(((M.T @ M) * gram).sum()))
    profiles, grams = [], []
    for task, sums in zip(tasks, by_task, strict=True):
        M_k = sums.products @ _inverse(sums.gram)
        # A cluster without a document in this task gets its centroid over all tasks.
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
    def of(cls, task: Task, P: Array) -> _Sums:
        # Coordinates are centered, so that the sum over all classes is nearly zero. In float32 it
        # would be rounding errors, and one of the discriminant directions would be random.
        P = P.astype(np.float64, copy=False)
        return cls(task.engine.gram(task.coordinates, P), task.engine.gram(P, P))


def _inverse(gram: Matrix) -> Matrix:
    root = inverse_sqrt_matrix(gram)
    return np.asarray(root @ root.T)


def _directions(products: Matrix, gram: Matrix, group: Group) -> Matrix:
    parts = products, gram, group.singular_values
    if group.step == "discriminant":
        return discriminant_directions(*parts, group.n_directions, group.ridge)
    n_directions = min(group.n_directions - group.n_null, len(group.singular_values))
    if n_directions <= 0:
        return np.zeros((len(group.singular_values), 0))
    if group.step == "smallest_in_span":
        return smallest_in_span(*parts, n_directions)
    return smallest_directions(*parts, n_directions)


def quadratic(
    M_k: Matrix, W: Matrix, M: Matrix, within: float, shared: float
) -> tuple[Matrix, Matrix]:
    """``C`` and ``B`` (eq. 11) of a task: ``J = tr(P B P') - 2 tr(F C P') + constant``.

    ``within`` and ``shared`` weigh the two terms (``lambda`` and ``1 - lambda``).
    """
    return within * M_k + shared * W @ M, within * M_k.T @ M_k + shared * M.T @ M


def multiplicative_step(P: Array, A: Array, B: Matrix, engine: Engine) -> Array:
    """Eq. 14 with ``A = F C``: ``tr(P B P') - 2 tr(A P')`` never increases; zeros stay zeros."""
    xp = engine.xp
    numerator = xp.maximum(A, 0) + engine.product(P, np.maximum(-B, 0))
    denominator = xp.maximum(-A, 0) + engine.product(P, np.maximum(B, 0))
    moving = (P > 0) & (denominator > 0)
    # The quotient of the square roots does not overflow where the square root of a quotient would.
    growth = xp.sqrt(numerator) / xp.sqrt(xp.where(moving, denominator, 1))
    return xp.where(moving, P * growth, 0)


def binary_scores(A: Matrix, B: Matrix) -> Matrix:
    """Minus half the squared distance of every document to every centroid, up to a constant.

    For memberships with a single 1 (eq. 3, before it is relaxed), ``p B p' - 2 a p'`` is smallest
    where this is largest.
    """
    return np.asarray(A - np.diag(B) / 2)


def binary_step(A: Array, B: Matrix, nonempty: NDArray[np.bool_], engine: Engine) -> Array:
    """Memberships with a single 1 in the class with the largest of :func:`binary_scores`.

    Classes that are not ``nonempty`` get no document.
    """
    offsets = np.where(nonempty, np.diag(B.astype(A.dtype)) / 2, np.inf)
    nearest = (A - engine.asarray(offsets, A.dtype)).argmax(axis=1)
    return (nearest[:, None] == engine.xp.arange(A.shape[1])).astype(A.dtype)


def inverse_sqrt_matrix(gram: Matrix) -> Matrix:
    """``L`` with ``L L' = gram^-1``, or the pseudo-inverse of a singular ``gram``."""
    values, vectors = eigh(gram)
    kept = values > 1e-10 * max(float(values[-1]), np.finfo(float).tiny)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


def discriminant_directions(
    products: Matrix,
    gram: Matrix,
    singular_values: Matrix,
    n_directions: int,
    ridge: float,
) -> Matrix:
    """At most ``n_directions`` discriminant directions ``W`` of the memberships.

    These are the leading eigenvectors of ``(F'F + ridge s_1^2)^-1 F'P (P'P)^-1 P'F``, made
    orthonormal. ``products`` is ``F'P`` and ``gram`` is ``P'P``. Directions in which the clusters
    do not differ are left out.
    """
    between = products @ inverse_sqrt_matrix(gram)
    if between.shape[1] == 0:  # no document has a membership
        return np.zeros((len(products), 0))
    squares = singular_values**2
    floor = np.finfo(float).tiny
    scaled = between / np.maximum(squares + ridge * squares.max(), floor)[:, None]
    values, vectors = eigh((between.T @ scaled + scaled.T @ between) / 2)
    order = np.argsort(values)[::-1][:n_directions]
    order = order[values[order] > 1e-10 * max(float(values.max(initial=0.0)), floor)]
    return np.asarray(qr(scaled @ vectors[:, order], mode="economic")[0])


def smallest_directions(
    products: Matrix, gram: Matrix, singular_values: Matrix, n_directions: int
) -> Matrix:
    """Eq. 16: eigenvectors of ``F'(I - P (P'P)^-1 P')F`` with the smallest eigenvalues.

    ``F'F`` is diagonal and the other term has rank c, so the inverse is cheap. Lanczos iteration
    uses it with a shift just below zero.
    """
    between = products @ inverse_sqrt_matrix(gram)
    squares = singular_values**2
    if len(squares) <= max(_DENSE_SIZE, 2 * n_directions):
        within = np.diag(squares) - between @ between.T
        return np.asarray(eigh(within, subset_by_index=(0, min(n_directions, len(squares)) - 1))[1])
    shift = 1e-6 * float(squares.max())
    shifted = squares + shift
    scaled = between / shifted[:, None]
    small = np.linalg.inv(np.eye(between.shape[1]) - between.T @ scaled)

    def inverse(vector: Matrix) -> Matrix:
        vector = vector.ravel()
        return np.asarray(vector / shifted + scaled @ (small @ (scaled.T @ vector)))

    def forward(vector: Matrix) -> Matrix:
        vector = vector.ravel()
        return np.asarray(squares * vector - between @ (between.T @ vector))

    shape = (len(squares), len(squares))
    try:
        _, vectors = eigsh(
            LinearOperator(shape, matvec=forward, dtype=np.float64),
            k=n_directions,
            sigma=-shift,
            OPinv=LinearOperator(shape, matvec=inverse, dtype=np.float64),
            v0=np.ones(len(squares)),
            tol=1e-8,
            maxiter=10 * n_directions,
        )
    except ArpackNoConvergence:  # eigenvalues that are much smaller than the shift
        within = np.diag(squares) - between @ between.T
        vectors = eigh(within, subset_by_index=(0, n_directions - 1))[1]
    return np.asarray(vectors)


def smallest_in_span(
    products: Matrix, gram: Matrix, singular_values: Matrix, n_directions: int
) -> Matrix:
    """The same within the span of the documents; equal eigenvalues by falling ``||F w||``.

    With fewer documents than terms, at most c directions of the span have the eigenvalue zero: all
    documents coincide with the centroids of their clusters.
    """
    between = products @ inverse_sqrt_matrix(gram)
    squares = np.maximum(singular_values**2, np.finfo(float).tiny)
    # A squared cosine of 1 between the documents and the memberships stands for an eigenvalue of
    # zero. Lanczos iteration may find an eigenvalue once that occurs several times.
    cosines = np.linalg.eigvalsh(between.T @ (between / squares[:, None]))
    if cosines.max(initial=0.0) < _TIED:
        return smallest_directions(products, gram, singular_values, n_directions)
    within = np.diag(squares) - between @ between.T
    last = min(n_directions + between.shape[1], len(squares)) - 1
    values, vectors = eigh(within, subset_by_index=(0, last))
    tied = values <= 1e-6 * squares.max()
    ties = vectors[:, tied]
    order = eigh(-(ties.T * squares) @ ties)[1]
    return np.hstack([ties @ order, vectors[:, ~tied]])[:, :n_directions]
