"""Predictors of pivots and their common directions, compared with dense computations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import isthmus.solvers.pivots.scl as module
from common import examples
from isthmus.matrices.rows import as_documents
from isthmus.numerics.derived_documents import CenteredDocuments, StackedDocuments
from isthmus.solvers.pivots.scl import SelectedTerms, correspondences, predictors


def random_documents(n_rows=30, n_terms=12, n_pivots=5, seed=0, dtype=np.float64):
    """Documents, and pivots that are correlated with some terms."""
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
    X, P = random_documents()
    W = predictors(stacked(X, 11), stacked(P, 11), 0.5)
    np.testing.assert_allclose(W, dense_predictors(X, P, 0.5), atol=1e-10)


def test_the_default_tolerance_is_accurate_enough():
    X, P = random_documents(n_rows=200, n_terms=60)
    W, expected = predictors(stacked(X), stacked(P), 1.0), dense_predictors(X, P, 1.0)
    assert 0 < np.linalg.norm(W - expected) < 1e-6 * np.linalg.norm(expected)


def test_directions_are_the_leading_left_singular_vectors(exact):
    X, P = random_documents()
    W = dense_predictors(X, P, 0.5)
    W /= np.linalg.norm(W, axis=0)
    U, s, _ = np.linalg.svd(W, full_matrices=False)
    result = correspondences(stacked(X), stacked(P), 3, 0.5)
    np.testing.assert_allclose(result.singular_values, s[:3], atol=1e-10)
    np.testing.assert_allclose(result.directions.T @ result.directions, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(np.abs(U[:, :3].T @ result.directions), np.eye(3), atol=1e-8)


def test_predictors_of_centered_documents(exact):
    X, P = random_documents()
    rows = [CenteredDocuments(stacked(M, 11)) for M in (X, P)]
    dense = [centered.times(np.eye(centered.shape[1])) for centered in rows]
    np.testing.assert_allclose(predictors(*rows, 0.5), dense_predictors(*dense, 0.5), atol=1e-10)


def test_selected_terms_are_columns_of_the_documents():
    X, _ = random_documents()
    terms = np.array([1, 4, 5, 11])
    selected = SelectedTerms(stacked(X, 11), terms)
    generator = np.random.default_rng(1)
    B, A = generator.random((4, 3)), generator.random((30, 2))
    assert selected.shape == (30, 4)
    np.testing.assert_allclose(selected.times(B), X[:, terms] @ B)
    np.testing.assert_allclose(selected.transposed_times(A), X[:, terms].T @ A)


def test_a_pivot_that_never_occurs_adds_nothing(exact):
    X, P = random_documents()
    with_unused = np.hstack([P, np.zeros((30, 1))])
    result, without = (correspondences(stacked(X), stacked(M), 5, 0.5) for M in (with_unused, P))
    np.testing.assert_allclose(result.singular_values, without.singular_values, atol=1e-10)


@pytest.mark.parametrize("n_terms", [12, 0], ids=["unused terms", "no terms"])
def test_without_predictors_there_is_one_direction_of_zeros(n_terms):
    _, P = random_documents()
    X = np.zeros((30, 12))
    terms = np.arange(n_terms)
    result = correspondences(SelectedTerms(stacked(X), terms), stacked(P), 4, 0.5)
    assert result.directions.shape == (n_terms, 1)
    assert not result.directions.any()
    assert result.singular_values.tolist() == [0.0]


def test_there_are_at_most_as_many_directions_as_pivots():
    X, P = random_documents()
    assert correspondences(stacked(X), stacked(P), 50, 0.5).directions.shape == (12, 5)


def test_float32_agrees_with_float64():
    X, P = random_documents(dtype=np.float32)
    result = correspondences(stacked(X), stacked(P), 3, 0.5)
    assert result.directions.dtype == np.float32
    wide = correspondences(stacked(X.astype(float)), stacked(P.astype(float)), 3, 0.5)
    np.testing.assert_allclose(result.directions, wide.directions, atol=3e-3)


@examples(30)
@given(
    n_rows=st.integers(1, 20),
    n_terms=st.integers(1, 15),
    n_pivots=st.integers(1, 6),
    lam=st.floats(0.01, 100),
    seed=st.integers(0, 1000),
)
def test_predictors_solve_their_equations(n_rows, n_terms, n_pivots, lam, seed):
    X, P = random_documents(n_rows, n_terms, min(n_pivots, n_terms), seed)
    W = predictors(stacked(X), stacked(P), lam)
    expected = X.T @ P
    residuals = np.linalg.norm(X.T @ (X @ W) + lam * W - expected, axis=0)
    assert (residuals <= 1e-7 * np.linalg.norm(expected, axis=0) + 1e-12).all()


def test_the_order_of_the_documents_does_not_matter():
    X, P = random_documents(n_rows=60, n_terms=40)
    order = np.random.default_rng(1).permutation(60)
    first = correspondences(stacked(X), stacked(P), 4, 0.5)
    second = correspondences(stacked(X[order]), stacked(P[order]), 4, 0.5)
    np.testing.assert_allclose(first.directions, second.directions, atol=1e-6)
