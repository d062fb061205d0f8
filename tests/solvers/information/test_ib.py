"""The information bottleneck: properties, and a comparison with its definition."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.matrices.rows import as_documents
from isthmus.numerics.progress import Stopping
from isthmus.solvers.information._divergence import mutual_information
from isthmus.solvers.information.ib import information_bottleneck


def solve(X, labels, first=None, n_classes=2, smoothing=0.05, stopping=None):
    """Run from initial memberships, or from the labeled rows only; -1 marks unlabeled rows."""
    fixed = labels >= 0
    memberships = np.zeros((len(X), n_classes)) if first is None else first.copy()
    memberships[fixed] = np.eye(n_classes)[labels[fixed]]
    return information_bottleneck(
        [as_documents(X[:3]), as_documents(X[3:])],
        [memberships[:3], memberships[3:]],
        [fixed[:3], fixed[3:]],
        smoothing=smoothing,
        stopping=stopping or Stopping(12, 0.0, criterion="labels"),
    )


def smoothed(X, n_classes, smoothing):
    p = X / X.sum()
    p = np.vstack([p, np.tile(smoothing * p.sum(axis=0), (n_classes, 1))])
    return p / p.sum()


def loss(X, labels, n_classes=2, smoothing=0.05):
    """``I(X;W) - I(X^;W)``, by its definition."""
    p = smoothed(X, n_classes, smoothing)
    rows = np.r_[labels, np.arange(n_classes)]
    return mutual_information(p) - mutual_information(np.eye(n_classes)[rows].T @ p)


def random_problem(seed, n_classes):
    generator = np.random.default_rng(seed)
    X = generator.random((9, 6)) * (generator.random((9, 6)) < 0.5)
    labels = np.r_[np.arange(n_classes), np.full(9 - n_classes, -1)]
    X[0, 0] += 1.0
    return X, labels, generator.dirichlet(np.ones(n_classes), 9)


@given(
    st.integers(0, 10**6),
    st.integers(2, 3),
    st.sampled_from([0.0, 0.05, 1.0]),
    st.booleans(),
)
def test_objective_never_increases_and_matches_its_definition(
    seed, n_classes, smoothing, with_initial
):
    X, labels, first = random_problem(seed, n_classes)
    result = solve(X, labels, first if with_initial else None, n_classes, smoothing)
    assert len(result.objective) == 13
    assert (np.diff(result.objective) <= 1e-12).all()
    predicted = np.concatenate(result.labels)
    constant = mutual_information(smoothed(X, n_classes, smoothing))
    expected = loss(X, predicted, n_classes, smoothing)
    assert result.objective[-1] + constant == pytest.approx(expected, abs=1e-10)
    assert (predicted[:n_classes] == labels[:n_classes]).all()


@given(st.integers(0, 10**6), st.integers(2, 3))
def test_converged_documents_are_in_the_nearest_class(seed, n_classes):
    X, labels, first = random_problem(seed, n_classes)
    result = solve(X, labels, first, n_classes, stopping=Stopping(60, 1e-14, criterion="absolute"))
    assert result.converged
    predicted = np.concatenate(result.labels)
    p = smoothed(X, n_classes, 0.05)
    classes = np.eye(n_classes)[np.r_[predicted, np.arange(n_classes)]].T @ p
    classes /= classes.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(
        result.log_word_probabilities[p.any(axis=0)], np.log(classes.T[p.any(axis=0)])
    )
    for x in np.flatnonzero((labels < 0) & X.any(axis=1)):
        own = X[x] / X[x].sum()
        positive = own > 0
        costs = [np.sum(own[positive] * np.log(own[positive] / c[positive])) for c in classes]
        assert costs[predicted[x]] == pytest.approx(min(costs), abs=1e-9)


def clear_problem():
    """One labeled document per class, and others with words that those do not have."""
    X = np.array([[8, 1, 0, 0], [1, 8, 0, 0], [3, 1, 2, 0], [1, 3, 0, 2], [2, 1, 3, 0],
                  [0, 1, 0, 4], [1, 0, 3, 0], [1, 2, 0, 3]], float)  # fmt: skip
    return X, np.array([0, 1, -1, -1, -1, -1, -1, -1])


@pytest.mark.parametrize("with_initial", [True, False])
def test_global_optimum_of_a_clear_problem(with_initial):
    X, labels = clear_problem()
    first = np.tile([0.5, 0.5], (8, 1)) + np.outer([0, 0, 1, -1, 1, -1, -1, -1], [0.1, -0.1])
    result = solve(X, labels, first if with_initial else None)
    all_labelings = [
        (loss(X, np.array([0, 1, *rest])), [0, 1, *rest]) for rest in product(range(2), repeat=6)
    ]
    assert np.concatenate(result.labels).tolist() == min(all_labelings)[1]
    assert np.concatenate(result.labels).tolist() == [0, 1, 0, 1, 0, 1, 0, 1]


def test_cost_of_a_small_document_is_the_jensen_shannon_cost():
    generator = np.random.default_rng(0)
    classes = generator.dirichlet(np.ones(6), 2)
    document = generator.dirichlet(np.ones(6))

    def divergence(p, q):
        return np.sum(p * np.log(p / q))

    def cost(weight, c):
        """Cost of adding a document of this weight to a class of weight 1."""
        both = (weight * document + classes[c]) / (weight + 1)
        return weight * divergence(document, both) + divergence(classes[c], both)

    light = [cost(1e-6, c) / 1e-6 for c in range(2)]
    np.testing.assert_allclose(light, [divergence(document, c) for c in classes], rtol=1e-4)
    X = np.vstack([1e6 * classes, document])
    result = solve(X, np.array([0, 1, -1]), smoothing=0.0)
    assert np.concatenate(result.labels)[2] == int(np.argmin(light))


def test_empty_documents_and_unused_words():
    X, labels = clear_problem()
    X[-1], X[:, 3] = 0, 0
    result = solve(X, labels)
    assert np.isfinite(result.log_word_probabilities).all()
    np.testing.assert_array_equal(result.log_word_probabilities[3], 0)
    assert np.isfinite(solve(0 * X, labels).objective).all()
