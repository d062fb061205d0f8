"""Two views of the words, against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad
from sklearn.linear_model import LogisticRegression

import isthmus.solvers.self_training.coda as module
from isthmus.matrices.conversion import as_documents
from isthmus.solvers.self_training.coda import (
    class_codes,
    learn_views,
    logistic_rule,
    penalised_loss,
    split_terms,
)


def drawn(n_classes, n_rows=40, n_terms=9, seed=0):
    """Documents whose first terms go with their class."""
    generator = np.random.default_rng(seed)
    X = generator.random((n_rows, n_terms)) * (generator.random((n_rows, n_terms)) < 0.6)
    labels = np.arange(n_rows) % n_classes
    X[np.arange(n_rows), labels] += 0.4
    return sparse.csr_matrix(X), labels


def by_scikit_learn(X, labels, C):
    model = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, labels)
    return model.coef_.T, model.intercept_


@pytest.fixture
def exact(monkeypatch):
    monkeypatch.setattr(module, "_ENOUGH", 1e-15)
    monkeypatch.setattr(module, "_MOST_STEPS", 2000)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_the_slope_is_that_of_the_loss(n_classes):
    X, labels = drawn(n_classes)
    size = (X.shape[1] + 1) * len(class_codes(n_classes))
    point = np.random.default_rng(1).standard_normal(size)

    def value(x):
        return penalised_loss(as_documents(X), labels, n_classes, x)[0]

    def slope(x):
        return penalised_loss(as_documents(X), labels, n_classes, x)[1]

    assert check_grad(value, slope, point) < 1e-5 * np.linalg.norm(slope(point))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_penalty_for_all_is_plain_logistic_regression(n_classes, exact):
    X, labels = drawn(n_classes)
    rule = logistic_rule(as_documents(X), labels, n_classes, np.full(X.shape[1], 1 / 3))
    weights, intercept = by_scikit_learn(X, labels, 3.0)
    np.testing.assert_allclose(rule.weights, weights, atol=1e-5)
    # Softmax does not see what all intercepts have in common.
    shift = 0 if n_classes == 2 else rule.intercept.mean() - intercept.mean()
    np.testing.assert_allclose(rule.intercept - shift, intercept, atol=1e-5)


def test_a_penalty_for_every_term_is_a_scale_of_its_column(exact):
    X, labels = drawn(2)
    penalties = np.linspace(0.1, 4.0, X.shape[1])
    rule = logistic_rule(as_documents(X), labels, 2, penalties)
    scale = 1 / np.sqrt(penalties)
    weights, _ = by_scikit_learn(X.multiply(scale).tocsr(), labels, 1.0)
    np.testing.assert_allclose(rule.weights[:, 0], weights[:, 0] * scale, atol=1e-5)


def test_an_infinite_penalty_leaves_a_term_out(exact):
    X, labels = drawn(2)
    out = np.arange(X.shape[1]) % 3 == 1
    start = logistic_rule(as_documents(X), labels, 2, np.ones(X.shape[1]))
    rule = logistic_rule(as_documents(X), labels, 2, np.where(out, np.inf, 1.0), start)
    weights, _ = by_scikit_learn(X[:, ~out], labels, 1.0)
    assert (rule.weights[out] == 0).all()
    np.testing.assert_allclose(rule.weights[~out], weights, atol=1e-5)


def test_a_start_saves_steps_and_changes_nothing(exact):
    X, labels = drawn(3)
    penalties = np.full(X.shape[1], 0.5)
    cold = logistic_rule(as_documents(X), labels, 3, penalties)
    warm = logistic_rule(as_documents(X), labels, 3, penalties, cold)
    np.testing.assert_allclose(warm.weights, cold.weights, atol=1e-6)
    assert warm.loss <= cold.loss + 1e-9


def test_scores_are_by_class():
    X, labels = drawn(2)
    rule = logistic_rule(as_documents(X), labels, 2, np.ones(X.shape[1]))
    decision = X @ rule.weights[:, 0] + rule.intercept
    np.testing.assert_allclose(
        rule.scores(as_documents(X)), np.column_stack([-decision, decision]) / 2
    )


def test_a_view_takes_the_term_that_the_other_needs_least():
    # The first term says the class, and the second says it in a low voice: one view can do without
    # the second, and the other one, which starts with noise, cannot.
    said = np.tile([1.0, 0.0], 20)
    noise = np.random.default_rng(0).random(40) * 0.1
    X = sparse.csr_matrix(np.column_stack([said, 0.1 * said, noise]))
    labels = (said == 0).astype(np.intp)
    sides = np.array([0, 0, 1])
    views = split_terms(as_documents(X), labels, 2, np.full(3, 0.1), sides, 1.0, 2)
    assert views[0] == 0
    assert views[1] == 1


@pytest.mark.parametrize("rho", [0.0, 1e9])
def test_terms_stay_where_the_split_costs_nothing_or_everything(rho):
    X, labels = drawn(3)
    sides = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1])
    views = split_terms(as_documents(X), labels, 3, np.full(9, 0.1), sides, rho, 2)
    np.testing.assert_array_equal(views, sides)


def test_an_unused_term_stays_where_it_is():
    X, labels = drawn(2)
    X = sparse.csr_matrix(X.toarray() * (np.arange(9) < 7))
    sides = np.arange(9) % 2
    views = split_terms(as_documents(X), labels, 2, np.full(9, 0.1), sides, 10.0, 2)
    np.testing.assert_array_equal(views[7:], sides[7:])


def test_a_view_reads_its_own_terms_alone(exact):
    X, labels = drawn(3)
    views = np.arange(9) % 2
    rules = learn_views(as_documents(X), labels, 3, np.ones(9), views)
    for view, rule in enumerate(rules):
        weights, _ = by_scikit_learn(X[:, views == view], labels, 1.0)
        np.testing.assert_allclose(rule.weights[views == view], weights, atol=1e-5)
        assert not rule.weights[views != view].any()
