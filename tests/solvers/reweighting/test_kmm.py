"""Weights by kernel mean matching."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import examples
from isthmus.matrices.rows import as_documents
from isthmus.numerics.progress import Stopping
from isthmus.solvers.reweighting.kmm import kernel_mean_matching, mean_document, project


def match(X, mean, max_weight=2.0, epsilon=0.0, max_iter=1000, tol=0.0):
    blocks = X if isinstance(X, list) else [X]
    return kernel_mean_matching(
        [as_documents(block) for block in blocks],
        mean,
        max_weight=max_weight,
        epsilon=epsilon,
        stopping=Stopping(max_iter, tol, criterion="absolute", patience=2),
    )


def exact_weights(X, mean, max_weight, epsilon):
    """The quadratic program by enumeration: every set of weights at a bound, and of the sum.

    For each of them the free weights solve the stationarity conditions; the best feasible solution
    is the minimum. The rows of X must be linearly independent.
    """
    n = len(X)
    best, weights = np.inf, None
    for states in product((0.0, max_weight, None), repeat=n):
        fixed = np.array([0.0 if state is None else state for state in states])
        free = np.array([state is None for state in states])
        for total in (None, n * (1 - epsilon), n * (1 + epsilon)):
            A, size = X[free], int(free.sum())
            system = np.zeros((size + 1, size + 1))
            system[:size, :size] = A @ A.T
            right = np.append(A @ (n * mean - X.T @ fixed), 0.0)
            if total is None:
                system[size, size] = 1.0  # no multiplier
            else:
                system[size, :size] = system[:size, size] = 1.0
                right[size] = total - fixed.sum()
            if size == 0 and total is not None:
                continue
            candidate = fixed.copy()
            candidate[free] = np.linalg.solve(system, right)[:size]
            feasible = (candidate > -1e-12).all() and (candidate < max_weight + 1e-12).all()
            feasible = feasible and abs(candidate.mean() - 1) < epsilon + 1e-12
            value = ((X.T @ candidate / n - mean) ** 2).sum()
            if feasible and value < best:
                best, weights = value, candidate
    return weights


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 0.9])
@pytest.mark.parametrize("max_weight", [1.5, 3.0, 100.0])
@pytest.mark.parametrize("seed", range(2))
def test_weights_solve_the_quadratic_program(seed, max_weight, epsilon, container):
    generator = np.random.default_rng(seed)
    X = generator.random((5, 8)) * (generator.random((5, 8)) < 0.7)
    mean = generator.random(8) * 0.6
    expected = exact_weights(X, mean, max_weight, epsilon)
    result = match(container(X), mean, max_weight, epsilon)
    np.testing.assert_allclose(result.weights, expected, rtol=1e-10, atol=1e-10)
    value = ((X.T @ expected / 5 - mean) ** 2).sum() / (mean**2).sum()
    assert result.objective[-1] == pytest.approx(value, rel=1e-10)


def test_two_documents_by_hand():
    X = np.eye(2)
    mean = np.array([0.8, 0.2])  # weights (b, 2 - b) give the mean (b/2, 1 - b/2)
    np.testing.assert_allclose(match(X, mean).weights, [1.6, 0.4], atol=1e-10)
    np.testing.assert_allclose(match(X, mean, max_weight=1.5).weights, [1.5, 0.5], atol=1e-10)
    np.testing.assert_array_equal(match(X, mean, max_weight=1.0).weights, [1, 1])


def random_problem(seed, n_rows, n_terms):
    generator = np.random.default_rng(seed)
    X = generator.poisson(0.5, (n_rows, n_terms)).astype(float)
    return X, generator.random(n_terms)


SIZES = {"seed": st.integers(0, 2**20), "n_rows": st.integers(1, 30), "n_terms": st.integers(1, 12)}


@given(max_weight=st.floats(1, 1000), epsilon=st.floats(0, 2), **SIZES)
@examples(30)
def test_weights_are_feasible_and_stationary(seed, n_rows, n_terms, max_weight, epsilon):
    X, mean = random_problem(seed, n_rows, n_terms)
    result = match(X, mean, max_weight, epsilon, max_iter=500)
    weights = result.weights
    assert weights.min() >= 0
    assert weights.max() <= max_weight
    assert abs(weights.mean() - 1) <= epsilon + 1e-9
    assert (np.diff(result.objective) <= 1e-9 * result.objective[0]).all()
    # No feasible vector is much better: the objective is convex.
    gradient = 2 * X @ (X.T @ weights / n_rows - mean) / n_rows / (mean @ mean)
    generator = np.random.default_rng(seed)
    sums = max(0.0, 1 - epsilon) * n_rows, (1 + epsilon) * n_rows
    for _ in range(20):
        other = project(generator.normal(1, max_weight, n_rows), max_weight, sums)
        at_other = ((X.T @ other / n_rows - mean) ** 2).sum() / (mean @ mean)
        assert at_other >= result.objective[-1] - 1e-4
    step = project(weights - 1e-3 * gradient, max_weight, sums)
    at_step = ((X.T @ step / n_rows - mean) ** 2).sum() / (mean @ mean)
    assert at_step >= result.objective[-1] - 1e-6


@given(
    values=st.lists(st.floats(-50, 50), min_size=1, max_size=30),
    most=st.floats(1, 20),
    epsilon=st.floats(0, 1.5),
)
@examples(200)
def test_the_projection_is_the_nearest_feasible_vector(values, most, epsilon):
    values = np.array(values)
    n = len(values)
    sums = max(0.0, 1 - epsilon) * n, (1 + epsilon) * n
    nearest = project(values, most, sums)
    assert nearest.min() >= 0
    assert nearest.max() <= most
    assert sums[0] - 1e-9 * n <= nearest.sum() <= sums[1] + 1e-9 * n
    np.testing.assert_allclose(project(nearest, most, sums), nearest, atol=1e-9)
    generator = np.random.default_rng(n)
    for _ in range(10):  # the angle to every feasible vector is obtuse
        other = generator.uniform(0, most, n)
        other *= np.clip(other.sum(), *sums) / max(other.sum(), 1e-12)
        if other.max() <= most:
            assert (values - nearest) @ (other - nearest) <= 1e-7 * n


def test_ties_at_both_bounds():
    np.testing.assert_allclose(project(np.array([5.0, 5, -5, -5]), 2.0, (4, 4)), [2, 2, 0, 0])
    np.testing.assert_allclose(project(np.full(4, 9.0), 2.0, (4, 4)), 1)
    np.testing.assert_allclose(project(np.full(4, 9.0), 1.0, (4, 4)), 1)


def test_a_mean_that_can_be_matched_is_matched():
    X, _ = random_problem(0, 40, 5)
    weights = np.random.default_rng(1).uniform(0, 2, 40)
    weights /= weights.mean()
    result = match(X, X.T @ weights / 40, max_weight=3.0)
    assert result.objective[-1] < 1e-12


def test_rows_may_be_in_several_blocks():
    X, mean = random_problem(3, 20, 30)
    whole = match(X, mean).weights
    parts = match([X[:4], X[4:5], X[5:]], mean).weights
    np.testing.assert_allclose(parts, whole, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_fit_stops_when_the_objective_does_not_change(dtype):
    X, mean = random_problem(4, 200, 50)
    result = match(X.astype(dtype), mean, max_weight=5.0, tol=1e-6)
    assert result.converged
    assert result.n_iter < 500
    best = match(X, mean, max_weight=5.0).objective[-1]
    assert result.objective[-1] == pytest.approx(best, abs=1e-4)


def test_weights_are_1_if_there_is_nothing_to_match():
    X, mean = random_problem(0, 6, 4)
    for result in (match(X, np.zeros(4)), match(np.zeros((6, 4)), mean)):
        np.testing.assert_array_equal(result.weights, np.ones(6))
    empty = match([], mean)
    assert len(empty.weights) == 0
    assert empty.objective == [0.0, 0.0]
    assert empty.converged


def test_empty_documents_do_not_count_in_a_mean():
    blocks = [as_documents(np.array([[1.0, 0], [0, 0]])), as_documents(np.array([[0.0, 3]]))]
    np.testing.assert_allclose(mean_document(blocks, 2), [0.5, 1.5])
    np.testing.assert_array_equal(mean_document([], 2), [0, 0])
