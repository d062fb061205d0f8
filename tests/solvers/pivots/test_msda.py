"""mSDA, compared with the mean over all possible removals of words."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from isthmus.matrices.rows import as_documents
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
    for keep in product([0, 1], repeat=X.shape[1]):
        probability = np.prod(np.where(keep, 1 - noise, noise))
        corrupted = with_constant(X * keep)
        total += probability * np.sum((Y - corrupted @ W.T) ** 2)
    return total


def least_squares_over_all_subsets(X, Y, noise):
    """The same minimum from one copy of the documents per subset, weighted by its probability."""
    copies, targets = [], []
    for keep in product([0, 1], repeat=X.shape[1]):
        root = np.sqrt(np.prod(np.where(keep, 1 - noise, noise)))
        copies.append(root * with_constant(X * keep))
        targets.append(root * Y)
    return np.linalg.lstsq(np.vstack(copies), np.vstack(targets), rcond=None)[0].T


def closed_form(X, Y, noise, ridge=RIDGE):
    wide = with_constant(X)
    return denoise(wide.T @ wide, Y.T @ wide, noise, ridge)


def random_counts(seed, n_rows=9, n_terms=5):
    return np.random.default_rng(seed).poisson(0.8, (n_rows, n_terms)).astype(float)


@pytest.mark.parametrize("noise", [0.2, 0.5, 0.9])
def test_closed_form_equals_the_mean_over_all_subsets(noise):
    X = random_counts(0)
    Y = X[:, :3]
    expected = least_squares_over_all_subsets(X, Y, noise)
    np.testing.assert_allclose(closed_form(X, Y, noise), expected, atol=1e-9)


@given(st.integers(0, 2**32 - 1), st.floats(0.05, 0.95))
def test_no_other_weights_reconstruct_better(seed, noise):
    X = random_counts(seed, n_terms=4)
    W = closed_form(X, X, noise)
    best = mean_loss(X, X, W, noise)
    generator = np.random.default_rng(seed)
    for size in (1e-3, 1.0):
        other = W + size * generator.standard_normal(W.shape)
        assert mean_loss(X, X, other, noise) >= best - 1e-9 * (1 + best)


def test_without_noise_every_term_reconstructs_itself():
    X = np.vstack([np.eye(4), 2 * np.eye(4)])
    np.testing.assert_allclose(closed_form(X, X, 0.0), np.eye(4, 5), atol=1e-9)


def test_ridge_is_relative_to_the_mean_diagonal_without_the_constant():
    X, noise, ridge = random_counts(1), 0.5, 0.1
    wide = with_constant(X)
    S = wide.T @ wide
    Q = S * 0.25
    Q[-1] = Q[:, -1] = S[-1] * 0.5
    Q[np.arange(5), np.arange(5)] = np.diag(S)[:-1] * 0.5
    Q[-1, -1] = len(X)
    Q[np.arange(5), np.arange(5)] += ridge * np.diag(Q)[:-1].mean()
    P = S[:-1] * np.array([0.5] * 5 + [1.0])
    np.testing.assert_allclose(closed_form(X, X, noise, ridge), P @ np.linalg.inv(Q), atol=1e-10)


def test_unused_inputs_get_no_weight():
    X = random_counts(2)
    empty = np.zeros((9, 2))
    mean = np.column_stack([np.zeros((5, 2)), X.mean(axis=0)])
    np.testing.assert_allclose(closed_form(empty, X, 0.5), mean)


def first(X, outputs, blocks, **options):
    options = {"noise": 0.6, "ridge": 1e-5, "dtype": np.float64, **options}
    return first_layer(
        lambda a, b: X[:, a].T @ X[:, b], X.sum(axis=0), len(X), outputs, blocks, **options
    )


def test_the_first_layer_is_the_mean_of_its_blocks():
    X = random_counts(3, n_rows=30, n_terms=7)
    outputs = np.array([4, 0, 2])
    blocks = [np.array([5, 0, 3]), np.array([1, 6]), np.array([4, 2])]
    layer = first(X, outputs, blocks)
    single = [first(X, outputs, [block]) for block in blocks]
    np.testing.assert_allclose(layer.weights, np.hstack([s.weights for s in single]) / 3)
    np.testing.assert_allclose(layer.offsets, np.mean([s.offsets for s in single], axis=0))
    expected = closed_form(X[:, blocks[0]], X[:, outputs], 0.6, 1e-5)
    np.testing.assert_allclose(single[0].weights, expected[:, :-1], atol=1e-12)
    np.testing.assert_allclose(single[0].offsets, expected[:, -1], atol=1e-12)


def test_the_first_layer_has_the_given_dtype():
    X = random_counts(4)
    layer = first(X, np.arange(2), [np.arange(5)], dtype=np.float32)
    assert layer.weights.dtype == layer.offsets.dtype == np.float32


def test_blocks_of_rows_make_the_same_next_layer():
    hidden = np.tanh(random_counts(5, n_rows=20))
    whole = next_layer([hidden], noise=0.5, ridge=1e-5)
    parts = next_layer([hidden[:7], hidden[7:]], noise=0.5, ridge=1e-5)
    np.testing.assert_allclose(parts.weights, whole.weights, atol=1e-10)
    expected = closed_form(hidden, hidden, 0.5, 1e-5)
    np.testing.assert_allclose(whole.weights, expected[:, :-1], atol=1e-10)
    np.testing.assert_allclose(whole.offsets, expected[:, -1], atol=1e-10)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_features_of_two_layers(container):
    generator = np.random.default_rng(6)
    X = random_counts(6)
    layers = [
        Layer(generator.standard_normal((3, 5)), generator.standard_normal(3)),
        Layer(generator.standard_normal((3, 3)), generator.standard_normal(3)),
    ]
    expected = [np.tanh(X @ layers[0].weights.T + layers[0].offsets)]
    expected.append(np.tanh(expected[0] @ layers[1].weights.T + layers[1].offsets))
    hidden = hidden_features(as_documents(container(X)), layers)
    np.testing.assert_allclose(hidden[0], expected[0], atol=1e-12)
    np.testing.assert_allclose(hidden[1], expected[1], atol=1e-12)


def test_word_features_are_derivatives():
    generator = np.random.default_rng(7)
    layers = [
        Layer(generator.standard_normal((3, 5)), generator.standard_normal(3)),
        Layer(generator.standard_normal((3, 3)), generator.standard_normal(3)),
        Layer(generator.standard_normal((3, 3)), generator.standard_normal(3)),
    ]
    step = 1e-6
    at_zero = hidden_features(as_documents(np.zeros((1, 5))), layers)
    at_step = hidden_features(as_documents(step * np.eye(5)), layers)
    for slope, before, after in zip(word_features(layers), at_zero, at_step, strict=True):
        np.testing.assert_allclose(slope, (after - before) / step, atol=1e-4)
