"""The alignment of covariances by CORAL."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import examples
from isthmus.solvers.reweighting.coral import align, matrix_power, moments


def covariance(rows):
    return np.cov(rows.T, bias=True).reshape(rows.shape[1], rows.shape[1])


def random_rows(seed, n_rows=60, n_columns=3):
    generator = np.random.default_rng(seed)
    mixing = generator.normal(size=(n_columns, n_columns))
    return generator.normal(size=(n_rows, n_columns)) @ mixing + generator.normal(size=n_columns)


def test_powers_of_a_matrix():
    matrix = np.array([[2.0, 1.0], [1.0, 2.0]])  # eigenvalues 3 and 1
    np.testing.assert_allclose(matrix_power(matrix, -1.0), np.linalg.inv(matrix))
    root = matrix_power(matrix, 0.5)
    large, small = (3**0.5 + 1) / 2, (3**0.5 - 1) / 2
    np.testing.assert_allclose(root, [[large, small], [small, large]])
    np.testing.assert_allclose(root @ root, matrix)


def test_moments_by_hand():
    mean, squares = moments(np.array([[0.0, 1.0], [2.0, 1.0]]))
    np.testing.assert_allclose(mean, [1, 1])
    np.testing.assert_allclose(squares, [[2, 0], [0, 0]])


def test_one_dimension_is_a_scaling():
    source, target = np.array([[0.0], [2.0]]), np.array([[10.0], [16.0]])
    alignment = align([source, target], [False, True], 1e-12)
    np.testing.assert_allclose(alignment.means, [[1], [13]])
    np.testing.assert_allclose(alignment.maps[0], [[3.0]])
    np.testing.assert_allclose(alignment.maps[1], [[1.0]])


@given(st.integers(0, 2**20), st.integers(1, 4))
@examples(40)
def test_the_aligned_source_has_the_target_covariance(seed, n_columns):
    source, target = random_rows(seed, 60, n_columns), random_rows(seed + 1, 40, n_columns)
    alignment = align([source, target], [False, True], 1e-12)
    aligned = (source - alignment.means[0]) @ alignment.maps[0]
    expected = covariance(target)
    np.testing.assert_allclose(covariance(aligned), expected, atol=1e-4 * np.trace(expected))
    np.testing.assert_allclose(aligned.mean(axis=0), 0, atol=1e-9 + 1e-9 * np.abs(aligned).max())


def test_ridge_is_added_to_both_covariances():
    source, target = random_rows(0), random_rows(1)
    alignment = align([source, target], [False, True], 0.5)
    e = (
        0.5 * (covariance(source) + covariance(target)).trace() / 2 / 3
    )  # both have the same number of rows
    both = [covariance(rows) + e * np.eye(3) for rows in (source, target)]
    np.testing.assert_allclose(
        alignment.maps[0].T @ both[0] @ alignment.maps[0], both[1], atol=1e-9
    )


def test_a_large_ridge_leaves_the_source_unchanged():
    alignment = align([random_rows(0), random_rows(1)], [False, True], 1e9)
    np.testing.assert_allclose(alignment.maps[0], np.eye(3), atol=1e-6)


def test_equal_covariances_give_the_identity():
    rows = random_rows(0)
    alignment = align([rows, rows + 5.0], [False, True], 0.1)
    np.testing.assert_allclose(alignment.maps[0], np.eye(3), atol=1e-9)


def test_every_source_is_aligned_separately_with_all_targets():
    first, second, third, fourth = (random_rows(seed) for seed in range(4))
    alignment = align([first, second, third, fourth], [False, False, True, True], 1e-9)
    expected = (covariance(third) + covariance(fourth)) / 2  # each around its own mean
    for rows, mean, map_ in zip((first, second), alignment.means, alignment.maps, strict=False):
        np.testing.assert_allclose(covariance((rows - mean) @ map_), expected, atol=1e-4)


@pytest.mark.parametrize("n_target", [0, 1])
@pytest.mark.parametrize("n_source", [1, 5])
def test_too_few_documents_give_finite_maps(n_source, n_target):
    parts = [random_rows(0, n_source), random_rows(1, n_target)]
    alignment = align(parts, [False, True], 1.0)
    assert all(np.isfinite(map_).all() for map_ in alignment.maps)
    if n_source == 1:  # nothing to align
        np.testing.assert_allclose(alignment.maps[0], np.eye(3), atol=1e-9)
