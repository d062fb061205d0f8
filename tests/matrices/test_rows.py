"""Rows of matrices: checks of values in parallel, unit norm, groups of identical rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import isthmus.matrices.threads as threads
from isthmus.matrices.rows import (
    duplicate_groups,
    is_finite,
    is_signed,
    unit_rows_of,
    with_unit_rows,
)

ROWS = np.array(
    [[1, 0, 2], [0, 0, 0], [1, 0, 2], [0, 0, 0], [1, 2, 0], [2, 0, 4], [1, 0, 2]], float
)


@pytest.fixture(autouse=True)
def many_parts(monkeypatch):
    monkeypatch.setattr(threads, "_WORK_PER_CHUNK", 4)


@pytest.mark.parametrize("as_stored", [np.asarray, sparse.csr_array, sparse.coo_array])
@pytest.mark.parametrize("value", [1.0, -1.0, np.nan, np.inf, -np.inf])
def test_one_value_among_many(as_stored, value):
    X = np.ones((20, 5))
    X[17, 2] = value
    assert is_finite(as_stored(X)) == np.isfinite(value)
    if not np.isnan(value):
        assert is_signed(as_stored(X)) == (value < 0)


def test_infinities_of_both_signs():
    X = np.ones((20, 5))
    X[0, 0], X[0, 1] = np.inf, -np.inf
    assert not is_finite(X)


@pytest.mark.parametrize("X", [np.zeros((0, 3)), sparse.csr_array((4, 3))])
def test_nothing_stored(X):
    assert is_finite(X)
    assert not is_signed(X)


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("container", [sparse.csr_array, np.asarray])
def test_some_rows_with_unit_norm(container, copied):
    X = container(np.random.default_rng(0).random((8, 5)) * 3)
    for rows in ([2, 3, 4], [0, 5, 7], []):
        rows = np.array(rows, np.intp)
        part = unit_rows_of(X, rows, copied=copied)
        expected = with_unit_rows(X[rows])
        if container is sparse.csr_array:
            part, expected = part.toarray(), expected.toarray()
        np.testing.assert_array_equal(part, expected)
    unit = with_unit_rows(X)
    part = unit_rows_of(unit, np.arange(2, 6), copied=copied)
    values = part.data if container is sparse.csr_array else part
    whole = unit.data if container is sparse.csr_array else unit
    assert np.shares_memory(values, whole) is not copied


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_identical_rows_form_groups_and_empty_rows_do_not(make):
    numbers = duplicate_groups(make(ROWS)).tolist()
    assert numbers[0] == numbers[2] == numbers[6]
    assert len(set(numbers)) == 5


def test_stored_zeros_are_ignored():
    X = sparse.csr_matrix(([1.0, 0.0, 1.0], [0, 1, 0], [0, 2, 3]), shape=(2, 2))
    assert duplicate_groups(X).tolist() == [0, 0]
