"""Tri-factorizations that know the class shares of their target."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from isthmus import DKT, KTW, MTrick, MTrick0
from isthmus.domains.parse import make_problem
from isthmus.estimators.components.class_balance import match_class_prior, row_weights
from toy import make_toy


def skewed_toy(n_rare=6, n_per_class=120):
    """A target that has few documents of class 1."""
    toy = make_toy(n_per_class=n_per_class)
    kept = np.ones(len(toy.truth), bool)
    kept[np.flatnonzero(toy.is_target & (toy.truth == 1))[n_rare:]] = False
    return replace(
        toy,
        X=toy.X[kept],
        truth=toy.truth[kept],
        sample_domain=toy.sample_domain[kept],
        y=toy.y[kept],
    )


def true_shares(toy):
    return np.bincount(toy.truth[toy.is_target]) / toy.is_target.sum()


@pytest.mark.parametrize("Estimator", [MTrick, MTrick0, DKT, KTW])
def test_labels_have_the_given_shares(Estimator):
    toy = skewed_toy()
    model = Estimator(class_prior=true_shares(toy)).fit(toy.X, toy.y, toy.sample_domain)
    assert model.transduction_[toy.is_target].sum() == pytest.approx(6, abs=1)
    assert toy.target_accuracy(model.transduction_) > 0.93


def test_known_shares_find_a_rare_class_that_the_objective_cuts_up():
    toy = skewed_toy(n_per_class=300)
    blind = MTrick().fit(toy.X, toy.y, toy.sample_domain)
    knowing = MTrick(class_prior=true_shares(toy)).fit(toy.X, toy.y, toy.sample_domain)
    accuracies = [toy.target_accuracy(model.transduction_) for model in (blind, knowing)]
    assert accuracies[0] < 0.9 < accuracies[1]


def parts(toy):
    X = np.asarray(toy.X.todense())
    return make_problem(X, toy.y, toy.sample_domain, missing_label=-1)


def test_weights_make_the_classes_of_a_target_weigh_the_same():
    toy = skewed_toy(n_rare=30)
    problem = parts(toy)
    truth = np.eye(2)[toy.truth]
    memberships = [truth[domain.rows] for domain in problem.domains]
    source, target = row_weights(problem, memberships, {-1: true_shares(toy)})
    assert source is None
    by_class = [target[toy.truth[toy.is_target] == c].sum() for c in range(2)]
    assert by_class[0] == pytest.approx(by_class[1])
    assert target.mean() == pytest.approx(1)


def test_memberships_are_held_to_the_shares_where_labels_are_sought():
    toy = make_toy()
    problem = parts(toy)
    drawn = np.random.default_rng(0).random((len(toy.truth), 2))
    memberships = [drawn[domain.rows] for domain in problem.domains]
    memberships[1][0] = 0  # nothing is known of this document
    source, target = match_class_prior(problem, memberships, {-1: np.array([0.8, 0.2])})
    np.testing.assert_allclose(target[1:].mean(axis=0), [0.8, 0.2], atol=1e-3)
    assert not target[0].any()
    np.testing.assert_allclose(source.sum(axis=1), 1)
    np.testing.assert_allclose(source, memberships[0] / memberships[0].sum(axis=1, keepdims=True))


def test_two_rounds_more_are_counted_on():
    toy = make_toy()
    seen = []
    model = MTrick(class_prior="source", max_iter=5, tol=0)
    model.fit(toy.X, toy.y, toy.sample_domain, callback=lambda told: seen.append(told.iteration))
    assert seen == list(range(1, 16))
