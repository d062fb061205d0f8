"""Products with matrices of similarities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import examples
from isthmus.matrices.rows import as_documents
from isthmus.numerics.affinity import CosineAffinity, GraphAffinity, large_components


def cosines(*blocks, signed=False, with_self=True):
    X = np.vstack(blocks)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    X = np.divide(X, norms, out=np.zeros_like(X, dtype=float), where=norms > 0)
    filled = (norms > 0) * 1.0
    W = (filled * filled.T + X @ X.T) / 2 if signed else X @ X.T
    return W if with_self else W - np.diag(np.diag(W))


@st.composite
def blocks_of_documents(draw):
    seed = draw(st.integers(0, 10**6))
    generator = np.random.default_rng(seed)
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    signed = draw(st.booleans())
    blocks = [generator.standard_normal((n, 5)) * (generator.random((n, 5)) < 0.6) for n in sizes]
    return [block if signed else np.abs(block) for block in blocks], signed, generator


@examples(60)
@given(blocks_of_documents(), st.booleans(), st.booleans())
def test_products_equal_those_of_the_dense_matrix(drawn, with_self, as_sparse):
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


def test_blocks_with_the_same_weights_share_a_map():
    blocks = [as_documents(np.abs(np.random.default_rng(i).random((4, 5)))) for i in range(5)]
    affinity = CosineAffinity.of(blocks)
    weights = np.where(np.arange(5)[:, None] < 3, 1.0, 2.0) * np.ones(5)
    maps = affinity.out_of_sample_maps(weights, np.ones((20, 2)))
    assert maps[0].words is maps[2].words
    assert maps[3].words is maps[4].words
    np.testing.assert_allclose(maps[4].words, 2 * maps[0].words)


def two_topics(n, seed=0):
    generator = np.random.default_rng(seed)
    return np.vstack([np.hstack([generator.random((n, 6)), np.zeros((n, 6))]),
                      np.hstack([np.zeros((n, 6)), generator.random((n, 6))])])  # fmt: skip


@pytest.mark.parametrize("with_self", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_components_with_labels_are_kept(with_self, dtype):
    # Two topics without common terms, a pair and a single document with other terms.
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
    kept = large_components(affinity, degrees, known)
    assert kept.tolist() == [True] * 60 + [False] * 3
    assert large_components(affinity, degrees, known, least=0.03).tolist() == [True] * 62 + [False]
    known[:30] = False  # no label in the first topic
    assert (
        large_components(affinity, degrees, known).tolist()
        == [False] * 30 + [True] * 30 + [False] * 3
    )
