"""Tri-factorizations with a class prior."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from isthmus import DKT, KTW, MTrick, MTrick0
from isthmus.domains.parse import make_problem
from isthmus.estimators.class_prior.parameter import match_class_prior, row_weights
from toy import make_toy


def skewed_toy(n_rare=6, n_per_class=120):
    """A target with few documents of class 1."""
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


def true_prior(toy):
    return np.bincount(toy.truth[toy.is_target]) / toy.is_target.sum()


@pytest.mark.parametrize("Estimator", [MTrick, MTrick0, DKT, KTW])
def test_labels_match_the_class_prior(Estimator):
    toy = skewed_toy()
    model = Estimator(class_prior=true_prior(toy)).fit(toy.X, toy.y, toy.sample_domain)
    assert model.transduction_[toy.is_target].sum() == pytest.approx(6, abs=1)
    assert toy.target_accuracy(model.transduction_) > 0.93


@pytest.mark.ends_early
@pytest.mark.doubtful
def test_the_class_prior_helps_to_find_a_rare_class():
    toy = skewed_toy(n_per_class=300)
    without_prior = MTrick().fit(toy.X, toy.y, toy.sample_domain)
    with_prior = MTrick(class_prior=true_prior(toy)).fit(toy.X, toy.y, toy.sample_domain)
    accuracies = [toy.target_accuracy(model.transduction_) for model in (without_prior, with_prior)]
    assert accuracies[0] < 0.9 < accuracies[1]


def problem_of(toy):
    X = np.asarray(toy.X.todense())
    return make_problem(X, toy.y, toy.sample_domain, missing_label=-1)


def test_row_weights_give_all_classes_the_same_total():
    toy = skewed_toy(n_rare=30)
    problem = problem_of(toy)
    truth = np.eye(2)[toy.truth]
    memberships = [truth[domain.rows] for domain in problem.domains]
    source, target = row_weights(problem, memberships, {-1: true_prior(toy)})
    assert source is None
    by_class = [target[toy.truth[toy.is_target] == c].sum() for c in range(2)]
    assert by_class[0] == pytest.approx(by_class[1])
    assert target.mean() == pytest.approx(1)


def test_match_class_prior():
    toy = make_toy()
    problem = problem_of(toy)
    drawn = np.random.default_rng(0).random((len(toy.truth), 2))
    memberships = [drawn[domain.rows] for domain in problem.domains]
    memberships[1][0] = 0  # no information about this document
    source, target = match_class_prior(problem, memberships, {-1: np.array([0.8, 0.2])})
    np.testing.assert_allclose(target[1:].mean(axis=0), [0.8, 0.2], atol=1e-3)
    assert not target[0].any()
    np.testing.assert_allclose(source.sum(axis=1), 1)
    np.testing.assert_allclose(source, memberships[0] / memberships[0].sum(axis=1, keepdims=True))


def test_the_callback_counts_over_all_rounds():
    toy = make_toy()
    seen = []
    model = MTrick(class_prior="source", max_iter=5, tol=0)
    model.fit(
        toy.X, toy.y, toy.sample_domain, callback=lambda progress: seen.append(progress.iteration)
    )
    assert seen == list(range(1, 16))
