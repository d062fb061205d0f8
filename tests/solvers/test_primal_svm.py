"""The support vector machine by its weights against answers that are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import LinearSVC

from isthmus.matrices.conversion import as_documents
from isthmus.numerics.stacked import StackedDocuments
from isthmus.solvers.self_training._primal_svm import least_machine


def documents(X, cut=None):
    X = sparse.csr_matrix(X)
    blocks = [X] if cut is None else [X[:cut], X[cut:]]
    return StackedDocuments([as_documents(block) for block in blocks])


def drawn(n_rows, n_terms, seed=0, dtype=np.float64):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, n_terms)) * (generator.random((n_rows, n_terms)) < 0.5)
    return X.astype(dtype)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_two_documents_by_hand(C):
    """``1/2 w^2 + 2 C (1 - w)^2`` is least at ``4 C / (1 + 4 C)``; the intercept is 0."""
    found = least_machine(documents([[1.0], [-1.0]]), np.array([C, 0]), np.array([0, C]), tol=1e-13)
    w = 4 * C / (1 + 4 * C)
    np.testing.assert_allclose(found.weights, [w, 0], atol=1e-10)
    np.testing.assert_allclose(found.scores, [w, -w], atol=1e-10)
    np.testing.assert_allclose(found.objective, w**2 / 2 + 2 * C * (1 - w) ** 2, atol=1e-10)


def test_a_row_that_pulls_to_both_sides_by_hand():
    """``1/2 w^2 + a (1 - w)^2 + d (1 + w)^2`` is least at ``2 (a - d) / (1 + 2 a + 2 d)``."""
    a, d, h = 0.7, 0.2, 1e-9
    found = least_machine(documents([[1.0]]), np.array([a]), np.array([d]), constant=h, tol=1e-13)
    np.testing.assert_allclose(found.weights[0], 2 * (a - d) / (1 + 2 * a + 2 * d), atol=1e-10)


@pytest.mark.parametrize("constant", [1.0, 5.0])
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("cut", [None, 20], ids=["one block", "two blocks"])
def test_it_is_scikit_learns(C, constant, cut):
    X = drawn(60, 10)
    y = X @ np.arange(10) + np.random.default_rng(1).normal(size=60) * 5 > 3
    theirs = LinearSVC(C=C, dual=False, intercept_scaling=constant, tol=1e-10).fit(X, y)
    ours = least_machine(documents(X, cut), C * y, C * ~y, constant=constant, tol=1e-10)
    np.testing.assert_allclose(ours.weights[:-1], theirs.coef_[0], atol=1e-6)
    np.testing.assert_allclose(constant * ours.weights[-1], theirs.intercept_[0], atol=1e-6)
    np.testing.assert_allclose(ours.scores, theirs.decision_function(X), atol=1e-6)


@given(st.integers(0, 10_000), st.sampled_from([0.01, 1.0, 50.0]))
@settings(max_examples=40, deadline=None)
def test_the_slope_is_zero_from_wherever_it_starts(seed, C):
    generator = np.random.default_rng(seed)
    X = drawn(15, 6, seed)
    up, down = C * generator.random((2, 15)) * (generator.random((2, 15)) < 0.7)
    first = least_machine(documents(X), down, up, tol=1e-2)
    for start in (None, first):
        found = least_machine(documents(X), up, down, start=start, tol=1e-11)
        f = X @ found.weights[:-1] + found.weights[-1]
        np.testing.assert_allclose(found.scores, f, atol=1e-9)
        pull = 2 * (up * np.maximum(0, 1 - f) - down * np.maximum(0, 1 + f))
        np.testing.assert_allclose(found.weights, np.append(X.T @ pull, pull.sum()), atol=1e-7)


def test_float32_comes_as_near_as_it_can():
    X, y = drawn(200, 30, 3), np.arange(200) % 3 == 0
    wide = least_machine(documents(X), 1.0 * y, 1.0 * ~y, tol=1e-10)
    narrow = least_machine(documents(X.astype(np.float32)), 1.0 * y, 1.0 * ~y, tol=1e-10)
    np.testing.assert_allclose(narrow.weights, wide.weights, atol=1e-5)
    np.testing.assert_allclose(narrow.objective, wide.objective, rtol=1e-6)


def test_labels_that_cancel_leave_nothing():
    """The same document on both sides says nothing, also where weights were before."""
    X, both = documents([[1.0, 2.0], [1.0, 2.0]]), np.ones(2)
    start = least_machine(X, both, 0 * both)
    assert np.abs(start.weights).max() > 0.1
    for found in (least_machine(X, both, both), least_machine(X, both, both, start=start)):
        np.testing.assert_allclose(found.weights, 0, atol=1e-10)
        np.testing.assert_allclose(found.objective, 4)
