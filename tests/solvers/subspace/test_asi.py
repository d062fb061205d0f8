"""Properties of adaptive subspace iteration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.matrices.rows import as_documents
from isthmus.numerics.progress import Stopping
from isthmus.solvers.subspace.asi import asi


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
