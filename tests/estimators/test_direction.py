"""Which target cluster is which class, where the first classifier hardly knows."""

from __future__ import annotations

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


def fit(right):
    toy = make_toy(n_per_class=60)
    first = AlmostRight(toy.truth[toy.is_target].tolist(), right)
    model = MTrick(first_classifier=first)
    return toy, model.fit(toy.X, toy.y, sample_domain=toy.sample_domain)


def test_agreement_tells_a_first_classifier_at_chance_from_a_good_one():
    toy, swapped = fit(0.48)
    assert toy.target_accuracy(swapped.transduction_) < 0.1
    assert swapped.first_agreement_ < 0.6
    toy, good = fit(0.9)
    assert toy.target_accuracy(good.transduction_) > 0.9
    assert good.first_agreement_ > 0.8


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
