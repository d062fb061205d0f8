"""Penalties on terms whose class correlation differs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus.matrices.conversion import as_documents
from isthmus.solvers.self_training._feature_penalties import (
    disagreement,
    label_correlations,
    quadratic_penalties,
)


def blocks(X, cut):
    parts = [X[:cut], X[cut:]] if cut else [X]
    return (
        [as_documents(sparse.csr_matrix(part)) for part in parts],
        [as_documents(sparse.csr_matrix(part**2)) for part in parts],
    )


@pytest.mark.parametrize("cut", [0, 11])
def test_two_classes_are_plain_correlations(cut):
    generator = np.random.default_rng(0)
    X = generator.random((30, 4))
    X[:, 3] = 0.7  # no variance
    second = generator.random(30)
    memberships = np.column_stack([1 - second, second])
    documents, squares = blocks(X, cut)
    parts = [memberships[:cut], memberships[cut:]] if cut else [memberships]
    correlations = label_correlations(documents, squares, parts, 2)
    expected = [np.corrcoef(X[:, j], second)[0, 1] for j in range(3)]
    np.testing.assert_allclose(correlations[:, 0], [*expected, 0.0], atol=1e-12)


def test_more_classes_have_one_column_each():
    generator = np.random.default_rng(1)
    X, memberships = generator.random((50, 3)), np.eye(3)[np.arange(50) % 3]
    correlations = label_correlations(*blocks(X, 0), [memberships], 3)
    covariance = (X - X.mean(axis=0)).T @ (memberships - memberships.mean(axis=0)) / 50
    ratio = correlations / covariance
    np.testing.assert_allclose(ratio, ratio[:, [0, 0, 0]])  # one scale per term
    np.testing.assert_allclose(ratio[0, 0] / ratio[1, 0], X[:, 1].std() / X[:, 0].std())


def test_constant_memberships_have_no_correlation():
    X = np.random.default_rng(2).random((10, 3))
    correlations = label_correlations(*blocks(X, 0), [np.full((10, 2), 0.5)], 2)
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
