"""Memberships held to class shares: by hand, and whatever the numbers are."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import softmax

from isthmus.numerics.prior_shift import (
    class_counts,
    logarithms,
    most_certain,
    recentred,
    shift_to_shares,
    shifted,
)

MEMBERSHIPS = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4], [0.4, 0.6]])


def labels_under(memberships, shares):
    shift = shift_to_shares(memberships, np.asarray(shares))
    return shifted(memberships, shift).argmax(axis=1)


def some_memberships(n_rows, n_classes, sharpness, seed=0):
    scores = np.random.default_rng(seed).normal(size=(n_rows, n_classes))
    return softmax(sharpness * scores, axis=1)


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0.0, [0, 0, 0, 0, 0]),
        (0.2, [0, 0, 0, 0, 1]),
        (0.4, [0, 0, 0, 1, 1]),
        (0.8, [0, 1, 1, 1, 1]),
        (1.0, [1, 1, 1, 1, 1]),
    ],
)
def test_two_classes_by_hand(share, expected):
    assert labels_under(MEMBERSHIPS, [1 - share, share]).tolist() == expected


@pytest.mark.parametrize(
    ("share", "n_first"),
    [(0.0, 0), (0.15, 20), (0.3, 20), (0.49, 20), (0.6, 80), (0.8, 80), (1.0, 100)],
)
def test_documents_that_tie_go_where_the_counts_come_nearer(share, n_first):
    first = np.repeat([0.9, 0.5, 0.1], [20, 60, 20])
    memberships = np.column_stack([first, 1 - first])
    for order in ([0, 1], [1, 0]):  # whichever class has the first place
        labels = labels_under(memberships[:, order], np.array([share, 1 - share])[order])
        assert (labels == order.index(0)).sum() == n_first


def test_the_threshold_lies_midway():
    shift = shift_to_shares(MEMBERSHIPS, np.array([0.6, 0.4]))
    odds = np.log(0.3 / 0.7), np.log(0.4 / 0.6)
    assert shift[0] - shift[1] == pytest.approx(np.mean(odds))


@pytest.mark.parametrize("n_classes", [3, 6])
@pytest.mark.parametrize("sharpness", [0.3, 1.0, 20.0])
def test_more_classes_come_within_a_few_documents(n_classes, sharpness):
    memberships = some_memberships(600, n_classes, sharpness)
    shares = np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum()
    found = np.bincount(labels_under(memberships, shares), minlength=n_classes) / 600
    np.testing.assert_allclose(found, shares, atol=0.01)


def test_three_classes_are_the_best_assignment():
    """The dual's labels have the largest total among all labels with these counts."""
    memberships = some_memberships(6, 3, 1.0, seed=3)
    scores = logarithms(memberships)
    found = labels_under(memberships, [1 / 3, 1 / 3, 1 / 3])
    assert np.bincount(found, minlength=3).tolist() == [2, 2, 2]
    every = set(permutations([0, 0, 1, 1, 2, 2]))
    best = max(every, key=lambda labels: scores[np.arange(6), labels].sum())
    assert found.tolist() == list(best)


@given(
    arrays(float, st.tuples(st.integers(1, 30), st.integers(2, 4)), elements=st.floats(0, 1)),
    st.integers(0, 1000),
)
def test_whatever_the_memberships(memberships, seed):
    shares = np.random.default_rng(seed).dirichlet(np.ones(memberships.shape[1]))
    shift = shift_to_shares(memberships, shares)
    assert np.isfinite(shift).all()
    moved = shifted(memberships, shift)
    known = memberships.any(axis=1)
    np.testing.assert_allclose(moved[known].sum(axis=1), 1)
    assert not moved[~known].any()
    centred = recentred(memberships, shares)
    assert np.isfinite(centred).all()
    assert not centred[~known].any()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("sharpness", [0.5, 3.0])
def test_recentred_means_are_the_shares(n_classes, sharpness):
    memberships = some_memberships(500, n_classes, sharpness)
    shares = np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum()
    centred = recentred(memberships, shares)
    np.testing.assert_allclose(centred.mean(axis=0), shares, atol=1e-3)
    # One factor a class: the odds of two classes change by the same factor in every row.
    factors = (centred[:, 1] / centred[:, 0]) / (memberships[:, 1] / memberships[:, 0])
    np.testing.assert_allclose(factors, factors[0])


@given(st.integers(0, 200), st.lists(st.integers(0, 20), min_size=2, max_size=5))
def test_counts_add_up_and_are_near(n_rows, weights):
    if sum(weights) == 0:
        weights[0] = 1
    shares = np.array(weights) / sum(weights)
    counts = class_counts(n_rows, shares)
    assert counts.sum() == n_rows
    assert (np.abs(counts - n_rows * shares) < 1).all()


def test_the_most_certain_have_quotas():
    rows, labels = most_certain(MEMBERSHIPS, np.array([0.5, 0.5]), 2)
    # Of five documents two or three are of either class: the surest of each.
    assert rows.tolist() == [0, 4]
    assert labels.tolist() == [0, 1]
    rows, labels = most_certain(MEMBERSHIPS, None, 2)
    assert labels.tolist() == [0, 0]
    assert rows.tolist() == [0, 1]


def test_copies_take_one_place_and_all_are_labelled():
    memberships = MEMBERSHIPS[[0, 0, 0, 1, 4, 3]]
    rows, labels = most_certain(memberships, np.array([0.5, 0.5]), 4, np.array([7, 7, 7, 1, 2, 3]))
    assert rows.tolist() == [0, 1, 2, 3, 4, 5]
    assert labels.tolist() == [0, 0, 0, 0, 1, 1]
    rows, _ = most_certain(memberships, np.array([0.5, 0.5]), 2, np.array([7, 7, 7, 1, 2, 3]))
    assert rows.tolist() == [0, 1, 2, 4]


def test_rows_of_zeros_are_never_chosen():
    memberships = np.vstack([MEMBERSHIPS, np.zeros((3, 2))])
    rows, _ = most_certain(memberships, np.array([0.5, 0.5]), 8)
    assert rows.tolist() == [0, 1, 2, 3, 4]
    assert most_certain(np.zeros((2, 2)), None, 1)[0].tolist() == []
