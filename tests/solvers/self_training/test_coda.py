"""Views of CODA, compared with scikit-learn and with small examples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad
from sklearn.linear_model import LogisticRegression

import isthmus.solvers.self_training.coda as module
from isthmus.matrices.rows import as_documents
from isthmus.solvers.self_training.coda import (
    TermGroup,
    View,
    class_codes,
    fit_view,
    fit_views,
    joint_weights,
    penalized_loss,
    split_terms,
    view_scores,
)


def random_documents(n_classes, n_rows=40, n_terms=9, seed=0):
    """Documents whose first terms are correlated with their class."""
    generator = np.random.default_rng(seed)
    X = generator.random((n_rows, n_terms)) * (generator.random((n_rows, n_terms)) < 0.6)
    labels = np.arange(n_rows) % n_classes
    X[np.arange(n_rows), labels] += 0.4
    return sparse.csr_matrix(X), labels


def groups_of(X, view_of_term):
    """The documents with the terms of each view."""
    terms = [np.flatnonzero(view_of_term == number) for number in (0, 1)]
    return [TermGroup(some, as_documents(sparse.csr_matrix(X[:, some]))) for some in terms]


def by_scikit_learn(X, labels, C):
    model = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, labels)
    return model.coef_.T, model.intercept_


@pytest.fixture
def exact(monkeypatch):
    monkeypatch.setattr(module, "_LOSS_TOLERANCE", 1e-15)
    monkeypatch.setattr(module, "_MAX_STEPS", 2000)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_the_gradient_is_that_of_the_loss(n_classes):
    X, labels = random_documents(n_classes)
    size = (X.shape[1] + 1) * len(class_codes(n_classes))
    point = np.random.default_rng(1).standard_normal(size)

    def value(x):
        return penalized_loss(as_documents(X), labels, n_classes, x)[0]

    def gradient(x):
        return penalized_loss(as_documents(X), labels, n_classes, x)[1]

    assert check_grad(value, gradient, point) < 1e-5 * np.linalg.norm(gradient(point))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_equal_penalties_are_plain_logistic_regression(n_classes, exact):
    X, labels = random_documents(n_classes)
    view = fit_view(as_documents(X), labels, n_classes, np.full(X.shape[1], 1 / 3))
    weights, intercept = by_scikit_learn(X, labels, 3.0)
    np.testing.assert_allclose(view.weights, weights, atol=1e-5)
    # Softmax ignores a common shift of the intercepts.
    shift = 0 if n_classes == 2 else view.intercept.mean() - intercept.mean()
    np.testing.assert_allclose(view.intercept - shift, intercept, atol=1e-5)


def test_penalties_are_equivalent_to_scaled_columns(exact):
    X, labels = random_documents(2)
    penalties = np.linspace(0.1, 4.0, X.shape[1])
    view = fit_view(as_documents(X), labels, 2, penalties)
    scale = 1 / np.sqrt(penalties)
    weights, _ = by_scikit_learn(X.multiply(scale).tocsr(), labels, 1.0)
    np.testing.assert_allclose(view.weights[:, 0], weights[:, 0] * scale, atol=1e-5)


def test_an_infinite_penalty_excludes_a_term(exact):
    X, labels = random_documents(2)
    excluded = np.arange(X.shape[1]) % 3 == 1
    start = fit_view(as_documents(X), labels, 2, np.ones(X.shape[1]))
    view = fit_view(as_documents(X), labels, 2, np.where(excluded, np.inf, 1.0), start)
    weights, _ = by_scikit_learn(X[:, ~excluded], labels, 1.0)
    assert (view.weights[excluded] == 0).all()
    np.testing.assert_allclose(view.weights[~excluded], weights, atol=1e-5)


def test_a_start_does_not_change_the_result(exact):
    X, labels = random_documents(3)
    penalties = np.full(X.shape[1], 0.5)
    cold = fit_view(as_documents(X), labels, 3, penalties)
    warm = fit_view(as_documents(X), labels, 3, penalties, cold)
    np.testing.assert_allclose(warm.weights, cold.weights, atol=1e-6)
    assert warm.loss <= cold.loss + 1e-9


def test_scores_have_one_column_per_class():
    X, labels = random_documents(2)
    view = fit_view(as_documents(X), labels, 2, np.ones(X.shape[1]))
    other = View(-2 * view.weights, 3 * view.intercept)
    scores = view_scores(as_documents(X), [view, other], 2)
    products = X @ view.weights[:, 0]
    for part, decision in zip(
        scores, (products + view.intercept, -2 * products + 3 * view.intercept), strict=True
    ):
        np.testing.assert_allclose(part, np.column_stack([-decision, decision]) / 2)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_huge_scores_have_a_finite_loss(n_classes):
    X = sparse.csr_matrix(np.eye(n_classes))
    point = np.concatenate([np.full(n_classes * len(class_codes(n_classes)), 1e4), [0.0]])
    point = np.concatenate([point[:-1], np.zeros(len(class_codes(n_classes)))])
    value, gradient = penalized_loss(as_documents(X), np.arange(n_classes), n_classes, point)
    # With equal scores the loss of a document is log(n); for two classes all scores prefer one.
    losses = 1e4 if n_classes == 2 else n_classes * np.log(n_classes)
    np.testing.assert_allclose(value, losses + 0.5 * (point**2).sum(), rtol=1e-12)
    assert np.isfinite(gradient).all()


def test_a_view_gets_the_term_that_the_other_needs_least():
    # The first two terms determine the class, the second one with small values. The first view does
    # not need the second term; the other view, which starts with noise, does.
    signal = np.tile([1.0, 0.0], 20)
    noise = np.random.default_rng(0).random(40) * 0.1
    X = sparse.csr_matrix(np.column_stack([signal, 0.1 * signal, noise]))
    labels = (signal == 0).astype(np.intp)
    initial = np.array([0, 0, 1])
    views = split_terms(as_documents(X), labels, 2, np.full(3, 0.1), initial, 1.0, 2)
    assert views[0] == 0
    assert views[1] == 1


@pytest.mark.parametrize("rho", [0.0, 1e9])
def test_terms_stay_in_their_view_without_or_with_a_huge_penalty(rho):
    X, labels = random_documents(3)
    initial = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1])
    views = split_terms(as_documents(X), labels, 3, np.full(9, 0.1), initial, rho, 2)
    np.testing.assert_array_equal(views, initial)


def test_unused_terms_stay_in_their_view():
    X, labels = random_documents(2)
    X = sparse.csr_matrix(X.toarray() * (np.arange(9) < 7))
    initial = np.arange(9) % 2
    views = split_terms(as_documents(X), labels, 2, np.full(9, 0.1), initial, 10.0, 2)
    np.testing.assert_array_equal(views[7:], initial[7:])


def test_a_view_uses_its_own_terms_only(exact):
    X, labels = random_documents(3)
    view_of_term = np.arange(9) % 2
    views = fit_views(groups_of(X, view_of_term), labels, 3, np.ones(9))
    for number, view in enumerate(views):
        own = view_of_term == number
        weights, _ = by_scikit_learn(X[:, own], labels, 1.0)
        np.testing.assert_allclose(view.weights[own], weights, atol=1e-5)
        assert not view.weights[~own].any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_joint_weights_give_the_sum_of_the_scores(n_classes):
    X, labels = random_documents(n_classes)
    views = fit_views(groups_of(X, np.arange(9) % 2), labels, n_classes, np.ones(9))
    coef, intercept = joint_weights(views, n_classes)
    total = sum(view_scores(as_documents(X), views, n_classes))
    np.testing.assert_allclose(X @ coef.T + intercept, total)
