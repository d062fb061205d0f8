"""Spectral methods against dense matrices that say the same in the paper's own words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import isthmus.numerics.eigen as eigen
from isthmus.matrices.conversion import as_documents
from isthmus.numerics.affinity import CosineAffinity, GraphAffinity
from isthmus.numerics.connected_components import large_parts
from isthmus.numerics.eigen import largest_eigenpairs
from isthmus.solvers.spectral._nystrom import extend
from isthmus.solvers.spectral.cdsc import balance, cdsc, cdsc_system, must_links, target_boost
from isthmus.solvers.spectral.spectral_classifier import spectral_classifier

KNOWN = json.loads((Path(__file__).parent / "known_answers" / "cdsc.json").read_text())
LABELS = np.array(KNOWN["y_s"] + [-1] * len(KNOWN["X_t"]))
SIZES = [len(KNOWN["X_s"]), len(KNOWN["X_t"])]


def known_affinity(container=np.asarray, **options):
    blocks = [as_documents(container(np.array(KNOWN[name]))) for name in ("X_s", "X_t")]
    return CosineAffinity.of(blocks, **options)


def cosines(*blocks, signed=False, with_self=True):
    X = np.vstack(blocks)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    X = np.divide(X, norms, out=np.zeros_like(X, dtype=float), where=norms > 0)
    filled = (norms > 0) * 1.0
    W = (filled * filled.T + X @ X.T) / 2 if signed else X @ X.T
    return W if with_self else W - np.diag(np.diag(W))


def known_spectrum(affinity, k, **options):
    system = cdsc_system(
        affinity,
        LABELS,
        [False, True],
        beta=KNOWN["beta"],
        lam=KNOWN["lam"],
        relative_beta=False,
    )
    return cdsc(system, k, np.arange(1.0, 12.0), **options)


@pytest.mark.parametrize("container", [sparse.csr_array, np.asarray])
@pytest.mark.parametrize("way", ["whole", "lanczos"])
def test_the_known_answer_of_cdsc(container, way, monkeypatch):
    if way == "lanczos":
        monkeypatch.setattr(eigen, "_SMALL", 0)
    spectrum = known_spectrum(known_affinity(container), 3, tol=1e-14)
    np.testing.assert_allclose(spectrum.degrees, KNOWN["degrees"], rtol=1e-10)
    np.testing.assert_allclose(spectrum.eigenvalues, KNOWN["eigenvalues"][:3], atol=1e-10)
    vectors = spectrum.embedding * np.sqrt(spectrum.degrees)[:, None]
    np.testing.assert_allclose(vectors @ vectors.T, KNOWN["projector3"], atol=1e-10)


def test_all_eigenvalues_of_cdsc():
    spectrum = known_spectrum(known_affinity(), 11)
    np.testing.assert_allclose(spectrum.eigenvalues, KNOWN["eigenvalues"], atol=1e-10)


def test_the_penalty_is_the_papers_constraint_matrix():
    """U has a column for every pair of documents of a class (Algorithm 1)."""
    n = len(LABELS)
    pairs = [(i, j) for i in range(n) for j in range(i) if LABELS[i] == LABELS[j] >= 0]
    U = np.zeros((n, len(pairs)))
    for column, (i, j) in enumerate(pairs):
        U[i, column], U[j, column] = 1, -1
    links = must_links(LABELS, np.ones(n), 0.3, relative=False)
    np.testing.assert_allclose(links.times(np.eye(n)), 0.3 * U @ U.T, atol=1e-12)


def test_a_relative_penalty_is_a_share_of_the_mean_degree():
    degrees = np.where(np.arange(11) == 0, 0.0, 5.0)  # the first document is like no other
    links = must_links(LABELS, degrees, 0.1, relative=True)
    assert [len(rows) for rows in links.rows] == [2, 3]
    np.testing.assert_allclose(links.weights, [0.1 * 5 / 2, 0.1 * 5 / 3])


@st.composite
def blocks_of_documents(draw):
    seed = draw(st.integers(0, 10**6))
    generator = np.random.default_rng(seed)
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    signed = draw(st.booleans())
    blocks = [generator.standard_normal((n, 5)) * (generator.random((n, 5)) < 0.6) for n in sizes]
    return [block if signed else np.abs(block) for block in blocks], signed, generator


@settings(max_examples=60, deadline=None)
@given(blocks_of_documents(), st.booleans(), st.booleans())
def test_products_are_those_of_the_matrix(drawn, with_self, as_sparse):
    blocks, signed, generator = drawn
    container = sparse.csr_array if as_sparse else np.asarray
    affinity = CosineAffinity.of(
        [as_documents(container(block)) for block in blocks], signed=signed, with_self=with_self
    )
    weights = generator.random((len(blocks), len(blocks)))
    weights += weights.T
    W = cosines(*blocks, signed=signed, with_self=with_self)
    block_of_row = np.repeat(np.arange(len(blocks)), [len(block) for block in blocks])
    V = generator.standard_normal((len(W), 3))
    np.testing.assert_allclose(affinity.times(V), W @ V, atol=1e-10)
    weighted = W * weights[np.ix_(block_of_row, block_of_row)]
    np.testing.assert_allclose(affinity.reweighted(weights).times(V), weighted @ V, atol=1e-10)
    graph = GraphAffinity.of(as_documents(sparse.csr_array(W)), [len(block) for block in blocks])
    np.testing.assert_allclose(graph.times(V), W @ V, atol=1e-10)
    np.testing.assert_allclose(graph.reweighted(weights).times(V), weighted @ V, atol=1e-10)


@pytest.mark.parametrize("share", [0.2, 0.5])
@pytest.mark.parametrize("with_self", [True, False])
def test_balance_gives_either_side_its_share_in_the_other(share, with_self):
    affinity = known_affinity(with_self=with_self)
    weights = balance(affinity, SIZES, [False, True], share)
    W = affinity.reweighted(weights).times(np.eye(11))
    source = np.arange(11) < SIZES[0]
    for side, size in ((source, SIZES[0]), (~source, SIZES[1])):
        within = (1 - share) * size / (size + 10)  # few documents say little of each other
        assert W[np.ix_(side, side)].sum() / W[side].sum() == pytest.approx(within)
    unweighted = affinity.times(np.eye(11))
    np.testing.assert_allclose(W[np.ix_(source, ~source)], unweighted[np.ix_(source, ~source)])


def test_balance_leaves_alone_what_has_only_one_side():
    affinity = known_affinity()
    np.testing.assert_array_equal(balance(affinity, SIZES, [False, False], 0.5), 1)


def test_sc_is_its_definition():
    A = cosines(KNOWN["X_s"], KNOWN["X_t"])
    labelled = LABELS >= 0
    both = labelled[:, None] & labelled[None]
    A = np.where(both, LABELS[:, None] == LABELS[None], A)
    D = A.sum(axis=1)
    N = (A + np.diag(D.max() - D)) / D.max()
    values, vectors = np.linalg.eigh(N)
    spectrum = spectral_classifier(
        known_affinity(), LABELS, [True, False], n_eigenvectors=4, start=np.arange(1.0, 12.0)
    )
    np.testing.assert_allclose(spectrum.eigenvalues, 1 - values[::-1][:4], atol=1e-12)
    wanted = vectors[:, ::-1][:, :4]
    np.testing.assert_allclose(
        spectrum.embedding @ spectrum.embedding.T, wanted @ wanted.T, atol=1e-10
    )


@pytest.mark.parametrize("with_self", [True, False])
def test_a_fitted_document_extends_to_itself(with_self):
    affinity = known_affinity(with_self=with_self)
    spectrum = known_spectrum(affinity, 2)  # those after are near 1, which says nothing
    boosted = affinity.reweighted(target_boost([False, True], KNOWN["lam"]))
    ones = np.ones((11, 1))
    found = extend(
        boosted.times(spectrum.embedding),
        boosted.times(ones)[:, 0],
        affinity.times(ones)[:, 0],
        spectrum.eigenvalues,
    )
    target = LABELS < 0
    np.testing.assert_allclose(found[target], spectrum.embedding[target], atol=1e-9)
    nobody = extend(np.zeros((1, 2)), np.zeros(1), np.zeros(1), spectrum.eigenvalues)
    np.testing.assert_array_equal(nobody, 0)


@pytest.mark.parametrize("n", [3, 40, 300])
@pytest.mark.parametrize("k", [1, 2, 7, 60])
def test_eigenpairs_are_those_of_the_whole_matrix(n, k):
    generator = np.random.default_rng(0)
    half = generator.standard_normal((n, n))
    matrix = half @ half.T / n
    found = largest_eigenpairs(lambda V: matrix @ V, generator.standard_normal(n), k)
    k = min(k, n)
    values = np.linalg.eigvalsh(matrix)
    np.testing.assert_allclose(found.values, values[::-1][:k], rtol=1e-7)
    np.testing.assert_allclose(matrix @ found.vectors, found.vectors * found.values, atol=1e-5)
    largest = np.abs(found.vectors).argmax(axis=0)
    assert (found.vectors[largest, np.arange(k)] > 0).all()


def test_eigenvectors_that_cannot_be_found_are_an_error_that_says_what_to_do(monkeypatch):
    rooms = []

    def never(matrix, k, ncv, **options):
        rooms.append(ncv)
        raise eigen.ArpackNoConvergence("no convergence", np.zeros(0), np.zeros((400, 0)))

    monkeypatch.setattr(eigen, "eigsh", never)
    with pytest.raises(RuntimeError, match=r"3 leading .* tolerance of 1e-08: ask for fewer"):
        largest_eigenpairs(lambda V: V, np.ones(400), 3)
    assert rooms[1] > rooms[0]  # it was tried again with more room


def two_topics(n, seed=0):
    generator = np.random.default_rng(seed)
    return np.vstack([np.hstack([generator.random((n, 6)), np.zeros((n, 6))]),
                      np.hstack([np.zeros((n, 6)), generator.random((n, 6))])])  # fmt: skip


@pytest.mark.parametrize("with_self", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_parts_of_a_graph_are_kept(with_self, dtype):
    # Two topics without a word in common, a pair of twins in words of their own, a loner.
    topics = two_topics(30)
    X = np.zeros((63, 15))
    X[:60, :12] = topics
    X[60:62, 12:14] = [0.3, 0.7]
    X[62, 14] = 0.123
    affinity = CosineAffinity.of(
        [as_documents(sparse.csr_array(X.astype(dtype)))], with_self=with_self
    )
    degrees = affinity.times(np.ones((63, 1)))[:, 0]
    known = np.arange(63) % 2 == 0
    kept = large_parts(affinity, degrees, known)
    assert kept.tolist() == [True] * 60 + [False] * 3
    assert large_parts(affinity, degrees, known, least=0.03).tolist() == [True] * 62 + [False]
    known[:30] = False  # nobody of the first topic
    assert (
        large_parts(affinity, degrees, known).tolist() == [False] * 30 + [True] * 30 + [False] * 3
    )


def test_what_all_sources_see_alike_is_made_once():
    blocks = [as_documents(np.abs(np.random.default_rng(i).random((4, 5)))) for i in range(5)]
    affinity = CosineAffinity.of(blocks)
    weights = np.where(np.arange(5)[:, None] < 3, 1.0, 2.0) * np.ones(5)
    seen = affinity.seen_by(weights, np.ones((20, 2)))
    assert seen[0].words is seen[2].words
    assert seen[3].words is seen[4].words
    np.testing.assert_allclose(seen[4].words, 2 * seen[0].words)


def test_documents_without_a_neighbour_are_neither_end_of_the_spectrum():
    blocks = [np.array([[1.0, 0], [1, 1], [0, 0]]), np.array([[0, 1.0], [0, 0]])]
    affinity = CosineAffinity.of([as_documents(block) for block in blocks])
    labels = np.array([0, 0, 1, -1, -1])
    system = cdsc_system(affinity, labels, [False, True], beta=0.1, lam=0.1, relative_beta=True)
    spectrum = cdsc(system, 5, np.ones(5))
    assert np.isfinite(spectrum.embedding).all()
    np.testing.assert_array_equal(spectrum.embedding[[2, 4]], 0)
    assert spectrum.eigenvalues[0] == pytest.approx(0, abs=1e-12)
    assert spectrum.eigenvalues[1] > 0.1
