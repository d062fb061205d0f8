"""Word tables and axis cuts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.solvers.information._divergence import (
    largest_or_same,
    log_class_shares,
    log_word_shares,
    mutual_information,
    with_background,
)
from isthmus.solvers.information._kd_split import axis_cuts


def random_table(seed):
    generator = np.random.default_rng(seed)
    shape = tuple(generator.integers(1, 6, 2))
    return generator.random(shape) * (generator.random(shape) < 0.6)


@given(st.integers(0, 10**6))
def test_mutual_information_by_its_definition(seed):
    table = random_table(seed)
    expected = 0.0
    if table.any():
        p = table / table.sum()
        for i, j in np.argwhere(p):
            expected += p[i, j] * np.log(p[i, j] / (p[i].sum() * p[:, j].sum()))
    assert mutual_information(table) == pytest.approx(expected, abs=1e-12)


def test_mutual_information_of_known_tables():
    assert mutual_information(np.eye(2)) == pytest.approx(np.log(2))
    assert mutual_information(np.ones((3, 2))) == pytest.approx(0)
    assert mutual_information(np.zeros((3, 2))) == 0


def test_the_background_is_a_document_of_every_class():
    table = np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    found = with_background(table, 0.5)
    np.testing.assert_allclose(found, [[0.75 + 0.375, 0.375], [0.125, 0.25 + 0.125], [0, 0]])
    np.testing.assert_array_equal(with_background(0 * table, 0.5), 0 * table)


def test_shares_of_what_nobody_has():
    table = np.array([[3.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    words, classes = np.exp(log_word_shares(table)), np.exp(log_class_shares(table))
    np.testing.assert_allclose(words, [[0.75, 0.5], [0.25, 0.5], [1, 1]])
    np.testing.assert_allclose(classes, [[0.75, 0.25], [0.5, 0.5], [4 / 6, 2 / 6]])


@pytest.mark.parametrize(
    ("n_groups", "expected"),
    [(1, [0, 0, 0, 0]), (2, [0, 0, 1, 1]), (3, [0, 2, 1, 1]), (9, [0, 2, 1, 3])],
)
def test_cuts_at_the_mean_of_the_widest(n_groups, expected):
    points = np.array([[0.0, 0.0], [3.0, 0.0], [10.0, 0.1], [11.0, 0.0]])
    assert axis_cuts(points, np.ones((4, 2)), n_groups).tolist() == expected


def test_points_that_coincide_are_not_cut_and_weightless_ones_do_not_count():
    points = np.array([[1.0], [1.0], [2.0], [50.0]])
    weights = np.array([[1.0], [1.0], [1.0], [0.0]])
    groups = axis_cuts(points, weights, 4)
    assert groups[0] == groups[1]
    assert groups[0] != groups[2]
    assert axis_cuts(points[:2], weights[:2], 4).tolist() == [0, 0]
    assert axis_cuts(points[:0], weights[:0], 4).tolist() == []


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_the_order_of_points_does_not_matter(seed, n_groups):
    generator = np.random.default_rng(seed)
    points, weights = generator.random((15, 3)), generator.random((15, 3))
    order = generator.permutation(15)
    groups = axis_cuts(points, weights, n_groups)
    assert len(set(groups.tolist())) == n_groups
    np.testing.assert_array_equal(axis_cuts(points[order], weights[order], n_groups), groups[order])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_whoever_gains_no_more_than_rounding_stays(dtype):
    eps = np.finfo(dtype).eps
    gains = np.array([[-8, -8 + 16 * eps, -9], [-8, -8 + 1e4 * eps, -9], [0, 0, 0]], dtype)
    assert largest_or_same(gains, np.array([0, 0, 2])).tolist() == [0, 1, 2]
    assert largest_or_same(gains[:, :2], np.array([1, 1, 1])).tolist() == [1, 1, 1]
