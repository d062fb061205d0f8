"""The primal support vector machine, compared with known answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import LinearSVC

from common import examples
from isthmus.matrices.rows import as_documents
from isthmus.numerics.derived_documents import StackedDocuments
from isthmus.solvers.self_training._primal_svm import fit_svm


def documents(X, cut=None):
    X = sparse.csr_matrix(X)
    blocks = [X] if cut is None else [X[:cut], X[cut:]]
    return StackedDocuments([as_documents(block) for block in blocks])


def random_documents(n_rows, n_terms, seed=0, dtype=np.float64):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, n_terms)) * (generator.random((n_rows, n_terms)) < 0.5)
    return X.astype(dtype)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_two_documents(C):
    """``1/2 w^2 + 2 C (1 - w)^2`` has its minimum at ``4 C / (1 + 4 C)``; the intercept is 0."""
    svm = fit_svm(documents([[1.0], [-1.0]]), np.array([C, 0]), np.array([0, C]), tol=1e-13)
    w = 4 * C / (1 + 4 * C)
    np.testing.assert_allclose(svm.weights, [w, 0], atol=1e-10)
    np.testing.assert_allclose(svm.scores, [w, -w], atol=1e-10)
    np.testing.assert_allclose(svm.objective, w**2 / 2 + 2 * C * (1 - w) ** 2, atol=1e-10)


def test_one_row_in_both_classes():
    """The minimum is at ``2 (a - d) / (1 + 2 a + 2 d)`` with the weights ``a`` and ``d``."""
    a, d, h = 0.7, 0.2, 1e-9
    svm = fit_svm(documents([[1.0]]), np.array([a]), np.array([d]), constant=h, tol=1e-13)
    np.testing.assert_allclose(svm.weights[0], 2 * (a - d) / (1 + 2 * a + 2 * d), atol=1e-10)


@pytest.mark.parametrize("constant", [1.0, 5.0])
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("cut", [None, 20], ids=["one block", "two blocks"])
def test_equals_linear_svc(C, constant, cut):
    X = random_documents(60, 10)
    y = X @ np.arange(10) + np.random.default_rng(1).normal(size=60) * 5 > 3
    expected = LinearSVC(C=C, dual=False, intercept_scaling=constant, tol=1e-10).fit(X, y)
    svm = fit_svm(documents(X, cut), C * y, C * ~y, constant=constant, tol=1e-10)
    np.testing.assert_allclose(svm.weights[:-1], expected.coef_[0], atol=1e-6)
    np.testing.assert_allclose(constant * svm.weights[-1], expected.intercept_[0], atol=1e-6)
    np.testing.assert_allclose(svm.scores, expected.decision_function(X), atol=1e-6)


@given(st.integers(0, 10_000), st.sampled_from([0.01, 1.0, 50.0]))
@examples(40)
def test_the_gradient_is_zero_for_any_start(seed, C):
    generator = np.random.default_rng(seed)
    X = random_documents(15, 6, seed)
    positive, negative = C * generator.random((2, 15)) * (generator.random((2, 15)) < 0.7)
    first = fit_svm(documents(X), negative, positive, tol=1e-2)
    for start in (None, first):
        svm = fit_svm(documents(X), positive, negative, initial=start, tol=1e-11)
        f = X @ svm.weights[:-1] + svm.weights[-1]
        np.testing.assert_allclose(svm.scores, f, atol=1e-9)
        slack = 2 * (positive * np.maximum(0, 1 - f) - negative * np.maximum(0, 1 + f))
        np.testing.assert_allclose(svm.weights, np.append(X.T @ slack, slack.sum()), atol=1e-7)


def test_float32_agrees_with_float64():
    X, y = random_documents(200, 30, 3), np.arange(200) % 3 == 0
    wide = fit_svm(documents(X), 1.0 * y, 1.0 * ~y, tol=1e-10)
    narrow = fit_svm(documents(X.astype(np.float32)), 1.0 * y, 1.0 * ~y, tol=1e-10)
    np.testing.assert_allclose(narrow.weights, wide.weights, atol=1e-5)
    np.testing.assert_allclose(narrow.objective, wide.objective, rtol=1e-6)


def test_labels_that_cancel_give_zero_weights():
    """The same documents in both classes, with and without initial weights."""
    X, both = documents([[1.0, 2.0], [1.0, 2.0]]), np.ones(2)
    start = fit_svm(X, both, 0 * both)
    assert np.abs(start.weights).max() > 0.1
    for svm in (fit_svm(X, both, both), fit_svm(X, both, both, initial=start)):
        np.testing.assert_allclose(svm.weights, 0, atol=1e-10)
        np.testing.assert_allclose(svm.objective, 4)
