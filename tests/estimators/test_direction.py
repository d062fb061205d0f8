"""Which target cluster is which class, where the first classifier hardly knows."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin

from isthmus import MTrick
from isthmus.solvers.direction import least_agreement
from toy import make_toy


class AlmostRight(ClassifierMixin, BaseEstimator):
    """Gives a fixed share of the target's documents their true class."""

    def __init__(self, truth=None, right=0.5):
        self.truth = truth
        self.right = right

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        truth = np.asarray(self.truth)
        right = np.random.default_rng(0).random(len(truth)) < self.right
        one = np.where(right == (truth == 1), 0.7, 0.3)
        return np.column_stack([1 - one, one])


def fit(start, right):
    toy = make_toy(n_per_class=60)
    first = AlmostRight(toy.truth[toy.is_target].tolist(), right)
    model = MTrick(start=start, first_classifier=first, random_state=0)
    return toy, model.fit(toy.X, toy.y, sample_domain=toy.sample_domain)


def test_a_second_opinion_turns_swapped_classes_round():
    toy, unchecked = fit("class_conditional", 0.48)
    assert toy.target_accuracy(unchecked.transduction_) < 0.1
    with pytest.warns(UserWarning, match="the other way round"):
        toy, checked = fit("checked", 0.48)
    assert toy.target_accuracy(checked.transduction_) > 0.9
    assert checked.first_agreement_ < 0.6


def test_a_good_first_classifier_needs_no_second_opinion():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, checked = fit("checked", 0.9)
    _, unchecked = fit("class_conditional", 0.9)
    assert checked.first_agreement_ > 0.8
    np.testing.assert_array_equal(checked.label_distributions_, unchecked.label_distributions_)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([0, 0, 1, 1], [0, 0, 1, 1], 1.0),
        ([0, 0, 1, 1], [1, 1, 0, 0], 0.0),
        ([0, 0, 1, 1], [0, 1, 0, 1], 0.5),
        ([0, 1, 2, 2], [0, 2, 1, 1], 0.0),  # classes 1 and 2 have changed names, 0 has not
        ([], [], 1.0),
    ],
)
def test_least_agreement_by_hand(first, second, expected):
    labels = (np.array(first, int), np.array(second, int))
    assert least_agreement(*labels, 3) == expected


@given(st.lists(st.integers(0, 3), min_size=1), st.randoms())
def test_least_agreement_is_symmetric_and_a_share(labels, random):
    first = np.array(labels)
    second = np.array(random.choices(range(4), k=len(labels)))
    agreement = least_agreement(first, second, 4)
    assert 0 <= agreement <= 1
    assert agreement == least_agreement(second, first, 4)
    assert least_agreement(first, first, 4) == 1
