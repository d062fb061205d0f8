"""The relaxed normalized cut against dense decompositions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus.matrices.rows import as_documents
from isthmus.solvers.spectral.ncut import normalized_cut


def random_documents(n_rows, n_terms):
    generator = np.random.default_rng(n_rows)
    X = generator.random((n_rows, n_terms)) * (generator.random((n_rows, n_terms)) < 0.2)
    X[:, 0] += 0.1  # no document is empty
    return sparse.csr_array(X), generator.standard_normal(n_terms)


def dense_cut(dense, n_parts):
    A = dense @ dense.T
    np.fill_diagonal(A, 0)
    scale = 1 / np.sqrt(A.sum(axis=1))
    values, vectors = np.linalg.eigh(scale[:, None] * A * scale)
    vectors = vectors[:, ::-1][:, :n_parts]
    return values[::-1][:n_parts], vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("shape", [(12, 30), (30, 12), (150, 260), (260, 150)])
def test_cut_equals_the_dense_cut(shape):
    X, start = random_documents(*shape)
    X = sparse.csr_array(X / np.sqrt(X.power(2).sum(axis=1))[:, None])
    values, coordinates = dense_cut(X.toarray(), 3)
    cut = normalized_cut(as_documents(X), 3, start)
    kept = len(cut.values)
    assert kept == np.count_nonzero(values > 1e-6)
    np.testing.assert_allclose(cut.values, values[:kept], atol=1e-8)
    # Eigenvectors are defined up to sign: compare inner products of the rows.
    coordinates = coordinates[:, :kept]
    coordinates /= np.linalg.norm(coordinates, axis=1, keepdims=True)
    np.testing.assert_allclose(
        cut.coordinates @ cut.coordinates.T, coordinates @ coordinates.T, atol=1e-6
    )


def test_nystrom_extension_of_new_documents():
    X, start = random_documents(40, 25)
    dense = X.toarray()
    new = np.random.default_rng(1).random(25)
    cut = normalized_cut(as_documents(X), 2, start)
    A = dense @ dense.T
    np.fill_diagonal(A, 0)
    degrees = A.sum(axis=1)
    # The rows of cut.coordinates are scaled, so compute the eigenvectors again.
    scaled = A / np.sqrt(np.outer(degrees, degrees))
    values, vectors = np.linalg.eigh(scaled)
    vectors = vectors[:, ::-1][:, :2]
    expected = (dense @ new) / np.sqrt(degrees) @ vectors / values[::-1][:2]
    np.testing.assert_allclose(np.abs(new @ cut.projection), np.abs(expected), rtol=1e-6)


def test_isolated_documents_have_no_coordinates():
    X = np.zeros((6, 5))
    X[:4, :3] = np.random.default_rng(0).random((4, 3)) + 0.1
    X[4, 4] = 1.0  # a term of its own; the last document is empty
    cut = normalized_cut(as_documents(X), 2, np.ones(5))
    assert not cut.coordinates[4:].any()
    np.testing.assert_allclose(np.linalg.norm(cut.coordinates[:4], axis=1), 1)
    isolated = normalized_cut(as_documents(np.eye(3)), 2, np.ones(3))
    assert not isolated.coordinates.any()
