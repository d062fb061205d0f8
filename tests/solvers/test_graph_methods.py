"""GFHF, LLGC and SGT against dense algebra, and on graphs small enough for a pencil."""

from __future__ import annotations

from itertools import product as all_of

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from isthmus.matrices.conversion import as_documents
from isthmus.numerics.affinity import GraphAffinity
from isthmus.numerics.connected_components import reached_from
from isthmus.numerics.linear_systems import solve
from isthmus.solvers.graph.gfhf import harmonic, with_class_masses
from isthmus.solvers.graph.llgc import consistency
from isthmus.solvers.graph.sgt import _on_the_sphere, smooth_vectors, transduce


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


def test_on_a_path_between_two_labels_memberships_fall_evenly():
    # 0 - 1 - 2 - 3 - 4: a walk from 1 meets the left end before the right in 3 of 4 cases.
    found = harmonic(graph_of(path(5)), np.array([0, -1, -1, -1, 1]), 2).values
    left = np.array([1, 0.75, 0.5, 0.25, 0])
    np.testing.assert_allclose(found, np.column_stack([left, 1 - left]), atol=1e-6)


@given(st.integers(0, 10_000), st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_harmonic_values_are_those_of_the_inverse(seed, n_classes):
    W = random_graph(seed)
    labels = np.full(len(W), -1)
    labels[:n_classes] = np.arange(n_classes)
    known = labels >= 0
    L = np.diag(W.sum(axis=1)) - W
    right = W[np.ix_(~known, known)] @ np.eye(n_classes)
    found = harmonic(graph_of(W), labels, n_classes, tol=1e-10).values
    np.testing.assert_allclose(
        found[~known], np.linalg.solve(L[np.ix_(~known, ~known)], right), atol=1e-7
    )
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-7)


def test_nothing_is_known_where_no_path_leads():
    W = np.zeros((6, 6))
    W[:3, :3], W[3:5, 3:5] = path(3), path(2)
    labels = np.array([0, -1, 1, -1, -1, -1])
    for found in (
        harmonic(graph_of(W), labels, 2).values,
        consistency(graph_of(W), labels, 2, alpha=0.9).values,
    ):
        assert (found[3:] == 0).all()
        np.testing.assert_allclose(found[1, 0], found[1, 1])


def test_class_masses():
    values = np.array([[1.0, 0.0], [0.8, 0.2], [0.6, 0.4]])
    asked = np.array([False, True, True])
    found = with_class_masses(values, asked, np.array([0.5, 0.5]))
    np.testing.assert_allclose(found[asked].sum(axis=0), [0.5, 0.5])
    np.testing.assert_array_equal(found[0], values[0])
    assert found[2, 1] > found[2, 0]  # what was 0.4 of 0.6 is more than its share
    none = with_class_masses(np.zeros((2, 2)), np.array([True, True]), np.array([0.5, 0.5]))
    assert (none == 0).all()


@given(st.integers(0, 10_000), st.sampled_from([0.2, 0.9, 0.99]), st.booleans())
@settings(max_examples=30, deadline=None)
def test_consistency_is_the_inverse(seed, alpha, equal):
    W = random_graph(seed)
    labels = np.full(len(W), -1)
    labels[:4] = [0, 1, 1, 2]
    degrees = W.sum(axis=1)
    S = W / np.sqrt(np.outer(degrees, degrees))
    Y = np.eye(3)[labels] * (labels >= 0)[:, None]
    if equal:
        sums = np.sqrt(degrees) @ Y
        Y = Y * sums.max() / sums
    found = consistency(graph_of(W), labels, 3, alpha=alpha, equal_classes=equal, tol=1e-12).values
    np.testing.assert_allclose(found, np.linalg.solve(np.eye(len(W)) - alpha * S, Y), rtol=1e-5)


def test_a_larger_class_takes_all_unless_classes_are_equal():
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


def test_smooth_vectors_are_those_of_the_laplacian():
    W = random_graph(3)
    degrees = W.sum(axis=1)
    laplacian = np.eye(len(W)) - W / np.sqrt(np.outer(degrees, degrees))
    values, vectors = np.linalg.eigh(laplacian)
    found = smooth_vectors(graph_of(W), np.ones(len(W)), 5)
    np.testing.assert_allclose(found.eigenvalues, values[1:6], atol=1e-8)
    np.testing.assert_allclose(np.abs(found.vectors.T @ vectors[:, 1:6]), np.eye(5), atol=1e-6)


def test_of_two_parts_the_vector_between_them_is_kept():
    W = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
    found = smooth_vectors(graph_of(W), np.ones(6), 2)
    assert found.eigenvalues[0] == pytest.approx(0, abs=1e-9)
    signs = np.sign(found.vectors[:, 0])
    assert (signs[:3] == signs[0]).all()
    assert (signs[3:] == -signs[0]).all()


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_no_other_point_of_the_sphere_is_lower(seed):
    generator = np.random.default_rng(seed)
    half = generator.standard_normal((4, 4))
    gram, right = half @ half.T, generator.standard_normal(4) * generator.choice([0, 1, 10])
    best = _on_the_sphere(gram, right, 9.0)
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


def test_the_hard_case_of_the_sphere():
    # Nothing pulls along the smallest axis: what is missing of the length must lie on it.
    u = _on_the_sphere(np.diag([1.0, 2.0, 5.0]), np.array([0.0, 0.5, 0.0]), 4.0)
    assert u @ u == pytest.approx(4.0)
    assert u[1] == pytest.approx(0.5, abs=1e-6)
    assert abs(u[0]) == pytest.approx(np.sqrt(4 - 0.25), abs=1e-6)
    unpulled = _on_the_sphere(np.diag([1.0, 2.0]), np.zeros(2), 4.0)
    np.testing.assert_allclose(np.abs(unpulled), [2, 0])


def test_transduction_finds_the_best_cut_of_all():
    """Two groups with a bridge and one label each: of all 2^8 cuts none is better."""
    W = np.kron(np.eye(2), np.ones((5, 5)))
    W[4, 5] = W[5, 4] = 0.5
    W[0, 1] = W[1, 0] = 0.2
    np.fill_diagonal(W, 0)
    labels = np.full(10, -1)
    labels[0], labels[9] = 1, 0
    known = labels >= 0
    smooth = smooth_vectors(graph_of(W), np.ones(10), 8)
    found = transduce(smooth.vectors, labels == 1, known, 3200.0) > 0

    def ratio_cut(sides):
        across = W[np.ix_(sides, ~sides)].sum()
        return across / (sides.sum() * (~sides).sum())

    cuts = [np.array([True, *middle, False]) for middle in all_of([True, False], repeat=8)]
    best = min(cuts, key=ratio_cut)
    np.testing.assert_array_equal(found, best)
    np.testing.assert_array_equal(found, [True] * 5 + [False] * 5)


def test_without_a_second_class_there_is_nothing_to_cut():
    vectors = np.eye(3)
    known = np.array([True, True, False])
    assert (transduce(vectors, known, known, 1.0) == 1).all()
    assert (transduce(vectors, ~known, known, 1.0) == -1).all()
    assert (transduce(np.zeros((3, 0)), known, np.ones(3, bool), 1.0) == -1).all()


def test_columns_end_each_at_its_own_time():
    A = np.diag([1.0, 2.0, 50.0]) + 0.1
    right = np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
    found = solve(lambda columns: A @ columns, right, tol=1e-12).values
    np.testing.assert_allclose(found, np.linalg.solve(A, right), atol=1e-9)
    assert (found[:, 1] == 0).all()


def test_what_is_not_exact_is_told():
    thread = path(3000)  # a walk takes very long to come through
    labels = np.full(3000, -1)
    labels[0], labels[-1] = 0, 1
    assert not harmonic(graph_of(thread), labels, 2).converged
    assert harmonic(graph_of(path(30)), labels[[0, *range(1, 29), -1]], 2).converged


def test_what_can_be_reached():
    W = np.zeros((6, 6))
    W[:3, :3], W[3:5, 3:5] = path(3), path(2)
    begin = np.array([True, False, False, False, False, False])
    found = reached_from(graph_of(W), begin)
    np.testing.assert_array_equal(found, [True, True, True, False, False, False])
    np.testing.assert_array_equal(reached_from(graph_of(W), ~found), ~found)
