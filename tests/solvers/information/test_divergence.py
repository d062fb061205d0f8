"""Tables of words and classes, and k-d splits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.solvers.information._divergence import (
    argmax_or_current,
    log_class_probabilities,
    log_word_probabilities,
    mutual_information,
    smoothed,
)
from isthmus.solvers.information.cocc import kd_split


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


def test_smoothing_adds_a_document_to_every_class():
    table = np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    result = smoothed(table, 0.5)
    np.testing.assert_allclose(result, [[0.75 + 0.375, 0.375], [0.125, 0.25 + 0.125], [0, 0]])
    np.testing.assert_array_equal(smoothed(0 * table, 0.5), 0 * table)


def test_conditional_distributions_of_a_row_of_zeros():
    table = np.array([[3.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    words, classes = np.exp(log_word_probabilities(table)), np.exp(log_class_probabilities(table))
    np.testing.assert_allclose(words, [[0.75, 0.5], [0.25, 0.5], [1, 1]])
    np.testing.assert_allclose(classes, [[0.75, 0.25], [0.5, 0.5], [4 / 6, 2 / 6]])


@pytest.mark.parametrize(
    ("n_groups", "expected"),
    [(1, [0, 0, 0, 0]), (2, [0, 0, 1, 1]), (3, [0, 2, 1, 1]), (9, [0, 2, 1, 3])],
)
def test_splits_at_the_mean_of_the_widest_group(n_groups, expected):
    points = np.array([[0.0, 0.0], [3.0, 0.0], [10.0, 0.1], [11.0, 0.0]])
    assert kd_split(points, np.ones((4, 2)), n_groups).tolist() == expected


def test_equal_points_are_not_split_and_zero_weights_are_ignored():
    points = np.array([[1.0], [1.0], [2.0], [50.0]])
    weights = np.array([[1.0], [1.0], [1.0], [0.0]])
    groups = kd_split(points, weights, 4)
    assert groups[0] == groups[1]
    assert groups[0] != groups[2]
    assert kd_split(points[:2], weights[:2], 4).tolist() == [0, 0]
    assert kd_split(points[:0], weights[:0], 4).tolist() == []


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_splits_do_not_depend_on_the_order_of_points(seed, n_groups):
    generator = np.random.default_rng(seed)
    points, weights = generator.random((15, 3)), generator.random((15, 3))
    order = generator.permutation(15)
    groups = kd_split(points, weights, n_groups)
    assert len(set(groups.tolist())) == n_groups
    np.testing.assert_array_equal(kd_split(points[order], weights[order], n_groups), groups[order])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gains_within_rounding_errors_keep_the_current_class(dtype):
    eps = np.finfo(dtype).eps
    gains = np.array([[-8, -8 + 16 * eps, -9], [-8, -8 + 1e4 * eps, -9], [0, 0, 0]], dtype)
    assert argmax_or_current(gains, np.array([0, 0, 2])).tolist() == [0, 1, 2]
    assert argmax_or_current(gains[:, :2], np.array([1, 1, 1])).tolist() == [1, 1, 1]
