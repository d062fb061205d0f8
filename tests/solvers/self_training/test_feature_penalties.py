"""Penalties on terms whose class correlation differs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus.matrices.rows import as_documents
from isthmus.solvers.self_training.coda import (
    disagreement,
    label_correlations,
    quadratic_penalties,
)


def correlations_of(X, memberships, n_classes, included=None):
    included = np.ones(len(X), bool) if included is None else included
    documents = as_documents(sparse.csr_matrix(X))
    square_sums = (X[included] ** 2).sum(axis=0)
    return label_correlations(documents, square_sums, memberships, included, n_classes)


@pytest.mark.parametrize("n_left_out", [0, 11])
def test_two_classes_are_plain_correlations(n_left_out):
    generator = np.random.default_rng(0)
    X = generator.random((30, 4))
    X[:, 3] = 0.7  # no variance
    second = generator.random(30)
    included = np.arange(30) >= n_left_out
    correlations = correlations_of(X, np.column_stack([1 - second, second]), 2, included)
    expected = [np.corrcoef(X[included, j], second[included])[0, 1] for j in range(3)]
    np.testing.assert_allclose(correlations[:, 0], [*expected, 0.0], atol=1e-12)


def test_more_classes_have_one_column_each():
    generator = np.random.default_rng(1)
    X, memberships = generator.random((50, 3)), np.eye(3)[np.arange(50) % 3]
    correlations = correlations_of(X, memberships, 3)
    covariance = (X - X.mean(axis=0)).T @ (memberships - memberships.mean(axis=0)) / 50
    ratio = correlations / covariance
    np.testing.assert_allclose(ratio, ratio[:, [0, 0, 0]])  # one scale per term
    np.testing.assert_allclose(ratio[0, 0] / ratio[1, 0], X[:, 1].std() / X[:, 0].std())


def test_constant_memberships_have_no_correlation():
    X = np.random.default_rng(2).random((10, 3))
    correlations = correlations_of(X, np.full((10, 2), 0.5), 2)
    np.testing.assert_array_equal(correlations, 0)


def test_disagreement_of_a_small_example():
    source = np.array([[0.4], [0.4], [0.4], [0.0], [0.0], [0.3]])
    target = np.array([[0.4], [0.0], [-0.2], [0.5], [0.0], [0.1]])
    np.testing.assert_allclose(disagreement(source, target), [0, 1, 1, 1, 0, 0.5])


@pytest.mark.parametrize("size", [0.0, 0.02, 1.0])
def test_quadratic_penalties_bound_the_absolute_value(size):
    l1_penalty = 0.3
    penalty = quadratic_penalties(np.array([size]), np.array([l1_penalty]))[0]
    weights = np.linspace(-3, 3, 601)
    smooth = l1_penalty * np.sqrt(weights**2 + 1e-4)
    at_size = l1_penalty * np.sqrt(size**2 + 1e-4)
    bound = at_size + penalty / 2 * (weights**2 - size**2)
    assert (bound >= smooth - 1e-12).all()
    np.testing.assert_allclose(at_size, l1_penalty * size, atol=l1_penalty * 0.01)
    assert bound.min() <= at_size
