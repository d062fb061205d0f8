"""Density ratios by kernels: kernel densities and KLIEP."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm, spearmanr

from isthmus.solvers.reweighting._kliep import kliep_ratio, likeliest_shares
from isthmus.solvers.reweighting.covariate_shift import (
    effective_size,
    evenly,
    folds_by_place,
    kernel_density_ratio,
    squared_distances,
    tempered_weights,
)

GENERATOR = np.random.default_rng(0)
SOURCE = GENERATOR.normal(0.0, 1.0, (800, 1))
TARGET = GENERATOR.normal(1.0, 0.7, (600, 1))
TRUTH = norm.logpdf(SOURCE[:, 0], 1.0, 0.7) - norm.logpdf(SOURCE[:, 0], 0.0, 1.0)


def test_distances_and_weights_by_hand():
    found = squared_distances(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 0.0]]))
    np.testing.assert_allclose(found, [[0], [25]], atol=1e-12)
    weights = tempered_weights(np.log([1.0, 4.0, 16.0]), 0.5)
    np.testing.assert_allclose(weights, np.array([1, 2, 4]) * 3 / 7)
    assert effective_size(np.array([2.0, 2.0, 0.0, 0.0])) == pytest.approx(2)
    assert effective_size(weights) == pytest.approx(49 / 21)
    # Far apart, and still numbers.
    assert np.isfinite(tempered_weights(np.array([-5000.0, 5000.0]), 1.0)).all()


def test_without_power_all_weigh_the_same():
    np.testing.assert_array_equal(tempered_weights(TRUTH, 0.0), np.ones(len(TRUTH)))


def test_copies_stand_in_one_fold_and_order_has_no_part():
    places = np.array([3.0, 1.0, 3.0, 2.0, 0.0])
    folds = folds_by_place(places, 2)
    assert folds[0] == folds[2]
    assert sorted(np.unique(folds[[0, 1, 3, 4]], return_counts=True)[1].tolist()) == [2, 2]
    order = np.array([4, 2, 0, 1, 3])
    np.testing.assert_array_equal(folds_by_place(places[order], 2), folds[order])
    # Rows at even distances, such as kernels, are in all folds.
    even = evenly(np.arange(1000.0), 100)
    assert np.bincount(folds_by_place(np.arange(1000.0), 5)[even], minlength=5).min() > 5
    values = np.arange(10.0)[::-1]
    assert evenly(values, 5).tolist() == [9, 7, 5, 3, 1]
    assert sorted(evenly(values, 50).tolist()) == list(range(10))


@pytest.mark.parametrize("way", ["kde", "kliep"])
def test_the_ratio_of_two_known_densities_is_found(way):
    places = TARGET[:, 0]
    if way == "kde":
        found = kernel_density_ratio(SOURCE, TARGET, SOURCE[:, 0], places).log_ratios
    else:
        found = kliep_ratio(SOURCE, TARGET, places).log_ratios
    assert spearmanr(found, TRUTH).statistic > 0.97
    middle = np.abs(SOURCE[:, 0] - 0.7) < 1  # where both have documents
    assert np.abs(found - TRUTH)[middle].max() < 0.5


def test_kernel_density_of_three_documents_by_hand():
    source, target = np.array([[0.0], [1.0], [4.0]]), np.array([[0.0], [2.0]])
    found = kernel_density_ratio(source, target, source[:, 0], target[:, 0])

    def kernel(distance):
        return np.exp(-(distance**2) / (2 * found.width**2))

    # At 1, without its own kernel: the target's kernels 1 and 1 away, the source's 1 and 3.
    above = (kernel(1) + kernel(1)) / 2
    below = (kernel(1) + kernel(3)) / 2
    assert found.log_ratios[1] == pytest.approx(np.log(above / below))


def test_the_mean_ratio_over_the_source_is_one():
    found = kliep_ratio(SOURCE, TARGET, TARGET[:, 0])
    assert np.exp(found.log_ratios).mean() == pytest.approx(1)
    assert found.shares.sum() == pytest.approx(1)
    assert (found.shares >= 0).all()


def test_kliep_reaches_the_maximum_that_a_general_solver_finds():
    source, target = SOURCE[:30], TARGET[:6]
    width = 0.6
    found = kliep_ratio(source, target, target[:, 0], width)
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
    mine = found.shares / far.mean(axis=0)
    assert loss(mine) <= best.fun + 1.1e-3
    np.testing.assert_allclose(np.log(far @ mine), found.log_ratios, atol=1e-9)


@given(st.integers(0, 2**20), st.integers(1, 8), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_steps_never_lower_the_likelihood_and_the_gap_holds(seed, n_rows, n_parts):
    log_parts = np.random.default_rng(seed).normal(0, 3, (n_rows, n_parts))
    few = likeliest_shares(log_parts, 0.0, 20)
    assert (np.diff(few.history) >= -1e-12).all()
    many = likeliest_shares(log_parts, 1e-9, 5000)
    assert few.objective - 1e-9 <= many.objective <= few.objective + few.gap + 1e-9


def test_a_target_far_from_every_source_document_gives_numbers():
    source, target = SOURCE[:50], TARGET[:50] + 1000.0
    for found in (
        kliep_ratio(source, target, target[:, 0]),
        kernel_density_ratio(source, target, source[:, 0], target[:, 0]),
    ):
        assert np.isfinite(found.log_ratios).all()


def test_single_documents_give_numbers():
    one = np.array([[1.0, 2.0]])
    place = np.zeros(1)
    assert np.isfinite(kliep_ratio(one, one, place).log_ratios).all()
    assert np.isfinite(kernel_density_ratio(one, one, place, place).log_ratios).all()
