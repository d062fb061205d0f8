"""What one view knows and the other does not."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from isthmus.solvers.self_training._co_training import expansion, lessons, stance

HALF = np.array([0.5, 0.5])


def memberships(second):
    second = np.asarray(second, np.float64)
    return np.column_stack([1 - second, second])


def alone(n_rows):
    return np.arange(n_rows)


def test_a_view_is_confident_about_a_share_of_every_class():
    found = stance(memberships([0.9, 0.8, 0.7, 0.6, 0.4, 0.1]), None, 0.5)
    assert found.labels.tolist() == [1, 1, 1, 1, 0, 0]
    assert found.confident.tolist() == [True, True, False, False, False, True]
    np.testing.assert_allclose(found.margins[0], np.log(9))


def test_labels_are_held_to_the_shares():
    found = stance(memberships([0.9, 0.8, 0.7, 0.6, 0.4, 0.1]), HALF, 0.34)
    assert found.labels.tolist() == [1, 1, 1, 0, 0, 0]
    assert found.confident.tolist() == [True, False, False, False, False, True]


def test_a_row_of_zeros_is_nobody():
    values = memberships([0.9, 0.8, 0.1, 0.2])
    values[1] = 0
    found = stance(values, HALF, 1.0)
    assert found.confident.tolist() == [True, False, True, True]
    assert found.labels[1] == -1


def test_expansion_by_hand():
    first = np.array([1, 1, 1, 0, 0, 0, 0, 0], bool)
    second = np.array([1, 0, 0, 1, 0, 0, 0, 0], bool)
    # One view alone: 3 of 8; both: 1; neither: 4.
    assert expansion(first, second) == 3.0
    assert expansion(first, first) == 0.0
    assert expansion(first, ~first) == np.inf
    assert expansion(first[:0], first[:0]) == 0.0


def test_lessons_by_hand():
    first = memberships([0.99, 0.6, 0.55, 0.02, 0.45, 0.4])
    second = memberships([0.98, 0.57, 0.9, 0.03, 0.3, 0.48])
    # Confident: the first about 0 and 1, 3 and 5; the second about 0 and 2, 3 and 4.
    found = lessons([first, second], HALF, 6, 0.67, alone(6))
    assert found.rows.tolist() == [1, 2, 4, 5]
    assert found.labels.tolist() == [1, 1, 0, 0]
    assert found.expansion == np.inf  # none about which neither is confident
    # The most certain of each class: 2 by the second view, 4 by the second as well.
    assert lessons([first, second], HALF, 2, 0.67, alone(6)).rows.tolist() == [2, 4]


def test_the_view_that_is_confident_says_the_class():
    first = memberships([0.99, 0.1, 0.51, 0.48])
    second = memberships([0.49, 0.1, 0.9, 0.2])
    # The first is confident about 0 and 1, the second, which doubts the class of 0, about 1 to 3.
    found = lessons([first, second], None, 4, 0.5, alone(4))
    assert found.rows.tolist() == [0, 2, 3]
    assert found.labels.tolist() == [1, 1, 0]


def test_classes_get_their_shares():
    generator = np.random.default_rng(0)
    views = [memberships(generator.random(400)) for _ in range(2)]
    found = lessons(views, np.array([0.75, 0.25]), 40, 0.5, alone(400))
    assert np.bincount(found.labels).tolist() == [30, 10]
    free = lessons(views, None, 40, 0.5, alone(400))
    assert len(free.rows) == 40


def test_three_classes():
    generator = np.random.default_rng(1)
    views = [generator.dirichlet(np.ones(3), 300) for _ in range(2)]
    found = lessons(views, np.array([0.5, 0.3, 0.2]), 30, 0.5, alone(300))
    assert np.bincount(found.labels).tolist() == [15, 9, 6]


def test_copies_take_one_place_and_come_together():
    generator = np.random.default_rng(2)
    views = [memberships(generator.random(60)) for _ in range(2)]
    once = lessons(views, HALF, 10, 0.5, alone(60))
    copies = np.concatenate([np.arange(60), np.full(25, once.rows[0])])
    many = lessons([view[copies] for view in views], HALF, 10, 0.5, copies)
    assert sorted(set(copies[many.rows].tolist())) == once.rows.tolist()
    assert np.count_nonzero(copies[many.rows] == once.rows[0]) == 26


def test_equal_documents_come_along():
    first = memberships([0.9, 0.9, 0.9, 0.1, 0.1, 0.1])
    second = memberships([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    found = lessons([first, second], HALF, 2, 1 / 3, alone(6))
    # All of a class tie, so both views are confident about all: nothing is left to teach.
    assert len(found.rows) == 0
    assert found.expansion == 0.0


def test_without_documents_there_is_no_lesson():
    nothing = np.zeros((3, 2))
    found = lessons([nothing, nothing], HALF, 2, 0.5, alone(3))
    assert len(found.rows) == 0
    empty = lessons([nothing[:0], nothing[:0]], HALF, 2, 0.5, alone(0))
    assert len(empty.rows) == 0


@given(seed=st.integers(0, 10**6), n_rows=st.integers(1, 40), n_classes=st.integers(2, 4))
@settings(max_examples=60, deadline=None)
def test_exactly_one_view_is_confident_and_no_order_matters(seed, n_rows, n_classes):
    generator = np.random.default_rng(seed)
    views = [generator.dirichlet(np.ones(n_classes), n_rows) for _ in range(2)]
    shares = generator.dirichlet(np.ones(n_classes))
    found = lessons(views, shares, 10, 0.4, alone(n_rows))
    one, other = (stance(view, shares, 0.4) for view in views)
    assert (one.confident ^ other.confident)[found.rows].all()
    assert len(found.rows) <= 10
    order = generator.permutation(n_rows)
    again = lessons([view[order] for view in views], shares, 10, 0.4, alone(n_rows))
    np.testing.assert_array_equal(np.sort(order[again.rows]), found.rows)
