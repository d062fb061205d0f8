"""Reductions over rows of class probabilities, and shifts of the class prior."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from hypothesis.extra.numpy import arrays
from scipy.special import softmax

from isthmus.numerics.class_probabilities import (
    class_counts,
    log_memberships,
    match_mean,
    most_confident,
    row_argmax,
    row_sums,
    shift_to_prior,
    shifted,
)

shapes = npst.array_shapes(min_dims=2, max_dims=2, max_side=12)
dtypes = st.sampled_from([np.float32, np.float64])
MEMBERSHIPS = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4], [0.4, 0.6]])


@given(npst.arrays(dtypes, shapes, elements=st.sampled_from([0, -0.0, 0.5, 1, np.inf, np.nan])))
def test_argmax_with_ties_and_nan(values):
    columns = row_argmax(values)
    np.testing.assert_array_equal(columns, values.argmax(axis=1), strict=True)


@given(dtypes, st.integers(1, 300), st.integers(1, 12), st.sampled_from("CF"), st.integers(0, 99))
def test_sums_have_the_bits_of_numpy(dtype, n_rows, n_columns, order, seed):
    generator = np.random.default_rng(seed)
    scales = 10.0 ** generator.integers(-6, 6, (n_rows, n_columns))
    values = np.asarray(scales * generator.random((n_rows, n_columns)), dtype, order=order)
    np.testing.assert_array_equal(row_sums(values), values.sum(axis=1), strict=True)


@pytest.mark.parametrize("n_columns", [1, 2, 3, 20])
def test_the_argument_is_not_changed_and_may_be_read_only(n_columns):
    values = np.random.default_rng(0).random((5, n_columns))
    before = values.copy()
    values.flags.writeable = False
    row_argmax(values), row_sums(values)
    np.testing.assert_array_equal(values, before)


def shifted_labels(memberships, prior):
    shift = shift_to_prior(memberships, np.asarray(prior))
    return shifted(memberships, shift).argmax(axis=1)


def random_memberships(n_rows, n_classes, inverse_temperature, seed=0):
    scores = np.random.default_rng(seed).normal(size=(n_rows, n_classes))
    return softmax(inverse_temperature * scores, axis=1)


@pytest.mark.parametrize(
    ("proportion", "expected"),
    [
        (0.0, [0, 0, 0, 0, 0]),
        (0.2, [0, 0, 0, 0, 1]),
        (0.4, [0, 0, 0, 1, 1]),
        (0.8, [0, 1, 1, 1, 1]),
        (1.0, [1, 1, 1, 1, 1]),
    ],
)
def test_two_classes_by_hand(proportion, expected):
    assert shifted_labels(MEMBERSHIPS, [1 - proportion, proportion]).tolist() == expected


@pytest.mark.parametrize(
    ("proportion", "n_first"),
    [(0.0, 0), (0.15, 20), (0.3, 20), (0.49, 20), (0.6, 80), (0.8, 80), (1.0, 100)],
)
def test_tied_documents_get_the_class_with_the_nearer_count(proportion, n_first):
    first = np.repeat([0.9, 0.5, 0.1], [20, 60, 20])
    memberships = np.column_stack([first, 1 - first])
    for order in ([0, 1], [1, 0]):  # for both orders of the classes
        labels = shifted_labels(
            memberships[:, order], np.array([proportion, 1 - proportion])[order]
        )
        assert (labels == order.index(0)).sum() == n_first


def test_threshold_is_the_midpoint():
    shift = shift_to_prior(MEMBERSHIPS, np.array([0.6, 0.4]))
    odds = np.log(0.3 / 0.7), np.log(0.4 / 0.6)
    assert shift[0] - shift[1] == pytest.approx(np.mean(odds))


@pytest.mark.parametrize("n_classes", [3, 6])
@pytest.mark.parametrize("inverse_temperature", [0.3, 1.0, 20.0])
def test_more_classes_match_the_prior_within_a_few_documents(n_classes, inverse_temperature):
    memberships = random_memberships(600, n_classes, inverse_temperature)
    prior = np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum()
    proportions = np.bincount(shifted_labels(memberships, prior), minlength=n_classes) / 600
    np.testing.assert_allclose(proportions, prior, atol=0.01)


def test_three_classes_solve_the_assignment_problem():
    """The labels have the largest total log membership of all labels with these counts."""
    memberships = random_memberships(6, 3, 1.0, seed=3)
    scores = log_memberships(memberships)
    labels = shifted_labels(memberships, [1 / 3, 1 / 3, 1 / 3])
    assert np.bincount(labels, minlength=3).tolist() == [2, 2, 2]
    all_labels = set(permutations([0, 0, 1, 1, 2, 2]))
    best = max(all_labels, key=lambda candidate: scores[np.arange(6), candidate].sum())
    assert labels.tolist() == list(best)


@given(
    arrays(float, st.tuples(st.integers(1, 30), st.integers(2, 4)), elements=st.floats(0, 1)),
    st.integers(0, 1000),
)
def test_any_memberships(memberships, seed):
    prior = np.random.default_rng(seed).dirichlet(np.ones(memberships.shape[1]))
    shift = shift_to_prior(memberships, prior)
    assert np.isfinite(shift).all()
    shifted_memberships = shifted(memberships, shift)
    known = memberships.any(axis=1)
    np.testing.assert_allclose(shifted_memberships[known].sum(axis=1), 1)
    assert not shifted_memberships[~known].any()
    matched = match_mean(memberships, prior)
    assert np.isfinite(matched).all()
    assert not matched[~known].any()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("inverse_temperature", [0.5, 3.0])
def test_match_mean(n_classes, inverse_temperature):
    memberships = random_memberships(500, n_classes, inverse_temperature)
    prior = np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum()
    matched = match_mean(memberships, prior)
    np.testing.assert_allclose(matched.mean(axis=0), prior, atol=1e-3)
    # One factor per class: the odds of two classes change by the same factor in all_labels row.
    factors = (matched[:, 1] / matched[:, 0]) / (memberships[:, 1] / memberships[:, 0])
    np.testing.assert_allclose(factors, factors[0])


@given(st.integers(0, 200), st.lists(st.integers(0, 20), min_size=2, max_size=5))
def test_class_counts_sum_to_the_rows_and_are_near(n_rows, weights):
    if sum(weights) == 0:
        weights[0] = 1
    prior = np.array(weights) / sum(weights)
    counts = class_counts(n_rows, prior)
    assert counts.sum() == n_rows
    assert (np.abs(counts - n_rows * prior) < 1).all()


def test_most_certain_with_and_without_quotas():
    rows, labels = most_confident(MEMBERSHIPS, np.array([0.5, 0.5]), 2)
    # The most confident document of each class.
    assert rows.tolist() == [0, 4]
    assert labels.tolist() == [0, 1]
    rows, labels = most_confident(MEMBERSHIPS, None, 2)
    assert labels.tolist() == [0, 0]
    assert rows.tolist() == [0, 1]


def test_duplicates_count_once_and_are_all_selected():
    memberships = MEMBERSHIPS[[0, 0, 0, 1, 4, 3]]
    rows, labels = most_confident(
        memberships, np.array([0.5, 0.5]), 4, np.array([7, 7, 7, 1, 2, 3])
    )
    assert rows.tolist() == [0, 1, 2, 3, 4, 5]
    assert labels.tolist() == [0, 0, 0, 0, 1, 1]
    rows, _ = most_confident(memberships, np.array([0.5, 0.5]), 2, np.array([7, 7, 7, 1, 2, 3]))
    assert rows.tolist() == [0, 1, 2, 4]


def test_rows_of_zeros_are_never_selected():
    memberships = np.vstack([MEMBERSHIPS, np.zeros((3, 2))])
    rows, _ = most_confident(memberships, np.array([0.5, 0.5]), 8)
    assert rows.tolist() == [0, 1, 2, 3, 4]
    assert most_confident(np.zeros((2, 2)), None, 1)[0].tolist() == []
