"""Decompositions on the strict engine give what they give on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import isthmus.numerics.eigen as eigen
import isthmus.numerics.truncated_svd as svd_module
from engines.strict import StrictEngine
from isthmus.estimators.components.linear_models import calibrate_by_scores, fit_inverse_temperature
from isthmus.matrices.host import HostEngine
from isthmus.matrices.rows import as_documents
from isthmus.numerics.affinity import CosineAffinity, GraphAffinity, degrees_of, large_components
from isthmus.numerics.class_probabilities import most_likely_scale, scale_to_confidence
from isthmus.numerics.derived_documents import CenteredDocuments, StackedDocuments
from isthmus.numerics.eigen import lanczos, largest_eigenpairs, start_vector
from isthmus.numerics.truncated_svd import Transposed, truncated_svd

STRICT = StrictEngine()


def topics(n_rows, n_terms, rank=6, dtype=np.float64, seed=0):
    """Sparse documents with a few topics."""
    generator = np.random.default_rng(seed)
    X = generator.random((n_rows, rank)) ** 3 @ generator.random((rank, n_terms)) ** 3
    X *= generator.random(X.shape) < 0.15
    X[3] = 0
    return sparse.csr_array(X.astype(dtype))


def stacked(engine, X):
    cut = X.shape[0] // 3
    return StackedDocuments([engine.documents(X[:cut]), engine.documents(X[cut:])])


def symmetric(n, leading, seed=0):
    generator = np.random.default_rng(seed)
    Q = np.linalg.qr(generator.standard_normal((n, n)))[0]
    values = np.concatenate([leading, generator.random(n - len(leading))])
    return (Q * values) @ Q.T


def eigenpairs_on(engine, matrix, start, k, tol):
    A = engine.asarray(matrix)
    pairs = largest_eigenpairs(lambda V: A @ V, engine.asarray(start), k, tol=tol, engine=engine)
    return pairs.values, engine.to_host(pairs.vectors)


@pytest.mark.parametrize("k", [1, 5, 30])
@pytest.mark.parametrize("tol", [1e-4, 1e-9])
def test_lanczos_gives_the_pairs_of_arpack(k, tol):
    matrix = symmetric(400, 2 - 0.4 * np.arange(k) / k)
    start = np.random.default_rng(1).standard_normal(400)
    expected = eigenpairs_on(HostEngine(), matrix, start, k, tol)
    values, vectors = eigenpairs_on(STRICT, matrix, start, k, tol)
    np.testing.assert_allclose(values, expected[0], rtol=tol)
    # Errors of an eigenvector are up to the tolerance over the gap to the next eigenvalue.
    np.testing.assert_allclose(vectors, expected[1], atol=max(1e-8, 10 * tol))
    residuals = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    assert (residuals <= tol * values + 1e-12).all()


def test_lanczos_restarts_with_close_eigenvalues():
    matrix = symmetric(600, 1 + 1e-3 * np.arange(1, 6)[::-1])
    pairs = eigenpairs_on(STRICT, matrix, np.ones(600), 5, 1e-9)
    np.testing.assert_allclose(pairs[0], np.linalg.eigvalsh(matrix)[::-1][:5], rtol=1e-9)
    np.testing.assert_allclose(pairs[1].T @ pairs[1], np.eye(5), atol=1e-12)


def test_lanczos_leaves_an_invariant_subspace(monkeypatch):
    # The initial vector is an eigenvector, and two eigenvalues are equal.
    matrix = np.diag(np.concatenate([[3.0, 3.0], np.linspace(0, 1, 198)]))
    values, vectors = eigenpairs_on(STRICT, matrix, np.eye(200)[10], 3, 1e-10)
    np.testing.assert_allclose(values, [3, 3, 1], rtol=1e-9)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-8)
    monkeypatch.setattr(eigen, "_SMALL", 0)
    # The basis has as many vectors as the matrix has rows.
    small = symmetric(12, [5.0, 4.0])
    values, _ = eigenpairs_on(STRICT, small, np.zeros(12), 2, 1e-10)
    np.testing.assert_allclose(values, [5, 4], rtol=1e-10)


def test_lanczos_without_convergence_is_an_error(monkeypatch):
    sizes = []

    def never(product, start, k, n_vectors, tol, max_restarts, engine):
        sizes.append(n_vectors)
        return lanczos(product, start, k, n_vectors, tol, 0, engine)

    monkeypatch.setattr(eigen, "lanczos", never)
    with pytest.raises(RuntimeError, match=r"3 leading eigenvectors .* 1e-08"):
        eigenpairs_on(STRICT, np.eye(400), np.ones(400), 3, 1e-8)
    assert sizes[1] > sizes[0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("shape", [(300, 200), (200, 300), (400, 350)])
def test_singular_directions(shape, centered, dtype, monkeypatch):
    if shape == (400, 350):
        monkeypatch.setattr(svd_module, "_SHORT", 0)
    X = topics(*shape, dtype=dtype)
    results = []
    for engine in (HostEngine(), STRICT):
        rows = stacked(engine, X)
        rows = CenteredDocuments(rows) if centered else rows
        svd = truncated_svd(rows, 7, np.random.default_rng(0))
        product = svd.coordinates @ svd.directions.T
        results.append((svd.singular_values, engine.to_host(product), rows.squared_norm()))
    for expected, values in zip(*results, strict=True):
        tolerance = 1e-9 if dtype == "float64" else 1e-4
        np.testing.assert_allclose(values, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dependent_directions_are_left_out(dtype, monkeypatch):
    monkeypatch.setattr(svd_module, "_SHORT", 0)
    generator = np.random.default_rng(0)
    X = (generator.standard_normal((150, 9)) @ generator.standard_normal((9, 120))).astype(dtype)
    for rows in (STRICT.documents(X), Transposed(STRICT.documents(np.ascontiguousarray(X.T)))):
        svd = truncated_svd(rows, 20, np.random.default_rng(0))
        expected = np.linalg.svd(X.astype(np.float64), compute_uv=False)[:9]
        np.testing.assert_allclose(svd.singular_values, expected, rtol=1e-4)
        directions = STRICT.to_host(svd.directions)
        np.testing.assert_allclose(directions.T @ directions, np.eye(9), atol=1e-5)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("with_self", [False, True])
def test_cosine_affinity(signed, with_self):
    X = topics(60, 40)
    if signed:
        X = X - 0.5 * topics(60, 40, seed=1)
    weights = np.array([[0.5, 1.0], [1.0, 2.0]])
    columns = np.random.default_rng(0).standard_normal((60, 10))
    results = []
    for engine in (HostEngine(), STRICT):
        affinity = CosineAffinity.of(stacked(engine, X).blocks, signed=signed, with_self=with_self)
        product = affinity.reweighted(weights).times(engine.asarray(columns))
        arrays = [product, degrees_of(affinity), start_vector(affinity.blocks)]
        results.append([engine.to_host(array) for array in arrays])
    for expected, values in zip(*results, strict=True):
        np.testing.assert_allclose(values, expected, atol=1e-12)


def test_graph_affinity_and_components():
    blocks = [np.full((20, 20), 0.5), np.full((9, 9), 0.2)]
    graph = sparse.csr_array(sparse.block_diag(blocks))
    columns = np.random.default_rng(0).standard_normal((29, 2))
    known = np.arange(29) < 3
    results = []
    for engine in (HostEngine(), STRICT):
        affinity = GraphAffinity.of(engine.documents(graph), [15, 14])
        weighted = affinity.reweighted(np.array([[1.0, 2.0], [2.0, 3.0]]))
        kept = large_components(affinity, degrees_of(affinity), engine.asarray(known))
        results.append([engine.to_host(weighted.times(engine.asarray(columns)))])
        results[-1].append(engine.to_host(kept))
    np.testing.assert_allclose(results[1][0], results[0][0])
    np.testing.assert_array_equal(results[1][1], np.arange(29) < 20)
    np.testing.assert_array_equal(results[0][1], np.arange(29) < 20)


@pytest.mark.parametrize("engine", [HostEngine(), STRICT], ids=["cpu", "strict"])
def test_scales_of_scores_equal_those_of_the_estimators(engine):
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 3, 80)
    scores = generator.standard_normal((80, 3)) + np.eye(3)[labels]
    scale = most_likely_scale(engine.asarray(scores), engine.asarray(labels), engine)
    assert scale == pytest.approx(fit_inverse_temperature(scores, labels), rel=1e-9)
    expected, _ = calibrate_by_scores(np.ones((1, 1)), np.zeros(1), scores, 0.7)
    scale = scale_to_confidence(engine.asarray(scores), 0.7, engine)
    assert scale == pytest.approx(expected[0, 0], rel=1e-6)


def test_stacked_documents_need_one_engine():
    rows = StackedDocuments([as_documents(topics(10, 8))])
    assert rows.engine.name == "cpu"
    assert [len(part) for part in stacked(STRICT, topics(30, 8)).split(np.arange(30))] == [10, 20]
