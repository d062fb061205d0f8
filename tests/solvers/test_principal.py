"""Leading directions and normalised cuts against whole decompositions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus.matrices.conversion import as_documents
from isthmus.numerics.principal import principal_directions
from isthmus.solvers.spectral.ncut import normalized_cut


def random_documents(n_rows, n_terms, dtype="float64"):
    generator = np.random.default_rng(n_rows)
    X = generator.random((n_rows, n_terms)) * (generator.random((n_rows, n_terms)) < 0.2)
    X[:, 0] += 0.1  # no document is empty
    return sparse.csr_array(X.astype(dtype)), generator.standard_normal(n_terms)


SHAPES = pytest.mark.parametrize("shape", [(12, 30), (30, 12), (150, 260), (260, 150)])


@SHAPES
@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_directions_are_those_of_the_whole_decomposition(shape, centred, dtype):
    X, start = random_documents(*shape, dtype)
    dense = X.toarray().astype(float)
    dense -= dense.mean(axis=0) if centred else 0
    _, values, directions = np.linalg.svd(dense, full_matrices=False)
    found = principal_directions(as_documents(X), 4, start, centred=centred)
    close = 1e-7 if dtype == "float64" else 2e-3
    np.testing.assert_allclose(found.squares, values[:4] ** 2, rtol=close)
    assert found.total == pytest.approx(np.sum(values**2), rel=1e-5)
    cosines = np.abs(np.sum(found.directions * directions[:4].T, axis=0))
    np.testing.assert_allclose(cosines, 1, atol=close)
    np.testing.assert_allclose(found.directions.T @ found.directions, np.eye(4), atol=close)


def test_no_more_directions_than_there_are():
    X = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 0.0])
    one = principal_directions(as_documents(X), 3, np.ones(4))
    assert one.directions.shape == (4, 1)
    np.testing.assert_allclose(one.squares, [np.sum(X**2)])
    none = principal_directions(as_documents(np.ones((3, 4))), 2, np.arange(4.0), centred=True)
    assert (none.total, none.squares.tolist()) == (0, [0])
    np.testing.assert_array_equal(none.mean, np.ones(4))


def whole_cut(dense, n_parts):
    A = dense @ dense.T
    np.fill_diagonal(A, 0)
    scale = 1 / np.sqrt(A.sum(axis=1))
    values, vectors = np.linalg.eigh(scale[:, None] * A * scale)
    vectors = vectors[:, ::-1][:, :n_parts]
    return values[::-1][:n_parts], vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@SHAPES
def test_cut_is_that_of_the_whole_graph(shape):
    X, start = random_documents(*shape)
    X = sparse.csr_array(X / np.sqrt(X.power(2).sum(axis=1))[:, None])
    values, coordinates = whole_cut(X.toarray(), 3)
    cut = normalized_cut(as_documents(X), 3, start)
    kept = len(cut.values)
    assert kept == np.count_nonzero(values > 1e-6)
    np.testing.assert_allclose(cut.values, values[:kept], atol=1e-8)
    # Signs are free: compare the inner products of the rows.
    coordinates = coordinates[:, :kept]
    coordinates /= np.linalg.norm(coordinates, axis=1, keepdims=True)
    np.testing.assert_allclose(
        cut.coordinates @ cut.coordinates.T, coordinates @ coordinates.T, atol=1e-6
    )


def test_new_documents_by_nystroms_extension():
    X, start = random_documents(40, 25)
    dense = X.toarray()
    new = np.random.default_rng(1).random(25)
    cut = normalized_cut(as_documents(X), 2, start)
    A = dense @ dense.T
    np.fill_diagonal(A, 0)
    degrees = A.sum(axis=1)
    # The eigenvectors again, from the operator and the value: rows of them were scaled.
    scaled = A / np.sqrt(np.outer(degrees, degrees))
    values, vectors = np.linalg.eigh(scaled)
    vectors = vectors[:, ::-1][:, :2]
    expected = (dense @ new) / np.sqrt(degrees) @ vectors / values[::-1][:2]
    np.testing.assert_allclose(np.abs(new @ cut.projection), np.abs(expected), rtol=1e-6)


def test_documents_without_company_have_no_coordinates():
    X = np.zeros((6, 5))
    X[:4, :3] = np.random.default_rng(0).random((4, 3)) + 0.1
    X[4, 4] = 1.0  # a term that nobody else has; the last document is empty
    cut = normalized_cut(as_documents(X), 2, np.ones(5))
    assert not cut.coordinates[4:].any()
    np.testing.assert_allclose(np.linalg.norm(cut.coordinates[:4], axis=1), 1)
    alone = normalized_cut(as_documents(np.eye(3)), 2, np.ones(3))
    assert not alone.coordinates.any()
