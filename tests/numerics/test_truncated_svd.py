"""Leading singular directions, centered or not, compared with dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import isthmus.numerics.truncated_svd as module
from isthmus.matrices.rows import as_documents
from isthmus.numerics.derived_documents import CenteredDocuments, StackedDocuments
from isthmus.numerics.truncated_svd import full_svd, principal_directions, truncated_svd


def documents(X, cut=None):
    X = sparse.csr_matrix(X)
    blocks = [X] if cut is None else [X[:cut], X[cut:]]
    return StackedDocuments([as_documents(block) for block in blocks])


def decaying(shape, rank, seed=0, dtype=np.float64):
    """A matrix with singular values that fall by 10 % each."""
    generator = np.random.default_rng(seed)
    left, right = (np.linalg.qr(generator.standard_normal((n, rank)))[0] for n in shape)
    return ((left * 10 * 0.9 ** np.arange(rank)) @ right.T).astype(dtype)


def assert_same(svd, X, rank, atol):
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    np.testing.assert_allclose(svd.singular_values, s[:rank], atol=atol)
    np.testing.assert_allclose(
        svd.coordinates @ svd.directions.T, (U[:, :rank] * s[:rank]) @ Vt[:rank], atol=atol
    )
    np.testing.assert_allclose(
        svd.directions.T @ svd.directions, np.eye(rank), atol=max(atol, 1e-10)
    )


@pytest.mark.parametrize("shape", [(90, 60), (60, 90)], ids=["tall", "wide"])
@pytest.mark.parametrize("krylov", [False, True])
def test_leading_directions(shape, krylov, monkeypatch):
    if krylov:
        monkeypatch.setattr(module, "_SHORT", 0)
    X = decaying(shape, 60)
    svd = truncated_svd(documents(X), 12, np.random.default_rng(0))
    assert_same(svd, X, 12, 1e-3 if krylov else 1e-10)


def test_a_larger_basis_is_more_accurate(monkeypatch):
    monkeypatch.setattr(module, "_SHORT", 0)
    monkeypatch.setattr(module, "_BASIS", 6.0)
    X = decaying((120, 100), 100)
    assert_same(truncated_svd(documents(X), 10, np.random.default_rng(0)), X, 10, 1e-6)


@pytest.mark.parametrize("krylov", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_at_most_as_many_directions_as_the_rank(krylov, dtype, monkeypatch):
    if krylov:
        monkeypatch.setattr(module, "_SHORT", 0)
    X = decaying((90, 80), 9, dtype=dtype)
    svd = truncated_svd(documents(X), 20, np.random.default_rng(0))
    assert svd.coordinates.dtype == dtype
    assert svd.singular_values.shape == (9,)
    assert_same(svd, X, 9, 1e-9 if dtype == "float64" else 1e-4)


def test_all_directions():
    X = decaying((40, 25), 25)
    assert_same(full_svd(documents(X)), X, 25, 1e-10)
    zero = full_svd(documents(np.zeros((4, 3))))
    assert zero.singular_values.tolist() == [0.0]


def test_the_order_of_the_documents_has_no_influence(monkeypatch):
    monkeypatch.setattr(module, "_SHORT", 0)
    X = decaying((90, 70), 60)
    order = np.random.default_rng(1).permutation(90)
    first, second = (
        truncated_svd(documents(rows), 10, np.random.default_rng(0)) for rows in (X, X[order])
    )
    # Singular vectors have no fixed sign.
    products = [svd.coordinates @ svd.directions.T for svd in (first, second)]
    np.testing.assert_allclose(products[1], products[0][order], atol=1e-8)


def test_centered_products():
    generator = np.random.default_rng(0)
    X = generator.random((30, 8)) * (generator.random((30, 8)) < 0.5)
    X[[3, 25]] = 0
    rows = CenteredDocuments(documents(X, cut=20))
    filled = X.any(axis=1)
    pooled = X[filled].mean(axis=0)
    dense = X.copy()
    for part in (slice(0, 20), slice(20, 30)):
        n = int(filled[part].sum())
        dense[part] -= filled[part, None] * (X[part].sum(axis=0) + 2 * pooled) / (n + 2)
    B, A = generator.standard_normal((8, 3)), generator.standard_normal((30, 3))
    np.testing.assert_allclose(rows.times(B), dense @ B)
    np.testing.assert_allclose(rows.transposed_times(A), dense.T @ A)
    np.testing.assert_allclose(rows.squared_norm(), (dense**2).sum())
    assert not rows.times(B)[[3, 25]].any()
    assert_same(full_svd(rows), dense, 8, 1e-10)


@pytest.mark.parametrize("rank", [1, 2, 5])
def test_few_directions_are_accurate(rank, monkeypatch):
    monkeypatch.setattr(module, "_SHORT", 0)
    generator = np.random.default_rng(0)
    # Topics with noise: the first singular values are large, the others decrease slowly.
    topics = generator.random((600, 5)) @ generator.random((5, 700))
    X = np.where(generator.random((600, 700)) < 0.1, topics, 0)
    svd = truncated_svd(documents(X), rank, np.random.default_rng(0))
    s = np.linalg.svd(X, compute_uv=False)[:rank]
    np.testing.assert_allclose(svd.singular_values, s, rtol=0.02)


def test_singular_values_of_a_random_matrix_are_close(monkeypatch):
    monkeypatch.setattr(module, "_SHORT", 0)
    X = sparse.random(900, 800, 0.02, random_state=0).toarray()
    svd = truncated_svd(documents(X), 10, np.random.default_rng(0))
    s = np.linalg.svd(X, compute_uv=False)[:10]
    assert (svd.singular_values <= s * (1 + 1e-9)).all()
    np.testing.assert_allclose(svd.singular_values, s, rtol=0.06)


def random_documents(n_rows, n_terms, dtype="float64"):
    generator = np.random.default_rng(n_rows)
    X = generator.random((n_rows, n_terms)) * (generator.random((n_rows, n_terms)) < 0.2)
    X[:, 0] += 0.1  # no document is empty
    return sparse.csr_array(X.astype(dtype)), generator.standard_normal(n_terms)


@pytest.mark.parametrize("shape", [(12, 30), (30, 12), (150, 260), (260, 150)])
@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_directions_equal_those_of_a_dense_decomposition(shape, centered, dtype):
    X, start = random_documents(*shape, dtype)
    dense = X.toarray().astype(float)
    dense -= dense.mean(axis=0) if centered else 0
    _, values, directions = np.linalg.svd(dense, full_matrices=False)
    principal = principal_directions(as_documents(X), 4, start, centered=centered)
    close = 1e-7 if dtype == "float64" else 2e-3
    np.testing.assert_allclose(principal.squares, values[:4] ** 2, rtol=close)
    assert principal.total == pytest.approx(np.sum(values**2), rel=1e-5)
    cosines = np.abs(np.sum(principal.directions * directions[:4].T, axis=0))
    np.testing.assert_allclose(cosines, 1, atol=close)
    np.testing.assert_allclose(principal.directions.T @ principal.directions, np.eye(4), atol=close)


def test_no_more_directions_than_the_rank():
    X = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 0.0])
    one = principal_directions(as_documents(X), 3, np.ones(4))
    assert one.directions.shape == (4, 1)
    np.testing.assert_allclose(one.squares, [np.sum(X**2)])
    none = principal_directions(as_documents(np.ones((3, 4))), 2, np.arange(4.0), centered=True)
    assert (none.total, none.squares.tolist()) == (0, [0])
    np.testing.assert_array_equal(none.mean, np.ones(4))
