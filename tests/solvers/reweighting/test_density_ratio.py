"""Density ratios by kernel density estimates and KLIEP."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm, spearmanr

from common import examples
from isthmus.solvers.reweighting._kliep import fit_mixture_weights, kliep_ratio
from isthmus.solvers.reweighting.covariate_shift import (
    effective_size,
    evenly_spaced,
    folds_by_projection,
    kernel_density_ratio,
    squared_distances,
    tempered_weights,
)

GENERATOR = np.random.default_rng(0)
SOURCE = GENERATOR.normal(0.0, 1.0, (800, 1))
TARGET = GENERATOR.normal(1.0, 0.7, (600, 1))
TRUTH = norm.logpdf(SOURCE[:, 0], 1.0, 0.7) - norm.logpdf(SOURCE[:, 0], 0.0, 1.0)


def test_distances_and_weights_by_hand():
    result = squared_distances(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 0.0]]))
    np.testing.assert_allclose(result, [[0], [25]], atol=1e-12)
    weights = tempered_weights(np.log([1.0, 4.0, 16.0]), 0.5)
    np.testing.assert_allclose(weights, np.array([1, 2, 4]) * 3 / 7)
    assert effective_size(np.array([2.0, 2.0, 0.0, 0.0])) == pytest.approx(2)
    assert effective_size(weights) == pytest.approx(49 / 21)
    # Extreme ratios stay finite.
    assert np.isfinite(tempered_weights(np.array([-5000.0, 5000.0]), 1.0)).all()


def test_power_0_gives_equal_weights():
    np.testing.assert_array_equal(tempered_weights(TRUTH, 0.0), np.ones(len(TRUTH)))


def test_folds_keep_duplicates_together_and_ignore_the_row_order():
    projections = np.array([3.0, 1.0, 3.0, 2.0, 0.0])
    folds = folds_by_projection(projections, 2)
    assert folds[0] == folds[2]
    assert sorted(np.unique(folds[[0, 1, 3, 4]], return_counts=True)[1].tolist()) == [2, 2]
    order = np.array([4, 2, 0, 1, 3])
    np.testing.assert_array_equal(folds_by_projection(projections[order], 2), folds[order])
    # Evenly spaced rows, such as kernels, are in all folds.
    even = evenly_spaced(np.arange(1000.0), 100)
    assert np.bincount(folds_by_projection(np.arange(1000.0), 5)[even], minlength=5).min() > 5
    values = np.arange(10.0)[::-1]
    assert evenly_spaced(values, 5).tolist() == [9, 7, 5, 3, 1]
    assert sorted(evenly_spaced(values, 50).tolist()) == list(range(10))


@pytest.mark.parametrize("method", ["kde", "kliep"])
def test_ratio_of_two_known_densities(method):
    projections = TARGET[:, 0]
    if method == "kde":
        result = kernel_density_ratio(SOURCE, TARGET, SOURCE[:, 0], projections).log_ratios
    else:
        result = kliep_ratio(SOURCE, TARGET, projections).log_ratios
    assert spearmanr(result, TRUTH).statistic > 0.97
    middle = np.abs(SOURCE[:, 0] - 0.7) < 1  # both domains have documents here
    assert np.abs(result - TRUTH)[middle].max() < 0.5


def test_kernel_density_of_three_documents_by_hand():
    source, target = np.array([[0.0], [1.0], [4.0]]), np.array([[0.0], [2.0]])
    result = kernel_density_ratio(source, target, source[:, 0], target[:, 0])

    def kernel(distance):
        return np.exp(-(distance**2) / (2 * result.width**2))

    # At 1, without its own kernel: target kernels at distances 1 and 1, source kernels at 1 and 3.
    above = (kernel(1) + kernel(1)) / 2
    below = (kernel(1) + kernel(3)) / 2
    assert result.log_ratios[1] == pytest.approx(np.log(above / below))


def test_mean_ratio_of_the_source_is_one():
    result = kliep_ratio(SOURCE, TARGET, TARGET[:, 0])
    assert np.exp(result.log_ratios).mean() == pytest.approx(1)
    assert result.weights.sum() == pytest.approx(1)
    assert (result.weights >= 0).all()


def test_kliep_reaches_the_maximum_of_a_general_solver():
    source, target = SOURCE[:30], TARGET[:6]
    width = 0.6
    result = kliep_ratio(source, target, target[:, 0], width)
    order = np.argsort(target[:, 0])
    near, far = (
        np.exp(-squared_distances(rows, target[order]) / (2 * width**2))
        for rows in (target, source)
    )

    def loss(a):
        return -np.log(near @ a).mean()

    best = minimize(
        loss,
        np.full(6, 1 / far.mean(axis=0).sum()),
        bounds=[(0, None)] * 6,
        constraints={"type": "eq", "fun": lambda a: far.mean(axis=0) @ a - 1},
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    weights = result.weights / far.mean(axis=0)
    assert loss(weights) <= best.fun + 1.1e-3
    np.testing.assert_allclose(np.log(far @ weights), result.log_ratios, atol=1e-9)


@given(st.integers(0, 2**20), st.integers(1, 8), st.integers(1, 6))
@examples(60)
def test_likelihood_never_decreases_and_the_gap_is_a_bound(seed, n_rows, n_parts):
    log_parts = np.random.default_rng(seed).normal(0, 3, (n_rows, n_parts))
    few = fit_mixture_weights(log_parts, 0.0, 20)
    assert (np.diff(few.history) >= -1e-12).all()
    many = fit_mixture_weights(log_parts, 1e-9, 5000)
    assert few.objective - 1e-9 <= many.objective <= few.objective + few.gap + 1e-9


def test_a_distant_target_gives_finite_ratios():
    source, target = SOURCE[:50], TARGET[:50] + 1000.0
    for result in (
        kliep_ratio(source, target, target[:, 0]),
        kernel_density_ratio(source, target, source[:, 0], target[:, 0]),
    ):
        assert np.isfinite(result.log_ratios).all()


def test_single_documents_give_finite_ratios():
    one = np.array([[1.0, 2.0]])
    projection = np.zeros(1)
    assert np.isfinite(kliep_ratio(one, one, projection).log_ratios).all()
    assert np.isfinite(kernel_density_ratio(one, one, projection, projection).log_ratios).all()
