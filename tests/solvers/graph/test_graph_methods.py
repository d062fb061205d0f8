"""GFHF, LLGC and SGT compared with dense algebra, and on small graphs by hand."""

from __future__ import annotations

from itertools import product as cartesian_product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import examples
from isthmus.matrices.rows import as_documents
from isthmus.numerics.affinity import GraphAffinity, reachable_rows
from isthmus.numerics.linear_systems import solve
from isthmus.solvers.graph.gfhf import harmonic, with_class_masses
from isthmus.solvers.graph.llgc import consistency
from isthmus.solvers.graph.sgt import _minimum_on_sphere, smooth_vectors, transduce


def graph_of(W):
    W = np.asarray(W, float)
    return GraphAffinity.of(as_documents(sparse.csr_matrix(W)), [len(W)])


def path(n):
    return np.eye(n, k=1) + np.eye(n, k=-1)


def random_graph(seed, n=14):
    generator = np.random.default_rng(seed)
    W = np.triu(generator.random((n, n)) * (generator.random((n, n)) < 0.4), 1)
    W += np.diag(np.full(n - 1, 0.1), 1)  # connected
    return W + W.T


def test_memberships_on_a_path_are_linear():
    # 0 - 1 - 2 - 3 - 4: a walk from 1 reaches the left end first with probability 3/4.
    result = harmonic(graph_of(path(5)), np.array([0, -1, -1, -1, 1]), 2).values
    left = np.array([1, 0.75, 0.5, 0.25, 0])
    np.testing.assert_allclose(result, np.column_stack([left, 1 - left]), atol=1e-6)


@given(st.integers(0, 10_000), st.integers(2, 4))
@examples(30)
def test_harmonic_values_equal_the_dense_solution(seed, n_classes):
    W = random_graph(seed)
    labels = np.full(len(W), -1)
    labels[:n_classes] = np.arange(n_classes)
    known = labels >= 0
    L = np.diag(W.sum(axis=1)) - W
    right = W[np.ix_(~known, known)] @ np.eye(n_classes)
    result = harmonic(graph_of(W), labels, n_classes, tol=1e-10).values
    np.testing.assert_allclose(
        result[~known], np.linalg.solve(L[np.ix_(~known, ~known)], right), atol=1e-7
    )
    np.testing.assert_allclose(result.sum(axis=1), 1, atol=1e-7)


def test_unconnected_documents_get_zeros():
    W = np.zeros((6, 6))
    W[:3, :3], W[3:5, 3:5] = path(3), path(2)
    labels = np.array([0, -1, 1, -1, -1, -1])
    for result in (
        harmonic(graph_of(W), labels, 2).values,
        consistency(graph_of(W), labels, 2, alpha=0.9).values,
    ):
        assert (result[3:] == 0).all()
        np.testing.assert_allclose(result[1, 0], result[1, 1])


def test_class_masses():
    values = np.array([[1.0, 0.0], [0.8, 0.2], [0.6, 0.4]])
    unlabeled = np.array([False, True, True])
    result = with_class_masses(values, unlabeled, np.array([0.5, 0.5]))
    np.testing.assert_allclose(result[unlabeled].sum(axis=0), [0.5, 0.5])
    np.testing.assert_array_equal(result[0], values[0])
    assert result[2, 1] > result[2, 0]  # 0.4 of 0.6 is more than the proportion of the class
    none = with_class_masses(np.zeros((2, 2)), np.array([True, True]), np.array([0.5, 0.5]))
    assert (none == 0).all()


@given(st.integers(0, 10_000), st.sampled_from([0.2, 0.9, 0.99]), st.booleans())
@examples(30)
def test_consistency_equals_the_dense_solution(seed, alpha, equal):
    W = random_graph(seed)
    labels = np.full(len(W), -1)
    labels[:4] = [0, 1, 1, 2]
    degrees = W.sum(axis=1)
    S = W / np.sqrt(np.outer(degrees, degrees))
    Y = np.eye(3)[labels] * (labels >= 0)[:, None]
    if equal:
        sums = np.sqrt(degrees) @ Y
        Y = Y * sums.max() / sums
    result = consistency(graph_of(W), labels, 3, alpha=alpha, equal_classes=equal, tol=1e-12).values
    np.testing.assert_allclose(result, np.linalg.solve(np.eye(len(W)) - alpha * S, Y), rtol=1e-5)


def test_equal_classes_prevents_a_large_class_from_winning_everywhere():
    W = np.kron(np.eye(2), np.ones((6, 6)) - np.eye(6)) + 0.05
    np.fill_diagonal(W, 0)
    labels = np.full(12, -1)
    labels[:4], labels[6] = 0, 1
    plain, equal = (
        consistency(graph_of(W), labels, 2, alpha=0.99, equal_classes=sort).values.argmax(axis=1)
        for sort in (False, True)
    )
    assert (plain[7:] == 0).all()
    np.testing.assert_array_equal(equal, [0] * 6 + [1] * 6)


def test_smooth_vectors_are_eigenvectors_of_the_laplacian():
    W = random_graph(3)
    degrees = W.sum(axis=1)
    laplacian = np.eye(len(W)) - W / np.sqrt(np.outer(degrees, degrees))
    values, vectors = np.linalg.eigh(laplacian)
    result = smooth_vectors(graph_of(W), np.ones(len(W)), 5)
    np.testing.assert_allclose(result.eigenvalues, values[1:6], atol=1e-8)
    np.testing.assert_allclose(np.abs(result.vectors.T @ vectors[:, 1:6]), np.eye(5), atol=1e-6)


def test_the_vector_that_separates_two_components_is_kept():
    W = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
    result = smooth_vectors(graph_of(W), np.ones(6), 2)
    assert result.eigenvalues[0] == pytest.approx(0, abs=1e-9)
    signs = np.sign(result.vectors[:, 0])
    assert (signs[:3] == signs[0]).all()
    assert (signs[3:] == -signs[0]).all()


@given(st.integers(0, 10_000))
@examples(30)
def test_minimum_on_the_sphere(seed):
    generator = np.random.default_rng(seed)
    half = generator.standard_normal((4, 4))
    gram, right = half @ half.T, generator.standard_normal(4) * generator.choice([0, 1, 10])
    best = _minimum_on_sphere(gram, right, 9.0)
    assert best @ best == pytest.approx(9.0)

    def height(u):
        return np.einsum("...i,ij,...j", u, gram, u) - 2 * u @ right

    others = generator.standard_normal((2000, 4))
    others *= 3 / np.linalg.norm(others, axis=1, keepdims=True)
    nearby = best + 0.05 * others
    nearby *= 3 / np.linalg.norm(nearby, axis=1, keepdims=True)
    lowest = float(height(best))
    assert lowest <= height(others).min() + 1e-9
    assert lowest <= height(nearby).min() + 1e-9


def test_minimum_on_the_sphere_with_an_orthogonal_right_hand_side():
    # The right-hand side is orthogonal to the smallest axis, so the rest of the norm lies on it.
    u = _minimum_on_sphere(np.diag([1.0, 2.0, 5.0]), np.array([0.0, 0.5, 0.0]), 4.0)
    assert u @ u == pytest.approx(4.0)
    assert u[1] == pytest.approx(0.5, abs=1e-6)
    assert abs(u[0]) == pytest.approx(np.sqrt(4 - 0.25), abs=1e-6)
    without_right_hand_side = _minimum_on_sphere(np.diag([1.0, 2.0]), np.zeros(2), 4.0)
    np.testing.assert_allclose(np.abs(without_right_hand_side), [2, 0])


def test_transduction_finds_the_best_cut():
    """Two groups with a weak connection and one label each: none of all 2^8 cuts is better."""
    W = np.kron(np.eye(2), np.ones((5, 5)))
    W[4, 5] = W[5, 4] = 0.5
    W[0, 1] = W[1, 0] = 0.2
    np.fill_diagonal(W, 0)
    labels = np.full(10, -1)
    labels[0], labels[9] = 1, 0
    known = labels >= 0
    smooth = smooth_vectors(graph_of(W), np.ones(10), 8)
    result = transduce(smooth.vectors, labels == 1, known, 3200.0) > 0

    def ratio_cut(sides):
        across = W[np.ix_(sides, ~sides)].sum()
        return across / (sides.sum() * (~sides).sum())

    cuts = [
        np.array([True, *middle, False]) for middle in cartesian_product([True, False], repeat=8)
    ]
    best = min(cuts, key=ratio_cut)
    np.testing.assert_array_equal(result, best)
    np.testing.assert_array_equal(result, [True] * 5 + [False] * 5)


def test_transduction_of_a_single_class():
    vectors = np.eye(3)
    known = np.array([True, True, False])
    assert (transduce(vectors, known, known, 1.0) == 1).all()
    assert (transduce(vectors, ~known, known, 1.0) == -1).all()
    assert (transduce(np.zeros((3, 0)), known, np.ones(3, bool), 1.0) == -1).all()


def test_columns_converge_separately():
    A = np.diag([1.0, 2.0, 50.0]) + 0.1
    right = np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
    result = solve(lambda columns: A @ columns, right, tol=1e-12).values
    np.testing.assert_allclose(result, np.linalg.solve(A, right), atol=1e-9)
    assert (result[:, 1] == 0).all()


def test_missing_convergence_is_reported():
    long_path = path(3000)  # random walks take very long
    labels = np.full(3000, -1)
    labels[0], labels[-1] = 0, 1
    assert not harmonic(graph_of(long_path), labels, 2).converged
    assert harmonic(graph_of(path(30)), labels[[0, *range(1, 29), -1]], 2).converged


def test_reachable_rows():
    W = np.zeros((6, 6))
    W[:3, :3], W[3:5, 3:5] = path(3), path(2)
    begin = np.array([True, False, False, False, False, False])
    result = reachable_rows(graph_of(W), begin)
    np.testing.assert_array_equal(result, [True, True, True, False, False, False])
    np.testing.assert_array_equal(reachable_rows(graph_of(W), ~result), ~result)
