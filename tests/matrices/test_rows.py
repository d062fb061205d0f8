"""Checks of the values of a matrix, which run in parallel."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import isthmus.matrices.threads as chunks
from isthmus.matrices.rows import is_finite, is_signed


@pytest.fixture(autouse=True)
def many_parts(monkeypatch):
    monkeypatch.setattr(chunks, "_WORK_PER_CHUNK", 4)


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
