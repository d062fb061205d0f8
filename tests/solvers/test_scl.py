"""Predictors of pivots and what they have in common, against dense arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import isthmus.solvers.pivots.scl as module
from isthmus.matrices.conversion import as_documents
from isthmus.numerics.centered import CentredDocuments
from isthmus.numerics.stacked import StackedDocuments
from isthmus.solvers.pivots.scl import SomeTerms, correspondences, predictors


def drawn(n_rows=30, n_terms=12, n_pivots=5, seed=0, dtype=np.float64):
    """Documents and pivots, some of which go with some terms."""
    generator = np.random.default_rng(seed)
    X = generator.random((n_rows, n_terms)) * (generator.random((n_rows, n_terms)) < 0.4)
    P = (X[:, :n_pivots] + 0.3 * generator.random((n_rows, n_pivots)) > 0.4).astype(float)
    return X.astype(dtype), P.astype(dtype)


def stacked(X, cut=None):
    X = sparse.csr_matrix(X)
    blocks = [X] if cut is None else [X[:cut], X[cut:]]
    return StackedDocuments([as_documents(block) for block in blocks])


def dense_predictors(X, P, lam):
    return np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T @ P)


@pytest.fixture
def exact(monkeypatch):
    monkeypatch.setattr(module, "_RESIDUAL", 1e-5)


@pytest.mark.parametrize("width", [2, 5, 64])
def test_predictors_are_ridge_regressions(width, exact, monkeypatch):
    monkeypatch.setattr(module, "_WIDTH", width)
    X, P = drawn()
    W = predictors(stacked(X, 11), stacked(P, 11), 0.5)
    np.testing.assert_allclose(W, dense_predictors(X, P, 0.5), atol=1e-10)


def test_without_a_better_tolerance_they_are_near_enough():
    X, P = drawn(n_rows=200, n_terms=60)
    W, right = predictors(stacked(X), stacked(P), 1.0), dense_predictors(X, P, 1.0)
    assert 0 < np.linalg.norm(W - right) < 1e-6 * np.linalg.norm(right)


def test_directions_are_the_leading_left_singular_vectors(exact):
    X, P = drawn()
    W = dense_predictors(X, P, 0.5)
    W /= np.linalg.norm(W, axis=0)
    U, s, _ = np.linalg.svd(W, full_matrices=False)
    found = correspondences(stacked(X), stacked(P), 3, 0.5)
    np.testing.assert_allclose(found.singular_values, s[:3], atol=1e-10)
    np.testing.assert_allclose(found.directions.T @ found.directions, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(np.abs(U[:, :3].T @ found.directions), np.eye(3), atol=1e-8)


def test_means_of_domains_are_taken_on_the_way(exact):
    X, P = drawn()
    rows = [CentredDocuments(stacked(M, 11)) for M in (X, P)]
    dense = [centred.times(np.eye(centred.shape[1])) for centred in rows]
    np.testing.assert_allclose(predictors(*rows, 0.5), dense_predictors(*dense, 0.5), atol=1e-10)


def test_some_terms_are_a_part_of_the_columns():
    X, _ = drawn()
    terms = np.array([1, 4, 5, 11])
    some = SomeTerms(stacked(X, 11), terms)
    generator = np.random.default_rng(1)
    B, A = generator.random((4, 3)), generator.random((30, 2))
    assert some.shape == (30, 4)
    np.testing.assert_allclose(some.times(B), X[:, terms] @ B)
    np.testing.assert_allclose(some.transposed_times(A), X[:, terms].T @ A)


def test_a_pivot_that_is_everywhere_or_nowhere_adds_nothing(exact):
    X, P = drawn()
    idle = np.hstack([P, np.zeros((30, 1))])
    found, without = (correspondences(stacked(X), stacked(M), 5, 0.5) for M in (idle, P))
    np.testing.assert_allclose(found.singular_values, without.singular_values, atol=1e-10)


@pytest.mark.parametrize("n_terms", [12, 0], ids=["terms that hold nothing", "no terms"])
def test_nothing_to_learn_from_is_one_direction_of_zeros(n_terms):
    _, P = drawn()
    X = np.zeros((30, 12))
    terms = np.arange(n_terms)
    found = correspondences(SomeTerms(stacked(X), terms), stacked(P), 4, 0.5)
    assert found.directions.shape == (n_terms, 1)
    assert not found.directions.any()
    assert found.singular_values.tolist() == [0.0]


def test_no_more_directions_than_pivots():
    X, P = drawn()
    assert correspondences(stacked(X), stacked(P), 50, 0.5).directions.shape == (12, 5)


def test_float32_stays_and_agrees():
    X, P = drawn(dtype=np.float32)
    found = correspondences(stacked(X), stacked(P), 3, 0.5)
    assert found.directions.dtype == np.float32
    wide = correspondences(stacked(X.astype(float)), stacked(P.astype(float)), 3, 0.5)
    np.testing.assert_allclose(found.directions, wide.directions, atol=3e-3)


@settings(max_examples=30, deadline=None)
@given(
    n_rows=st.integers(1, 20),
    n_terms=st.integers(1, 15),
    n_pivots=st.integers(1, 6),
    lam=st.floats(0.01, 100),
    seed=st.integers(0, 1000),
)
def test_predictors_solve_their_equations_whatever_the_documents(
    n_rows, n_terms, n_pivots, lam, seed
):
    X, P = drawn(n_rows, n_terms, min(n_pivots, n_terms), seed)
    W = predictors(stacked(X), stacked(P), lam)
    right = X.T @ P
    left_over = np.linalg.norm(X.T @ (X @ W) + lam * W - right, axis=0)
    assert (left_over <= 1e-7 * np.linalg.norm(right, axis=0) + 1e-12).all()


def test_the_order_of_the_documents_plays_no_part():
    X, P = drawn(n_rows=60, n_terms=40)
    order = np.random.default_rng(1).permutation(60)
    first = correspondences(stacked(X), stacked(P), 4, 0.5)
    second = correspondences(stacked(X[order]), stacked(P[order]), 4, 0.5)
    np.testing.assert_allclose(first.directions, second.directions, atol=1e-6)
