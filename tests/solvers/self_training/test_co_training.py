"""Pseudo-labels of co-training."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from common import examples
from isthmus.solvers.self_training.coda import (
    co_training_labels,
    expansion,
    predict_view,
)

HALF = np.array([0.5, 0.5])


def memberships(second):
    second = np.asarray(second, np.float64)
    return np.column_stack([1 - second, second])


def no_duplicates(n_rows):
    return np.arange(n_rows)


def test_a_view_is_confident_about_a_proportion_of_every_class():
    result = predict_view(memberships([0.9, 0.8, 0.7, 0.6, 0.4, 0.1]), None, 0.5)
    assert result.labels.tolist() == [1, 1, 1, 1, 0, 0]
    assert result.confident.tolist() == [True, True, False, False, False, True]
    np.testing.assert_allclose(result.margins[0], np.log(9))


def test_labels_are_matched_to_the_prior():
    result = predict_view(memberships([0.9, 0.8, 0.7, 0.6, 0.4, 0.1]), HALF, 0.34)
    assert result.labels.tolist() == [1, 1, 1, 0, 0, 0]
    assert result.confident.tolist() == [True, False, False, False, False, True]


def test_a_row_of_zeros_is_not_labeled():
    values = memberships([0.9, 0.8, 0.1, 0.2])
    values[1] = 0
    result = predict_view(values, HALF, 1.0)
    assert result.confident.tolist() == [True, False, True, True]
    assert result.labels[1] == -1


def test_expansion_of_a_small_example():
    first = np.array([1, 1, 1, 0, 0, 0, 0, 0], bool)
    second = np.array([1, 0, 0, 1, 0, 0, 0, 0], bool)
    # Exactly one view: 3 of 8; both: 1; neither: 4.
    assert expansion(first, second) == 3.0
    assert expansion(first, first) == 0.0
    assert expansion(first, ~first) == np.inf
    assert expansion(first[:0], first[:0]) == 0.0


def test_labels_of_a_small_example():
    first = memberships([0.99, 0.6, 0.55, 0.02, 0.45, 0.4])
    second = memberships([0.98, 0.57, 0.9, 0.03, 0.3, 0.48])
    # The first is confident about 0 and 1, 3 and 5; the second about 0 and 2, 3 and 4.
    result = co_training_labels([first, second], HALF, 6, 0.67, no_duplicates(6))
    assert result.rows.tolist() == [1, 2, 4, 5]
    assert result.labels.tolist() == [1, 1, 0, 0]
    assert result.expansion == np.inf  # at least one view is confident about every document
    # The most certain of each class are 2 and 4, both by the second view.
    assert co_training_labels([first, second], HALF, 2, 0.67, no_duplicates(6)).rows.tolist() == [
        2,
        4,
    ]


def test_the_confident_view_determines_the_class():
    first = memberships([0.99, 0.1, 0.51, 0.48])
    second = memberships([0.49, 0.1, 0.9, 0.2])
    # The first is confident about 0 and 1, the second about 1 to 3.
    result = co_training_labels([first, second], None, 4, 0.5, no_duplicates(4))
    assert result.rows.tolist() == [0, 2, 3]
    assert result.labels.tolist() == [1, 1, 0]


def test_classes_get_their_prior_proportions():
    generator = np.random.default_rng(0)
    views = [memberships(generator.random(400)) for _ in range(2)]
    result = co_training_labels(views, np.array([0.75, 0.25]), 40, 0.5, no_duplicates(400))
    assert np.bincount(result.labels).tolist() == [30, 10]
    free = co_training_labels(views, None, 40, 0.5, no_duplicates(400))
    assert len(free.rows) == 40


def test_three_classes():
    generator = np.random.default_rng(1)
    views = [generator.dirichlet(np.ones(3), 300) for _ in range(2)]
    result = co_training_labels(views, np.array([0.5, 0.3, 0.2]), 30, 0.5, no_duplicates(300))
    assert np.bincount(result.labels).tolist() == [15, 9, 6]


def test_duplicates_count_once():
    generator = np.random.default_rng(2)
    views = [memberships(generator.random(60)) for _ in range(2)]
    once = co_training_labels(views, HALF, 10, 0.5, no_duplicates(60))
    copies = np.concatenate([np.arange(60), np.full(25, once.rows[0])])
    many = co_training_labels([view[copies] for view in views], HALF, 10, 0.5, copies)
    assert sorted(set(copies[many.rows].tolist())) == once.rows.tolist()
    assert np.count_nonzero(copies[many.rows] == once.rows[0]) == 26


def test_ties_are_treated_alike():
    first = memberships([0.9, 0.9, 0.9, 0.1, 0.1, 0.1])
    second = memberships([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    result = co_training_labels([first, second], HALF, 2, 1 / 3, no_duplicates(6))
    # All of a class tie, so both views are confident about all documents.
    assert len(result.rows) == 0
    assert result.expansion == 0.0


def test_unknown_documents_get_no_label():
    nothing = np.zeros((3, 2))
    result = co_training_labels([nothing, nothing], HALF, 2, 0.5, no_duplicates(3))
    assert len(result.rows) == 0
    empty = co_training_labels([nothing[:0], nothing[:0]], HALF, 2, 0.5, no_duplicates(0))
    assert len(empty.rows) == 0


@given(seed=st.integers(0, 10**6), n_rows=st.integers(1, 40), n_classes=st.integers(2, 4))
@examples(60)
def test_exactly_one_view_is_confident_and_the_order_does_not_matter(seed, n_rows, n_classes):
    generator = np.random.default_rng(seed)
    views = [generator.dirichlet(np.ones(n_classes), n_rows) for _ in range(2)]
    prior = generator.dirichlet(np.ones(n_classes))
    result = co_training_labels(views, prior, 10, 0.4, no_duplicates(n_rows))
    one, other = (predict_view(view, prior, 0.4) for view in views)
    assert (one.confident ^ other.confident)[result.rows].all()
    assert len(result.rows) <= 10
    order = generator.permutation(n_rows)
    again = co_training_labels(
        [view[order] for view in views], prior, 10, 0.4, no_duplicates(n_rows)
    )
    np.testing.assert_array_equal(np.sort(order[again.rows]), result.rows)
