"""mSDA against the mean over every loss that can happen, written out."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from isthmus.matrices.conversion import as_documents
from isthmus.solvers.pivots.msda import (
    Layer,
    denoise,
    first_layer,
    hidden_features,
    next_layer,
    word_features,
)

RIDGE = 1e-12


def with_constant(X):
    return np.column_stack([X, np.ones(len(X))])


def mean_loss(X, Y, W, noise):
    """``sum_i E ||y_i - W x~_i||^2``, over all subsets of the terms."""
    total = 0.0
    for kept in product([0, 1], repeat=X.shape[1]):
        chance = np.prod(np.where(kept, 1 - noise, noise))
        lost = with_constant(X * kept)
        total += chance * np.sum((Y - lost @ W.T) ** 2)
    return total


def least_squares_over_all_losses(X, Y, noise):
    """The same minimum from copies of the documents, one a loss, weighted by its chance."""
    copies, answers = [], []
    for kept in product([0, 1], repeat=X.shape[1]):
        root = np.sqrt(np.prod(np.where(kept, 1 - noise, noise)))
        copies.append(root * with_constant(X * kept))
        answers.append(root * Y)
    return np.linalg.lstsq(np.vstack(copies), np.vstack(answers), rcond=None)[0].T


def solved(X, Y, noise, ridge=RIDGE):
    wide = with_constant(X)
    return denoise(wide.T @ wide, Y.T @ wide, noise, ridge)


def some_counts(seed, n_rows=9, n_terms=5):
    return np.random.default_rng(seed).poisson(0.8, (n_rows, n_terms)).astype(float)


@pytest.mark.parametrize("noise", [0.2, 0.5, 0.9])
def test_closed_form_is_the_mean_over_all_losses(noise):
    X = some_counts(0)
    Y = X[:, :3]
    expected = least_squares_over_all_losses(X, Y, noise)
    np.testing.assert_allclose(solved(X, Y, noise), expected, atol=1e-9)


@given(st.integers(0, 2**32 - 1), st.floats(0.05, 0.95))
def test_no_other_weights_reconstruct_better(seed, noise):
    X = some_counts(seed, n_terms=4)
    W = solved(X, X, noise)
    best = mean_loss(X, X, W, noise)
    generator = np.random.default_rng(seed)
    for size in (1e-3, 1.0):
        other = W + size * generator.standard_normal(W.shape)
        assert mean_loss(X, X, other, noise) >= best - 1e-9 * (1 + best)


def test_without_noise_every_term_is_itself():
    X = np.vstack([np.eye(4), 2 * np.eye(4)])
    np.testing.assert_allclose(solved(X, X, 0.0), np.eye(4, 5), atol=1e-9)


def test_ridge_is_a_share_of_the_mean_diagonal_and_spares_the_constant():
    X, noise, ridge = some_counts(1), 0.5, 0.1
    wide = with_constant(X)
    S = wide.T @ wide
    Q = S * 0.25
    Q[-1] = Q[:, -1] = S[-1] * 0.5
    Q[np.arange(5), np.arange(5)] = np.diag(S)[:-1] * 0.5
    Q[-1, -1] = len(X)
    Q[np.arange(5), np.arange(5)] += ridge * np.diag(Q)[:-1].mean()
    P = S[:-1] * np.array([0.5] * 5 + [1.0])
    np.testing.assert_allclose(solved(X, X, noise, ridge), P @ np.linalg.inv(Q), atol=1e-10)


def test_inputs_that_nobody_uses_have_no_weight():
    X = some_counts(2)
    empty = np.zeros((9, 2))
    mean = np.column_stack([np.zeros((5, 2)), X.mean(axis=0)])
    np.testing.assert_allclose(solved(empty, X, 0.5), mean)


def first(X, outputs, blocks, **options):
    options = {"noise": 0.6, "ridge": 1e-5, "dtype": np.float64, **options}
    return first_layer(
        lambda a, b: X[:, a].T @ X[:, b], X.sum(axis=0), len(X), outputs, blocks, **options
    )


def test_the_first_layer_is_the_mean_of_its_blocks():
    X = some_counts(3, n_rows=30, n_terms=7)
    outputs = np.array([4, 0, 2])
    blocks = [np.array([5, 0, 3]), np.array([1, 6]), np.array([4, 2])]
    layer = first(X, outputs, blocks)
    alone = [first(X, outputs, [block]) for block in blocks]
    np.testing.assert_allclose(layer.weights, np.hstack([a.weights for a in alone]) / 3)
    np.testing.assert_allclose(layer.offsets, np.mean([a.offsets for a in alone], axis=0))
    expected = solved(X[:, blocks[0]], X[:, outputs], 0.6, 1e-5)
    np.testing.assert_allclose(alone[0].weights, expected[:, :-1], atol=1e-12)
    np.testing.assert_allclose(alone[0].offsets, expected[:, -1], atol=1e-12)


def test_the_first_layer_is_as_narrow_as_asked_for():
    X = some_counts(4)
    layer = first(X, np.arange(2), [np.arange(5)], dtype=np.float32)
    assert layer.weights.dtype == layer.offsets.dtype == np.float32


def test_blocks_of_rows_make_the_same_next_layer():
    hidden = np.tanh(some_counts(5, n_rows=20))
    whole = next_layer([hidden], noise=0.5, ridge=1e-5)
    parts = next_layer([hidden[:7], hidden[7:]], noise=0.5, ridge=1e-5)
    np.testing.assert_allclose(parts.weights, whole.weights, atol=1e-10)
    expected = solved(hidden, hidden, 0.5, 1e-5)
    np.testing.assert_allclose(whole.weights, expected[:, :-1], atol=1e-10)
    np.testing.assert_allclose(whole.offsets, expected[:, -1], atol=1e-10)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_features_of_two_layers(container):
    generator = np.random.default_rng(6)
    X = some_counts(6)
    layers = [
        Layer(generator.standard_normal((3, 5)), generator.standard_normal(3)),
        Layer(generator.standard_normal((3, 3)), generator.standard_normal(3)),
    ]
    one = np.tanh(X @ layers[0].weights.T + layers[0].offsets)
    two = np.tanh(one @ layers[1].weights.T + layers[1].offsets)
    found = hidden_features(as_documents(container(X)), layers)
    np.testing.assert_allclose(found[0], one, atol=1e-12)
    np.testing.assert_allclose(found[1], two, atol=1e-12)


def test_words_add_what_a_little_of_them_changes():
    generator = np.random.default_rng(7)
    layers = [
        Layer(generator.standard_normal((3, 5)), generator.standard_normal(3)),
        Layer(generator.standard_normal((3, 3)), generator.standard_normal(3)),
        Layer(generator.standard_normal((3, 3)), generator.standard_normal(3)),
    ]
    step = 1e-6
    nothing = hidden_features(as_documents(np.zeros((1, 5))), layers)
    little = hidden_features(as_documents(step * np.eye(5)), layers)
    for rate, before, after in zip(word_features(layers), nothing, little, strict=True):
        np.testing.assert_allclose(rate, (after - before) / step, atol=1e-4)
