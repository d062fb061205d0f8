"""Decisions from the evidence."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus import Auto
from isthmus.estimators.base.verdict import CHECK_FIRST, USE
from isthmus.estimators.ensemble import _proportions
from isthmus.estimators.ensemble._target import TargetLabels
from isthmus.estimators.ensemble._verdicts import (
    Evidence,
    accuracy_interval,
    decide,
    estimated_accuracy,
    source_only_weight,
    verdict_on,
)
from isthmus.estimators.registry import METHODS
from isthmus.solvers.ensemble.proportions import Proportions
from toy import make_toy


@pytest.mark.parametrize(
    ("agreement", "cross_validation", "n_classes", "expected"),
    [
        (0.75, 0.99, 2, CHECK_FIRST),  # two classes that may be swapped
        (0.75, 0.9, 2, USE),  # the classes are hard to tell apart in the source too
        (0.9, 0.99, 2, USE),
        (0.75, 0.99, 3, USE),
        (0.75, np.nan, 2, USE),
    ],
)
def test_a_large_loss_of_agreement_between_two_classes_is_a_doubt(
    agreement, cross_validation, n_classes, expected
):
    decision = decide(
        0.8,
        np.full(n_classes, 1 / n_classes),
        agreement=agreement,
        cross_validation=cross_validation,
        may_be_swapped=False,
    )
    assert decision == expected


def test_random_labels_are_not_to_be_used():
    toy = make_toy(n_per_class=60)
    labels = toy.y.copy()
    known = np.flatnonzero(~toy.is_target)
    labels[known] = np.random.default_rng(0).permutation(labels[known])
    auto = Auto("fast").fit(toy.X, labels, sample_domain=toy.sample_domain)
    verdict = auto.verdicts_[-1]
    assert verdict.decision == "do not use"
    assert verdict.accuracy.value == 0.5
    assert "not clearly more than random labels" in verdict.reasons[0]


@pytest.mark.doubtful
def test_few_documents_are_to_be_checked():
    toy = make_toy(n_per_class=10)
    verdict = Auto("fast").fit(toy.X, toy.y, sample_domain=toy.sample_domain).verdicts_[-1]
    assert verdict.decision != "use"
    assert any("too few to judge" in reason for reason in verdict.reasons)
    assert verdict.accuracy.high - verdict.accuracy.low > 0.1


def test_without_a_member_nothing_is_recommended():
    toy = make_toy(n_per_class=60)
    members = [METHODS["lg"].build(class_prior=[0.2, 0.3, 0.5])]  # three values for two classes
    auto = Auto("fast", members=members).fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    verdict = auto.verdicts_[-1]
    assert verdict.decision != "use"
    assert "No member could be fitted" in verdict.reasons[0]


def test_estimated_accuracy_grows_with_the_evidence():
    def estimate(agreement: float, kappa: float) -> float:
        return estimated_accuracy(agreement, kappa, 2, cross_validation=0.99)

    assert estimate(0.9, 0.9) > estimate(0.8, 0.9) > estimate(0.8, 0.8) > 0.5


def test_groups_that_are_not_the_classes_do_not_raise_the_estimate():
    # One half of the target learns the labels of the other, but the members disagree.
    assert estimated_accuracy(0.5, 0.95, 3, cross_validation=0.7) <= 0.63
    # Nor can the classes be told apart better than in the source.
    assert estimated_accuracy(0.95, 0.95, 3, cross_validation=0.7) <= 0.75


def test_interval_is_wider_for_low_estimates_and_few_documents():
    def width(value: float, n_documents: int) -> float:
        interval = accuracy_interval(value, n_documents)
        return interval.high - interval.low

    assert width(0.6, 1000) > width(0.8, 1000)
    assert width(0.8, 50) > width(0.8, 1000)


@pytest.mark.doubtful
def test_random_labels_of_many_documents_are_not_to_be_used(monkeypatch):
    monkeypatch.setattr(_proportions, "_MAX_ROWS", 200)
    monkeypatch.setattr(_proportions, "_MAX_DOCUMENTS", 100)
    toy = make_toy(n_per_class=100)
    labels = toy.y.copy()
    known = np.flatnonzero(~toy.is_target)
    labels[known] = np.random.default_rng(0).permutation(labels[known])
    auto = Auto("fast").fit(toy.X, labels, sample_domain=toy.sample_domain)
    assert auto.verdicts_[-1].decision == "do not use"


def test_a_given_class_prior_is_no_estimate():
    toy = make_toy(n_per_class=60)
    auto = Auto("fast", class_prior=[0.8, 0.2]).fit(toy.X, toy.y, toy.sample_domain)
    assert not any("seem to differ" in reason for reason in auto.verdicts_[-1].reasons)


def test_a_single_class_by_the_given_prior():
    toy = make_toy(n_per_class=60)
    of_class = ~toy.is_target | (toy.truth == toy.truth[toy.is_target][0])
    prior = np.eye(2)[int(toy.truth[toy.is_target][0])]
    auto = Auto("fast", class_prior=prior).fit(
        toy.X[of_class], toy.y[of_class], toy.sample_domain[of_class]
    )
    verdict = auto.verdicts_[-1]
    assert verdict.decision != "do not use"
    assert not any("No document" in reason for reason in verdict.reasons)


def test_low_estimates_move_labels_towards_the_source_only_classifier():
    def weight(agreement: float, kappa: float) -> float:
        return source_only_weight(make_evidence(agreement=agreement, kappa=kappa))

    assert weight(0.9, 0.95) == 0
    assert weight(0.5, 0.5) == 0.5
    assert 0 < weight(0.75, 0.71) < 0.5


@pytest.mark.parametrize(
    ("changes", "first"),
    [
        ({}, "The members agree on 90 % of the documents, and"),
        ({"agreement": 0.69}, "The estimated accuracy is above 60 %"),  # "use" in spite of this
        ({"shared_words": 0.1}, "The estimated accuracy is above 60 %"),
    ],
)
def test_use_says_why_before_what_speaks_against_it(changes, first):
    toy = make_toy(n_per_class=10, n_classes=3)
    data = Auto()._read_training_data(toy.X, toy.y, toy.sample_domain)
    prior = data.problem.class_prior()
    proportions = Proportions(prior, prior - 0.1, prior + 0.1, np.zeros(3))
    labels = TargetLabels(np.eye(3), proportions, kappa=0.9, votes=prior)
    evidence = make_evidence(**{"n_classes": 3, **changes})
    verdict = verdict_on(data, labels, evidence)
    assert verdict.decision == USE
    assert verdict.reasons[0].startswith(first)
    assert len(verdict.reasons) == (2 if changes else 1)


def make_evidence(**changes):
    facts = {
        "n_classes": 2, "n_members": 5, "agreement": 0.9, "source_agreement": 0.8, "kappa": 0.9,
        "cross_validation": 0.95, "is_learnable": True, "n_documents": 100, "n_labeled": 100,
        "proportion_change": 0.0, "may_be_swapped": False, "shared_words": 0.8,
        "empty_classes": (),
    }  # fmt: skip
    return Evidence(**{**facts, **changes})
