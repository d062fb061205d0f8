"""Properties of adaptive subspace iteration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.matrices.host import HostEngine
from isthmus.matrices.rows import as_documents
from isthmus.numerics.progress import Stopping
from isthmus.solvers.subspace._shared_subspace import (
    Group,
    Task,
    shared_subspaces,
)
from isthmus.solvers.subspace.asi import asi, asi_within


def random_problem(seed, n_groups=1):
    generator = np.random.default_rng(seed)
    groups = [generator.standard_normal((generator.integers(6, 20), 7)) for _ in range(n_groups)]
    return groups, [generator.integers(0, 4, len(X)) for X in groups]


def objective(X, labels, subspace):
    return np.sum((X - subspace.centroids[labels] @ subspace.directions.T) ** 2)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 2))
def test_objective_never_increases_and_equals_its_definition(seed, n_components, n_groups):
    groups, labels = random_problem(seed, n_groups)
    result = asi(
        [as_documents(X) for X in groups],
        labels,
        4,
        n_components,
        stopping=Stopping(max_iter=8, tol=0.0),
    )
    assert len(result.objective) == 9
    assert (np.diff(result.objective) <= 1e-10 * result.objective[0]).all()
    ends = zip(groups, result.labels, result.subspaces, strict=True)
    assert result.objective[-1] == pytest.approx(sum(objective(*end) for end in ends))


@given(st.integers(0, 10**6), st.integers(1, 3))
def test_subspace_is_the_best_for_the_given_clusters(seed, n_components):
    (X,), (labels,) = random_problem(seed)
    result = asi(
        [as_documents(X)], [labels], 4, n_components, stopping=Stopping(max_iter=1, tol=0.0)
    )
    W = result.subspaces[0].directions
    P = np.eye(4)[labels]
    between = X.T @ P @ np.linalg.pinv(P.T @ P) @ P.T @ X
    values = np.linalg.eigvalsh(between)[::-1]
    kept = np.count_nonzero(np.linalg.norm(W, axis=0))
    np.testing.assert_allclose(W[:, :kept].T @ W[:, :kept], np.eye(kept), atol=1e-8)
    np.testing.assert_allclose(np.trace(W.T @ between @ W), values[:n_components].sum())
    assert result.objective[0] == pytest.approx(np.sum(X**2) - values[:n_components].sum())
    # Every document has its nearest centroid in the subspace.
    distances = ((X @ W)[:, None, :] - result.subspaces[0].centroids[None]) ** 2
    chosen = distances.sum(axis=2)[np.arange(len(X)), result.labels[0]]
    np.testing.assert_allclose(chosen, distances.sum(axis=2).min(axis=1), atol=1e-10)


@given(st.integers(0, 10**6))
def test_with_as_many_components_as_clusters_it_is_lloyds_algorithm(seed):
    (X,), (labels,) = random_problem(seed)
    result = asi([as_documents(X)], [labels], 4, 4, stopping=Stopping(max_iter=1, tol=0.0))
    means = np.array([X[labels == j].mean(axis=0) if (labels == j).any() else 0 * X[0]
                      for j in range(4)])  # fmt: skip
    distances = ((X[:, None, :] - means[None]) ** 2).sum(axis=2)
    # Distances, not labels: two means may be equally near.
    chosen = distances[np.arange(len(X)), result.labels[0]]
    np.testing.assert_allclose(chosen, distances.min(axis=1), atol=1e-12)
    centers = result.subspaces[0].centroids @ result.subspaces[0].directions.T
    np.testing.assert_allclose(centers, means, atol=1e-8)


def test_groups_are_independent():
    groups, labels = random_problem(3, n_groups=2)
    stopping = Stopping(max_iter=6, tol=0.0)
    together = asi([as_documents(X) for X in groups], labels, 4, 2, stopping=stopping)
    for number in range(2):
        alone = asi([as_documents(groups[number])], [labels[number]], 4, 2, stopping=stopping)
        np.testing.assert_array_equal(alone.labels[0], together.labels[number])


def test_empty_clusters_and_empty_documents():
    X = np.vstack([np.eye(4)[[0, 0, 1]], np.zeros((2, 4))])
    result = asi(
        [as_documents(X)], [np.zeros(5, int)], 3, 3, stopping=Stopping(max_iter=5, tol=0.0)
    )
    assert np.isfinite(result.objective).all()
    assert np.isfinite(result.subspaces[0].directions).all()
    assert set(result.labels[0].tolist()) <= {0, 1, 2}


def dense_within(X, labels, n_clusters, n_components, n_iter):
    """Eq. 16 of Gu and Zhou (2009) and the nearest centroids in this subspace, written out."""
    objective = []
    for iteration in range(n_iter + 1):
        P = np.eye(n_clusters)[labels]
        within = X.T @ (np.eye(len(X)) - P @ np.linalg.inv(P.T @ P) @ P.T) @ X
        W = np.linalg.eigh(within)[1][:, :n_components]
        M = np.linalg.inv(P.T @ P) @ P.T @ X @ W
        objective.append(np.sum((X @ W - P @ M) ** 2))
        if iteration < n_iter:
            distances = (((X @ W)[:, None] - M) ** 2).sum(axis=2)
            labels = distances.argmin(axis=1)
    return labels, W, M, objective


def clusters_with_noise(seed=0, n_rows=40):
    """Three clusters in three of six directions; the others have more variance."""
    generator = np.random.default_rng(seed)
    labels = np.arange(n_rows) % 3
    X = generator.standard_normal((n_rows, 6)) * [0.3, 0.3, 0.3, 2.0, 2.0, 2.0]
    X[:, :3] += np.eye(3)[labels]
    start = np.where(generator.random(n_rows) < 0.25, generator.integers(0, 3, n_rows), labels)
    return X, labels, start


@pytest.mark.parametrize("w_step", ["smallest", "smallest_in_span"])
@pytest.mark.parametrize("n_iter", [1, 2, 6])
def test_the_reading_of_gu_and_zhou(w_step, n_iter):
    X, _, start = clusters_with_noise()
    stopping = Stopping(n_iter, 0.0)
    result = asi_within([as_documents(X)], [start], 3, 3, w_step, stopping=stopping)
    labels, W, M, objective = dense_within(X, start, 3, 3, n_iter)
    assert (labels != start).any()
    np.testing.assert_array_equal(result.labels[0], labels)
    np.testing.assert_allclose(result.objective, objective)
    own = result.subspaces[0]
    np.testing.assert_allclose(own.directions @ own.directions.T, W @ W.T, atol=1e-8)
    np.testing.assert_allclose(own.centroids @ own.directions.T, M @ W.T, atol=1e-8)


@pytest.mark.parametrize("n_components", [1, 3, 5])
def test_within_is_lssmtc_with_lam_0(n_components):
    X, _, start = clusters_with_noise(1)
    stopping = Stopping(8, 0.0)
    alone = asi_within([as_documents(X)], [start], 3, n_components, "smallest", stopping=stopping)
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    cut = [25]  # two tasks, which share everything with lam=0
    tasks = [
        Task(F, np.eye(3)[own], np.zeros(len(own), bool), 0.0, HostEngine())
        for F, own in zip(np.split(U * s, cut), np.split(start, cut), strict=True)
    ]
    groups = [Group(tasks, s, "smallest", n_components)]
    [result] = shared_subspaces(groups, lam=0.0, binary=True, stopping=stopping)
    together = np.concatenate([P.argmax(axis=1) for P in result.memberships])
    np.testing.assert_array_equal(together, alone.labels[0])
    np.testing.assert_allclose(result.objective, alone.objective)


def test_groups_within_are_independent():
    parts = [clusters_with_noise(seed, n_rows) for seed, n_rows in ((2, 40), (3, 31))]
    X, starts = [as_documents(part[0]) for part in parts], [part[2] for part in parts]
    stopping = Stopping(5, 0.0)
    both = asi_within(X, starts, 3, 3, "smallest", stopping=stopping)
    each = [asi_within([x], [own], 3, 3, "smallest", stopping=stopping)
            for x, own in zip(X, starts, strict=True)]  # fmt: skip
    np.testing.assert_allclose(both.objective, np.sum([one.objective for one in each], axis=0))
    for number, one in enumerate(each):
        np.testing.assert_array_equal(both.labels[number], one.labels[0])


def test_empty_clusters_and_empty_documents_within():
    X, _, start = clusters_with_noise(4)
    X = np.vstack([X, np.zeros((3, 6))])
    labels = np.append(start, [0, 1, 2])
    stopping = Stopping(4, 0.0)
    result = asi_within([as_documents(X)], [labels], 5, 3, "smallest", stopping=stopping)
    without = asi_within([as_documents(X[:40])], [start], 3, 3, "smallest", stopping=stopping)
    np.testing.assert_array_equal(result.labels[0][:40], without.labels[0])
    own = result.subspaces[0]
    # Empty documents are at the origin, and clusters without documents are never the nearest.
    nearest = np.sum(own.centroids[:3] ** 2, axis=1).argmin()
    np.testing.assert_array_equal(result.labels[0][40:], nearest)
    largest = np.bincount(result.labels[0][:40]).argmax()
    np.testing.assert_array_equal(own.centroids[3:], own.centroids[[largest, largest]])
