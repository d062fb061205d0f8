"""Transductive SVM, compared with all possible labelings, and properties of switching."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import examples
from isthmus.matrices.rows import as_documents
from isthmus.numerics.derived_documents import StackedDocuments
from isthmus.solvers.self_training._primal_svm import fit_svm, hinge
from isthmus.solvers.self_training.tsvm import (
    Quota,
    Settings,
    best_memberships,
    switch_classes,
    transductive_svm,
)


def documents(X):
    return StackedDocuments([as_documents(sparse.csr_matrix(X))])


def make_settings(C=1.0, unlabeled=1.0, **changes):
    values = {"initial_ratio": 1e-3, "constant": 1.0, "max_iter": 50, "tol": 0.0, "accuracy": 1e-10}
    return Settings(C, unlabeled, **{**values, **changes})


def solve(X, labels, quotas, n_classes=2, **options):
    return transductive_svm(
        documents(X), np.asarray(labels), n_classes, quotas, make_settings(**options)
    )


def objective_of(X, labels, weight, n_classes=2):
    """The minimum of the objective for given labels of all rows."""
    return sum(
        fit_svm(documents(X), weight * (labels == c), weight * (labels != c), tol=1e-10).objective
        for c in ([1] if n_classes == 2 else range(n_classes))
    )


def shifted_groups(seed, n_unlabeled):
    """Two groups of unlabeled documents; the labeled ones lie between their directions."""
    generator = np.random.default_rng(seed)
    centers = np.array([[1.0, 0.0, 0.2], [0.0, 1.0, -0.2]])
    labeled = np.array([[0.7, 0.3, 1.0], [0.3, 0.7, -1.0]])
    groups = np.arange(n_unlabeled) % 2
    rows = centers[groups] + 0.15 * generator.normal(size=(n_unlabeled, 3))
    return np.vstack([labeled, rows]), np.array([0, 1, *[-1] * n_unlabeled]), groups


def best_labeling(X, labels, n_ones, weight=1.0):
    """By trying all: the lowest objective, and which unlabeled documents are of class 1."""
    known = labels[labels >= 0]
    n_unlabeled = len(labels) - len(known)
    return min(
        (
            objective_of(
                X,
                np.concatenate([known, np.isin(np.arange(n_unlabeled), ones)]),
                np.full(len(labels), weight),
            ),
            ones,
        )
        for ones in combinations(range(n_unlabeled), n_ones)
    )


@pytest.mark.parametrize("n_unlabeled", [4, 7, 8])
@pytest.mark.parametrize("seed", range(4))
def test_finds_the_best_of_all_labelings(n_unlabeled, seed):
    X, labels, groups = shifted_groups(seed, n_unlabeled)
    n_ones = int(groups.sum())
    best, ones = best_labeling(X, labels, n_ones)
    prior = np.array([n_unlabeled - n_ones, n_ones]) / n_unlabeled
    result = solve(X, labels, [Quota(np.arange(2, 2 + n_unlabeled), prior)])
    np.testing.assert_allclose(result.objective[-1], best, rtol=1e-9)
    np.testing.assert_array_equal(np.flatnonzero(result.memberships[2:, 1]), ones)


# Problems that need a switch, and problems with a local minimum only.
@pytest.mark.parametrize(
    ("seed", "reached"), [(1, True), (4, True), (11, True), (2, False), (3, False)]
)
def test_the_initial_labeling_is_improved(seed, reached):
    """Unlabeled documents differ in the first feature, labeled ones more in the second."""
    groups = np.arange(8) % 2
    height = 0.8 * np.random.default_rng(seed).normal(size=8)
    X = np.vstack([[[-0.4, -0.6], [0.4, 0.6]], np.column_stack([2.0 * groups - 1, height])])
    labels = np.array([0, 1, *[-1] * 8])
    best, ones = best_labeling(X, labels, 4, 0.03)
    quota = Quota(np.arange(2, 10), np.array([0.5, 0.5]))
    first = solve(X, labels, [quota], C=0.03, unlabeled=0)
    result = solve(X, labels, [quota], C=0.03, unlabeled=0.03)
    assert tuple(np.flatnonzero(first.memberships[2:, 1])) != ones
    if reached:
        np.testing.assert_allclose(result.objective[-1], best, rtol=1e-9)
        assert tuple(np.flatnonzero(result.memberships[2:, 1])) == ones
    else:
        assert result.objective[-1] > best * (1 + 1e-6)


def test_finds_the_best_labeling_of_three_classes():
    generator = np.random.default_rng(0)
    groups = np.array([0, 1, 2, 0, 1, 2])
    centers = np.eye(3)
    X = np.vstack([centers + 0.4, centers[groups] + 0.1 * generator.normal(size=(6, 3))])
    labels = np.array([0, 1, 2, *[-1] * 6])
    best = min(
        objective_of(X, np.array([0, 1, 2, *guess]), np.ones(9), 3)
        for guess in product(range(3), repeat=6)
        if np.bincount(guess, minlength=3).tolist() == [2, 2, 2]
    )
    result = solve(X, labels, [Quota(np.arange(3, 9), np.full(3, 1 / 3))], 3)
    np.testing.assert_allclose(result.objective[-1], best, rtol=1e-9)
    np.testing.assert_array_equal(result.memberships[3:].argmax(axis=1), groups)


@given(st.integers(0, 10_000), st.integers(2, 4), st.sampled_from([0.1, 1.0, 10.0]))
@examples(30)
def test_the_objective_never_increases_while_the_weight_is_fixed(seed, n_classes, C):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(30, 5))
    labels = np.concatenate([np.arange(8) % n_classes, np.full(22, -1)])
    prior = generator.dirichlet(np.ones(n_classes))
    quotas = [Quota(np.arange(8, 20), prior), Quota(np.arange(20, 30), None)]
    result = solve(X, labels, quotas, n_classes, C=C, unlabeled=C, accuracy=1e-3)
    objective, levels = np.array(result.objective), np.array(result.levels)
    same = levels[1:] == levels[:-1]
    assert (np.diff(objective)[same] <= 1e-12 * objective[1:][same]).all()
    # The result has at most the last objective.
    for quota in quotas:
        np.testing.assert_allclose(result.memberships[quota.rows].sum(axis=1), 1)
    scores = X @ result.weights.T + result.intercept
    last = 0.0
    for number, c in enumerate([1] if n_classes == 2 else range(n_classes)):
        f, positive = scores[:, number], result.memberships[:, c]
        w = np.append(result.weights[number], result.intercept[number])
        last += w @ w / 2 + C * (positive @ hinge(f) ** 2 + (1 - positive) @ hinge(-f) ** 2)
    assert last <= objective[-1] * (1 + 1e-9)


def test_every_target_has_its_own_quota():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, 4))
    labels = np.array([0, 1] * 5 + [-1] * 30)
    quotas = [
        Quota(np.arange(10, 20), np.array([0.3, 0.7])),
        Quota(np.arange(20, 35), np.array([0.8, 0.2])),
    ]
    result = solve(X, labels, quotas)
    np.testing.assert_allclose(result.memberships[10:20].sum(axis=0), [3, 7])
    np.testing.assert_allclose(result.memberships[20:35].sum(axis=0), [12, 3])
    np.testing.assert_array_equal(result.memberships[35:], 0)
    # Rows without a quota are ignored.
    without = solve(X[:35], labels[:35], quotas)
    np.testing.assert_allclose(result.weights, without.weights, atol=1e-8)


@pytest.mark.parametrize("quotas", [[], [Quota(np.arange(0), np.array([0.5, 0.5]))]])
def test_without_unlabeled_rows_it_is_a_plain_svm(quotas):
    X = np.random.default_rng(0).normal(size=(10, 3))
    labels = np.arange(10) % 2
    expected = fit_svm(documents(X), 1.0 * labels, 1.0 - labels, tol=1e-10)
    result = solve(X, labels, quotas)
    np.testing.assert_allclose(result.weights[0], expected.weights[:-1])
    np.testing.assert_allclose(result.objective, [expected.objective])
    assert result.levels == [0.0]


def test_levels_double_up_to_the_final_value():
    assert make_settings(unlabeled=8.0, initial_ratio=0.1).levels == [0.5, 1.0, 2.0, 4.0, 8.0]
    assert make_settings(unlabeled=8.0, initial_ratio=1.0).levels == [8.0]
    assert make_settings(unlabeled=0.0).levels == []


def test_duplicates_share_the_rest_of_a_quota():
    """Two of four are of class 1; the duplicates in the middle tie."""
    X = np.array([[1.0, 0], [0, 1], [0.9, 0], [0.5, 0.5], [0.5, 0.5], [0, 0.9]])
    labels = np.array([0, 1, -1, -1, -1, -1])
    result = solve(X, labels, [Quota(np.arange(2, 6), np.array([0.5, 0.5]))])
    np.testing.assert_allclose(result.memberships[2:, 1], [0, 0.5, 0.5, 1])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_order_of_the_rows_does_not_matter(dtype):
    generator = np.random.default_rng(5)
    X = np.repeat(generator.normal(size=(20, 4)), 2, axis=0).astype(dtype)
    labels = np.array([0, 1, 2] * 4 + [-1] * 28)
    quota = Quota(np.arange(12, 40), np.array([0.2, 0.3, 0.5]))
    order = np.concatenate([generator.permutation(12), 12 + generator.permutation(28)])
    first = solve(X, labels, [quota], 3, accuracy=1e-4)
    second = solve(X[order], labels[order], [quota], 3, accuracy=1e-4)
    np.testing.assert_allclose(second.memberships, first.memberships[order], atol=1e-6)


@given(st.integers(0, 10_000))
@examples(40)
def test_two_classes_are_switched_to_the_lowest_loss(seed):
    generator = np.random.default_rng(seed)
    f = generator.normal(size=7) * 2
    n_ones = int(generator.integers(0, 8))
    scores = np.column_stack([-f, f])
    ones = generator.permutation(7) < n_ones
    switched = switch_classes(np.column_stack([~ones, ones]).astype(float), scores, 0.0)
    losses = [
        sum(hinge(f[i]) ** 2 if i in positive else hinge(-f[i]) ** 2 for i in range(7))
        for positive in combinations(range(7), n_ones)
    ]
    loss = switched[:, 1] @ hinge(f) ** 2 + switched[:, 0] @ hinge(-f) ** 2
    np.testing.assert_allclose(loss, min(losses))
    # The same as switching all pairs whose slacks sum to more than 2.
    np.testing.assert_array_equal(np.sort(np.argsort(-f)[:n_ones]), np.flatnonzero(switched[:, 1]))


@given(st.integers(0, 10_000), st.integers(3, 5))
@examples(40)
def test_no_pair_of_more_classes_remains_to_switch(seed, n_classes):
    generator = np.random.default_rng(seed)
    scores = generator.normal(size=(12, n_classes))
    before = np.eye(n_classes)[generator.integers(0, n_classes, 12)]
    after = switch_classes(before, scores, 0.0)
    np.testing.assert_allclose(after.sum(axis=0), before.sum(axis=0), atol=1e-6)
    assert set(after.ravel().tolist()) <= {0.0, 1.0}
    gains = hinge(-scores) ** 2 - hinge(scores) ** 2
    assert (gains * after).sum() >= (gains * before).sum() - 1e-9
    classes = after.argmax(axis=1)
    for i, j in combinations(range(12), 2):
        a, b = classes[i], classes[j]
        assert gains[i, a] + gains[j, b] >= gains[i, b] + gains[j, a] - 1e-9


def test_initial_memberships_match_the_prior_or_the_scores():
    scores = np.array([[3.0, 0, 0], [2, 0, 0], [1, 0, 0], [0, 0.5, 0], [0, 0, 1], [0.2, 0, 0]])
    without_prior = best_memberships(scores, None, 0.0)
    np.testing.assert_array_equal(without_prior.argmax(axis=1), [0, 0, 0, 1, 2, 0])
    balanced = best_memberships(scores, np.full(3, 1 / 3), 0.0)
    np.testing.assert_allclose(balanced.sum(axis=0), [2, 2, 2], atol=1e-6)
    np.testing.assert_allclose(balanced[:2, 0], 1, atol=1e-6)
