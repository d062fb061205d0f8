"""The labels of one target: halves, proportions and labeled rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from isthmus import Auto
from isthmus.estimators.ensemble._target import Target, _spread
from isthmus.solvers.ensemble.consensus import label_proportions
from isthmus.solvers.ensemble.proportions import Proportions
from toy import make_toy


def target_of(X, y, sample_domain, prior=None):
    data = Auto()._read_training_data(X, y, sample_domain)
    return Target(data.problem.targets[0], data.X, prior, data.problem.class_prior())


def toy_target(prior=None, **settings):
    toy = make_toy(**settings)
    return toy, target_of(toy.X, toy.y, toy.sample_domain, prior)


def memberships_of(truth, seed=0, accuracy=0.8):
    """Memberships by a classifier that is right in most cases."""
    generator = np.random.default_rng(seed)
    right = generator.random(len(truth)) < accuracy
    labels = np.where(right, truth, 1 - truth)
    certainty = generator.uniform(0.6, 0.9, len(truth))
    return np.where(np.eye(2)[labels] > 0, certainty[:, None], 1 - certainty[:, None])


def label(target, truth):
    members = {f"member {seed}": memberships_of(truth, seed) for seed in range(3)}
    estimates = [part.mean(axis=0) for part in members.values()]
    return target.label(members, estimates)


def first_half(target):
    """Which rows are in the first half; a row is never predicted from its own half."""
    (train, _), _ = target._halves.halves()
    return np.isin(np.arange(len(target)), train)


def test_open_documents_are_unlabeled_and_not_empty():
    toy = make_toy(n_per_class=4)
    X, y = toy.X.toarray(), toy.y.copy()
    rows = np.flatnonzero(toy.is_target)
    X[rows[1]] = 0
    y[rows[2]] = 1
    target = target_of(X, y, toy.sample_domain)
    assert len(target) == 6
    np.testing.assert_array_equal(target.rows, np.delete(rows, [1, 2]))
    np.testing.assert_array_equal(target.positions, [0, 3, 4, 5, 6, 7])


@pytest.mark.parametrize("container", [sparse.csr_array, np.asarray], ids=["sparse", "dense"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_duplicates_are_in_the_same_half(container, dtype):
    """Otherwise a label would be predicted from a copy of the same document."""
    generator = np.random.default_rng(0)
    distinct = generator.random((61, 45)) * (generator.random((61, 45)) < 0.5)
    copies = generator.integers(0, 61, 150)
    X = np.vstack([distinct[:20], distinct[copies]]).astype(dtype)
    y = np.array([*[0, 1] * 10, *[-1] * 150])
    target = target_of(container(X), y, np.where(y < 0, -1, 0))
    in_first = first_half(target)
    for document in np.unique(copies):
        assert len(set(in_first[copies == document])) == 1
    assert 0.3 < in_first.mean() < 0.7
    rows, _ = target._sample
    assert len(rows) == len(np.unique(copies))


def test_order_of_rows_has_no_influence():
    toy = make_toy(n_per_class=40)
    X = toy.X.toarray()
    target_rows = np.flatnonzero(toy.is_target)
    copy_of = np.arange(len(target_rows))
    copy_of[1:30:3] = copy_of[0:30:3]
    X[target_rows] = X[target_rows[copy_of]]
    order = np.random.default_rng(3).permutation(len(X))
    results = []
    for rows in (np.arange(len(X)), order):
        target = target_of(sparse.csr_array(X[rows]), toy.y[rows], toy.sample_domain[rows])
        truth = toy.truth[rows][target.rows]
        # Memberships by position in the original order, equal for duplicates.
        place = np.argsort(np.argsort(rows[target.rows]))
        content = copy_of[place]
        members = {
            f"member {seed}": memberships_of(np.sort(truth), seed)[content] for seed in range(3)
        }
        estimates = [np.array([0.4, 0.6])]
        found = target.label(members, estimates)
        scores = np.empty_like(found.scores)
        scores[place] = found.scores
        results.append((scores, found.proportions.prior, found.kappa))
    for first, second in zip(*results, strict=True):
        np.testing.assert_allclose(first, second, atol=1e-8)


def test_labels_have_the_estimated_proportions():
    toy, target = toy_target(n_per_class=50)
    truth = toy.truth[toy.is_target]
    result = label(target, truth)
    np.testing.assert_allclose(
        label_proportions(result.scores), result.proportions.prior, atol=0.02
    )
    assert np.mean(result.labels == truth) > 0.95  # the members have 80 %
    assert result.kappa > 0.8


def test_given_prior_is_kept():
    toy, target = toy_target(np.array([0.8, 0.2]), n_per_class=50)
    result = label(target, toy.truth[toy.is_target])
    np.testing.assert_array_equal(result.proportions.prior, [0.8, 0.2])
    np.testing.assert_array_equal(result.proportions.low, result.proportions.high)
    np.testing.assert_allclose(label_proportions(result.scores), [0.8, 0.2], atol=0.02)


def test_few_documents_have_no_halves():
    toy, target = toy_target(n_per_class=10)
    result = label(target, toy.truth[toy.is_target])
    assert np.isnan(result.kappa)
    np.testing.assert_array_equal(result.proportions.weight, 0)


def test_labeled_rows_of_the_target_count_in_the_proportions():
    """The estimate counts as 70 documents; 30 labeled ones of the first class add to them."""
    toy = make_toy(n_per_class=50)
    y = toy.y.copy()
    y[np.flatnonzero(toy.is_target & (toy.truth == 0))[:30]] = 0
    target = target_of(toy.X, y, toy.sample_domain)
    estimate = Proportions(
        np.array([0.5, 0.5]), np.array([0.4, 0.4]), np.array([0.6, 0.6]), np.zeros(2)
    )
    found = target._with_labeled(estimate)
    np.testing.assert_allclose(found.prior, [(35 + 30) / 100, 0.35])
    width = 0.1 * np.sqrt(0.7)
    np.testing.assert_allclose(found.high - found.prior, width)
    np.testing.assert_allclose(found.prior - found.low, width)
    without = target_of(toy.X, toy.y, toy.sample_domain)
    assert without._with_labeled(estimate) is estimate


def test_intervals_with_labeled_rows_stay_between_0_and_1():
    toy = make_toy(n_per_class=50)
    y = toy.y.copy()
    y[np.flatnonzero(toy.is_target & (toy.truth == 0))[:30]] = 0
    target = target_of(toy.X, y, toy.sample_domain)
    estimate = Proportions(
        np.array([1.0, 0]), np.array([0.9, 0]), np.array([1.0, 0.1]), np.zeros(2)
    )
    found = target._with_labeled(estimate)
    assert (found.low >= 0).all()
    assert (found.high <= 1).all()


def test_refits_are_added():
    toy, target = toy_target(n_per_class=50)
    truth = toy.truth[toy.is_target]
    first = label(target, truth)
    wrong = replace(first, scores=-first.scores)
    right = 10 * (2.0 * np.eye(2)[truth] - 1)
    refits = [right, right]
    second = target.add(wrong, refits, [np.array([0.5, 0.5])])
    assert np.mean(second.labels == truth) == 1


def test_spread_takes_different_documents_from_the_whole_range():
    order = np.repeat(np.arange(10), 3)
    np.testing.assert_array_equal(order[_spread(order, 100)], np.arange(10))
    np.testing.assert_array_equal(order[_spread(order, 4)], [0, 3, 6, 9])
    assert len(_spread(order, 1)) == 1


def proportions_at(target, estimate, votes):
    estimates = [np.array([estimate, 1 - estimate])]
    scores = np.zeros((len(target), 2))
    return target._proportions(scores, estimates, np.array([votes, 1 - votes])).prior


def test_small_changes_of_the_proportions_are_ignored_and_votes_count():
    _, target = toy_target(n_per_class=10)  # too few documents for halves
    source = target.source_prior[0]
    near = proportions_at(target, source + 0.02, source + 0.02)
    np.testing.assert_allclose(near, target.source_prior, atol=1e-6)
    far = proportions_at(target, source + 0.3, source + 0.3)
    np.testing.assert_allclose(far[0], source + 0.3, atol=1e-6)
    between = proportions_at(target, source + 0.3, source)
    assert source + 0.1 < between[0] < source + 0.2


def test_labels_of_a_single_classifier_stay_as_they_are():
    _, target = toy_target(n_per_class=30)
    memberships = memberships_of(np.arange(len(target)) % 2)
    labels = target.unchanged(memberships)
    np.testing.assert_array_equal(labels.labels, memberships.argmax(axis=1))


def test_labels_move_towards_the_source_only_classifier_by_its_weight():
    _, target = toy_target(n_per_class=30)
    truth = np.arange(len(target)) % 2
    labels = label(target, truth)
    source_only = memberships_of(truth, seed=9, accuracy=0.5)
    expected = source_only.argmax(axis=1)
    agreements = [
        np.mean(target.towards(labels, source_only, weight).labels == expected)
        for weight in (0.0, 0.5, 5.0)
    ]
    assert agreements[0] == np.mean(labels.labels == expected)
    assert agreements[0] < agreements[1] < agreements[2]


def test_one_class_by_a_given_prior_says_nothing_about_the_labels():
    _, given = toy_target(prior=np.array([1.0, 0.0]), n_per_class=60)
    _, estimated = toy_target(n_per_class=60)
    one_class = np.zeros(len(given), np.intp)
    assert np.isnan(given.kappa_of(one_class))
    assert estimated.kappa_of(one_class) == 0


@pytest.mark.parametrize("n_documents", [49, 50, 51, 73, 97, 100])
def test_both_halves_of_a_sample_have_documents(n_documents, monkeypatch):
    """Every second rank of 50 is in a sample of 25, so ranks must not decide about the half."""
    monkeypatch.setattr("isthmus.estimators.ensemble._target._MAX_SAMPLE", 25)
    X = sparse.random(10 + n_documents, 40, density=0.5, format="csr", random_state=0)
    y = [0, 1] * 5 + [None] * n_documents
    target = target_of(X, y, [0] * 10 + [-1] * n_documents)
    rows, halves = target._sample
    assert len(rows) == 25
    sizes = [len(train) for train, _ in halves.halves()]
    assert sorted(sizes) == [12, 13]
