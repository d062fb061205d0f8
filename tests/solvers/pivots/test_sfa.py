"""The singular vectors of SFA, compared with the eigenvectors of the whole graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import isthmus.solvers.pivots.sfa as module
from common import examples
from isthmus.matrices.rows import as_documents
from isthmus.numerics.derived_documents import StackedDocuments
from isthmus.solvers.pivots.sfa import cooccurrences, spectral_alignment


def documents(X, cut=None):
    X = sparse.csr_matrix(X)
    blocks = [X] if cut is None else [X[:cut], X[cut:]]
    return StackedDocuments([as_documents(block) for block in blocks])


def random_documents(n_rows, n_terms, seed=0, dtype=np.float64):
    generator = np.random.default_rng(seed)
    full = generator.random((n_rows, n_terms)) < 0.4
    return (generator.random((n_rows, n_terms)) * full).astype(dtype)


def graph(X, pivots):
    """The matrix of the paper: other terms first, then the pivots."""
    others = np.setdiff1d(np.arange(X.shape[1]), pivots)
    M = X[:, others].T @ X[:, pivots]
    zeros = np.zeros
    A = np.block([[zeros((len(M),) * 2), M], [M.T, zeros((len(pivots),) * 2)]])
    root = np.sqrt(A.sum(axis=1))
    return others, A / np.outer(root, root)


@pytest.mark.parametrize("cut", [None, 13])
@pytest.mark.parametrize(("block", "rows"), [(64, 8192), (2, 3)], ids=["whole", "in parts"])
def test_the_eigenvectors_of_the_bipartite_graph(cut, block, rows, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", block)
    monkeypatch.setattr(module, "_ROWS", rows)
    X, pivots = random_documents(40, 12), np.array([7, 0, 3, 10, 4])
    others, L = graph(X, pivots)
    values, vectors = np.linalg.eigh(L)
    np.testing.assert_allclose(values[-1], 1)  # this one is left out
    result = spectral_alignment(documents(X, cut), pivots, 3)
    np.testing.assert_allclose(result.singular_values, values[-2:-5:-1], rtol=1e-10)
    assert result.terms.shape == (12, 3)
    np.testing.assert_array_equal(result.terms[pivots], 0)
    both = np.vstack([result.terms[others], result.pivots]) / np.sqrt(2)
    for column, vector in zip(both.T, vectors.T[-2:-5:-1], strict=True):
        np.testing.assert_allclose(column * np.sign(column @ vector), vector, atol=1e-10)
    largest = np.abs(result.pivots).argmax(axis=0)
    assert (result.pivots[largest, np.arange(3)] > 0).all()


def test_two_components_of_the_graph_are_separated():
    """Both have the eigenvalue 1; only the first vector is trivial."""
    X = np.array([[1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], [0, 0, 0, 1, 1, 0], [0, 0, 0, 1, 0, 1.0]])
    result = spectral_alignment(documents(X), np.array([0, 3]), 5)
    np.testing.assert_allclose(result.singular_values, [1.0])
    np.testing.assert_allclose(np.abs(result.terms[:, 0]), [0, 0.5, 0.5, 0, 0.5, 0.5])
    signs = np.sign(result.terms[[1, 2, 4, 5], 0])
    assert signs[0] == signs[1] == -signs[2] == -signs[3]


@pytest.mark.parametrize(
    ("X", "pivots"),
    [
        (np.zeros((3, 4)), [1, 2]),
        (np.ones((3, 2)), [0, 1]),
        (np.eye(4), [0, 1]),
        (np.ones((3, 4)), [2]),
    ],
    ids=["empty documents", "pivots only", "no co-occurrence", "one pivot"],
)
def test_without_cooccurrences_there_is_one_column_of_zeros(X, pivots):
    result = spectral_alignment(documents(X), np.array(pivots), 10)
    np.testing.assert_array_equal(result.terms, np.zeros((X.shape[1], 1)))
    np.testing.assert_array_equal(result.singular_values, [0.0])


def test_degrees_of_signed_values_are_sums_of_absolute_values():
    X, pivots = np.random.default_rng(3).standard_normal((30, 9)), np.array([1, 5, 6])
    others = np.setdiff1d(np.arange(9), pivots)
    M = X[:, others].T @ X[:, pivots]
    left, right = np.abs(M).sum(axis=1) ** -0.5, np.abs(M).sum(axis=0) ** -0.5
    U, s, _ = np.linalg.svd(left[:, None] * M * right, full_matrices=False)
    result = spectral_alignment(documents(X), pivots, 9)
    np.testing.assert_allclose(result.singular_values, s, rtol=1e-10)
    np.testing.assert_allclose(np.abs(U.T @ result.terms[others]), np.eye(3), atol=1e-9)


def test_float32_agrees_with_float64():
    X, pivots = random_documents(60, 20), np.arange(8)
    single = spectral_alignment(documents(X.astype(np.float32)), pivots, 4)
    double = spectral_alignment(documents(X), pivots, 4)
    assert single.terms.dtype == np.float32
    np.testing.assert_allclose(single.singular_values, double.singular_values, atol=1e-6)
    np.testing.assert_allclose(single.terms, double.terms, atol=1e-4)


@examples(100)
@given(st.integers(0, 2**20), st.integers(1, 12), st.integers(2, 10), st.integers(1, 5), st.data())
def test_properties_of_singular_vectors(seed, n_rows, n_terms, n_components, data):
    X = random_documents(n_rows, n_terms, seed)
    n_pivots = data.draw(st.integers(1, n_terms))
    pivots = np.random.default_rng(seed).permutation(n_terms)[:n_pivots]
    np.testing.assert_allclose(cooccurrences(documents(X), pivots), X.T @ X[:, pivots], atol=1e-12)
    result = spectral_alignment(documents(X), pivots, n_components)
    U, V, s = result.terms, result.pivots, result.singular_values
    assert np.isfinite(U).all()
    assert (np.diff(s) <= 1e-12).all()
    assert 0 <= s.min() <= s.max() <= 1 + 1e-10
    assert len(s) <= max(1, min(n_components, n_pivots))
    if s[0] > 0:
        np.testing.assert_allclose(U.T @ U, np.eye(len(s)), atol=1e-6)
        np.testing.assert_allclose(V.T @ V, np.eye(len(s)), atol=1e-10)
    # A common factor of all documents changes nothing.
    doubled = spectral_alignment(documents(2 * X), pivots, n_components)
    np.testing.assert_allclose(doubled.singular_values, s, atol=1e-8)
