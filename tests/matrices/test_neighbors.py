"""Nearest rows, against a search of all rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import isthmus.matrices.neighbors as module
from common import examples
from isthmus.matrices import threads
from isthmus.matrices.neighbors import nearest_rows, nearest_rows_by_kind


def documents(seed, n_rows=25, n_terms=12, *, signed=False):
    generator = np.random.default_rng(seed)
    X = generator.poisson(0.5, (n_rows, n_terms)) * generator.random((n_rows, n_terms))
    if signed:
        X *= generator.choice([-1, 1], X.shape)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norms > 0, norms, 1)


def expected(X, k, negative):
    """Return neighbors and similarities by sorting all similarities of every row."""
    similar = X @ X.T
    ranks = np.rint(similar * 2**20)
    rows, values = np.full((len(X), k), -1), np.zeros((len(X), k))
    for i in range(len(X)):
        others = [j for j in range(len(X)) if j != i and (negative or ranks[i, j] >= 11)]
        others.sort(key=lambda j: (-ranks[i, j], j))
        for rank, j in enumerate(others[:k]):
            rows[i, rank], values[i, rank] = j, similar[i, j]
    return rows, values


@pytest.mark.parametrize("compile_setting", ["always", "never"])
@pytest.mark.parametrize(
    ("real", "index", "is_narrowed"),
    [
        ("float32", "int32", True),
        ("float64", "int32", True),
        ("float64", "int64", True),
        ("float32", "int64", False),  # as if it had too many columns for 32 bits
    ],
)
def test_both_versions(monkeypatch, compile_setting, real, index, is_narrowed):
    monkeypatch.setenv("ISTHMUS_COMPILE", compile_setting)
    if not is_narrowed:
        monkeypatch.setattr(module, "with_narrow_indices", lambda X: X)
    dense = documents(0)
    dense[3] = dense[7]  # a duplicate, with equal similarities to all others
    dense[5] = 0
    X = sparse.csr_matrix(dense.astype(real))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    neighbors = nearest_rows(X, 4)
    rows, values = expected(dense, 4, negative=False)
    np.testing.assert_array_equal(neighbors.rows, rows)
    np.testing.assert_allclose(neighbors.similarities, values, atol=1e-6)
    assert neighbors.similarities.dtype == real
    assert (neighbors.rows[5] == -1).all()


@given(st.integers(0, 10_000), st.integers(1, 30), st.booleans())
@examples(40)
def test_sparse_and_dense(seed, k, signed):
    X = documents(seed, signed=signed)
    rows, _ = expected(X, min(k, len(X) - 1), negative=signed)
    for container in (X, sparse.csr_array(X)):
        np.testing.assert_array_equal(nearest_rows(container, k, negative=signed).rows, rows)


@pytest.mark.parametrize("compile_setting", ["always", "never"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("n_across", [2, 50])
def test_neighbors_of_the_other_kind(monkeypatch, compile_setting, container, n_across):
    monkeypatch.setenv("ISTHMUS_COMPILE", compile_setting)
    X = documents(4)
    X[9] = X[2]  # an identical row of the other kind is a neighbor
    kinds = np.arange(25) >= 8
    near, across = nearest_rows_by_kind(container(X), 4, kinds, n_across)
    np.testing.assert_array_equal(near.rows, expected(X, 4, negative=False)[0])
    similar = X @ X.T
    assert across.rows.shape == (25, min(n_across, 17))
    assert across.rows[2, 0] == 9
    for i in range(25):
        others = [j for j in range(25) if kinds[j] != kinds[i] and similar[i, j] > 1e-5]
        others.sort(key=lambda j: (-np.rint(similar[i, j] * 2**20), j))
        found = across.rows[i][across.rows[i] >= 0]
        np.testing.assert_array_equal(found, others[:n_across])
        np.testing.assert_allclose(across.similarities[i, : len(found)], similar[i, found])


def test_tiles_and_dense_columns_change_nothing(monkeypatch):
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    X = sparse.csr_array(documents(3, n_rows=90).astype(np.float32))
    kinds = np.arange(90) % 3 == 0
    results = []
    for tile, rows_per_entry in ((4096, 8), (4096, 1), (32, 1), (17, 3), (17, 10**6)):
        monkeypatch.setattr(module, "_TILE", tile)
        monkeypatch.setattr(module, "_ROWS_PER_ENTRY", rows_per_entry)
        pair = nearest_rows_by_kind(X, 5, kinds, 3)
        results.append([array for part in pair for array in (part.rows, part.similarities)])
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


def test_the_number_of_threads_has_no_influence(monkeypatch):
    monkeypatch.setattr(threads, "_WORK_PER_CHUNK", 50)
    X = sparse.csr_array(documents(1))
    results = []
    for limit in (1, 4):
        monkeypatch.setattr("isthmus.matrices.threads.thread_limit", lambda n=limit: n)
        results.append(nearest_rows(X, 5))
    np.testing.assert_array_equal(results[0].rows, results[1].rows)
    np.testing.assert_array_equal(results[0].similarities, results[1].similarities)


def test_a_single_row_has_no_neighbor():
    for X in (np.ones((1, 1)), sparse.csr_array(np.ones((1, 1)))):
        np.testing.assert_array_equal(nearest_rows(X, 3).rows, [[-1]])
