"""CORAL's alignment of covariances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isthmus.solvers.reweighting.coral import align, matrix_power, moments


def covariance(rows):
    return np.cov(rows.T, bias=True).reshape(rows.shape[1], rows.shape[1])


def take_rows(seed, n_rows=60, n_columns=3):
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


def test_one_dimension_is_a_scaling_of_the_spread():
    source, target = np.array([[0.0], [2.0]]), np.array([[10.0], [16.0]])
    found = align([source, target], [False, True], 1e-12)
    np.testing.assert_allclose(found.means, [[1], [13]])
    np.testing.assert_allclose(found.maps[0], [[3.0]])
    np.testing.assert_allclose(found.maps[1], [[1.0]])


@given(st.integers(0, 2**20), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_the_aligned_source_has_the_target_covariance(seed, n_columns):
    source, target = take_rows(seed, 60, n_columns), take_rows(seed + 1, 40, n_columns)
    found = align([source, target], [False, True], 1e-12)
    aligned = (source - found.means[0]) @ found.maps[0]
    wanted = covariance(target)
    np.testing.assert_allclose(covariance(aligned), wanted, atol=1e-4 * np.trace(wanted))
    np.testing.assert_allclose(aligned.mean(axis=0), 0, atol=1e-9 + 1e-9 * np.abs(aligned).max())


def test_with_the_ridge_sums_are_aligned():
    source, target = take_rows(0), take_rows(1)
    found = align([source, target], [False, True], 0.5)
    e = 0.5 * (covariance(source) + covariance(target)).trace() / 2 / 3  # as many rows in both
    both = [covariance(rows) + e * np.eye(3) for rows in (source, target)]
    np.testing.assert_allclose(found.maps[0].T @ both[0] @ found.maps[0], both[1], atol=1e-9)


def test_a_large_ridge_leaves_the_source_alone():
    found = align([take_rows(0), take_rows(1)], [False, True], 1e9)
    np.testing.assert_allclose(found.maps[0], np.eye(3), atol=1e-6)


def test_domains_that_are_alike_stay_as_they_are():
    rows = take_rows(0)
    found = align([rows, rows + 5.0], [False, True], 0.1)
    np.testing.assert_allclose(found.maps[0], np.eye(3), atol=1e-9)


def test_every_source_is_aligned_by_itself_with_all_targets():
    first, second, third, fourth = (take_rows(seed) for seed in range(4))
    found = align([first, second, third, fourth], [False, False, True, True], 1e-9)
    wanted = (covariance(third) + covariance(fourth)) / 2  # each around its own mean
    for rows, mean, map_ in zip((first, second), found.means, found.maps, strict=False):
        np.testing.assert_allclose(covariance((rows - mean) @ map_), wanted, atol=1e-4)


@pytest.mark.parametrize("n_target", [0, 1])
@pytest.mark.parametrize("n_source", [1, 5])
def test_too_few_documents_give_numbers(n_source, n_target):
    parts = [take_rows(0, n_source), take_rows(1, n_target)]
    found = align(parts, [False, True], 1.0)
    assert all(np.isfinite(map_).all() for map_ in found.maps)
    if n_source == 1:  # nothing to align
        np.testing.assert_allclose(found.maps[0], np.eye(3), atol=1e-9)
