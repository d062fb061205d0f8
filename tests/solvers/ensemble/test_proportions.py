"""Class proportions from classifiers and curves of kappa: known answers and properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.solvers.ensemble.proportions import (
    GRID,
    Proportions,
    estimate_proportions,
    near_source,
)

ESTIMATES = [np.array([0.3, 0.7]), np.array([0.5, 0.5]), np.array([0.4, 0.6])]


def peak_at(*proportions, height=0.95, width=0.06):
    """One curve per class with a peak at its proportion, which must be in ``GRID``."""
    assert all(np.isclose(GRID, p).any() for p in proportions)
    return np.array([height - np.minimum(((GRID - p) / width) ** 2, 1) for p in proportions])


def test_mean_of_the_estimates_without_curves():
    result = estimate_proportions(ESTIMATES, None)
    np.testing.assert_allclose(result.prior, [0.4, 0.6])
    np.testing.assert_array_equal(result.weight, [0, 0])
    # By hand: the mean square deviation of the estimates is (.01 + .01 + 0) / 3, and the sampling
    # variance of 2,500 documents .4 * .6 / 2500.
    width = 1.28 * np.sqrt(0.04**2 + 0.02 / 3 + 0.24 / 2500)
    np.testing.assert_allclose(result.low, [0.4 - width, 0.6 - width])
    np.testing.assert_allclose(result.high, [0.4 + width, 0.6 + width])


def test_sharp_peak_of_two_classes():
    result = estimate_proportions(ESTIMATES, peak_at(0.22, 0.78))
    np.testing.assert_allclose(result.prior, [0.22, 0.78], atol=0.01)
    np.testing.assert_array_equal(result.weight, [1, 1])


def test_sharp_peaks_of_three_classes():
    estimates = [np.array([0.3, 0.3, 0.4])]
    result = estimate_proportions(estimates, peak_at(0.1, 0.3, 0.62))
    np.testing.assert_allclose(result.prior, np.array([0.1, 0.3, 0.62]) / 1.02, atol=0.01)


@pytest.mark.parametrize("height", [0.0, 0.5, 0.7])
def test_labels_that_cannot_be_learned_leave_the_mean(height):
    result = estimate_proportions(ESTIMATES, peak_at(0.22, 0.78, height=height))
    np.testing.assert_allclose(result.prior, [0.4, 0.6])
    np.testing.assert_array_equal(result.weight, [0, 0])


def test_weight_grows_with_kappa():
    heights = np.linspace(0.7, 0.95, 6)
    results = [estimate_proportions(ESTIMATES, peak_at(0.22, 0.78, height=h)) for h in heights]
    weights = [result.weight[0] for result in results]
    assert weights == sorted(weights)
    assert weights[0] == 0
    assert weights[-1] == 1
    priors = [result.prior[0] for result in results]
    assert priors == sorted(priors, reverse=True)


def test_flat_curve_leaves_the_estimates_nearly_unchanged():
    result = estimate_proportions(ESTIMATES, np.full((2, len(GRID)), 0.95))
    np.testing.assert_allclose(result.prior, [0.4, 0.6], atol=0.05)


def test_nearer_of_two_equal_peaks_counts_more():
    both = np.maximum(peak_at(0.1, 0.9), peak_at(0.5, 0.5))
    near_half, near_tenth = (
        estimate_proportions([np.array([p, 1 - p])], both).prior[0] for p in (0.6, 0.1)
    )
    assert near_half > near_tenth + 0.1
    assert near_tenth < 0.2


def test_class_that_no_classifier_finds_keeps_a_small_proportion():
    result = estimate_proportions([np.array([1.0, 0.0])], None)
    assert 0 < result.prior[1] < 0.01
    assert result.low[1] == 0


def test_interval_is_wider_if_the_classifiers_disagree():
    agree = estimate_proportions([np.array([0.4, 0.6])] * 3, None)
    disagree = estimate_proportions([np.array([0.2, 0.8]), np.array([0.6, 0.4])], None)
    assert (disagree.high - disagree.low > agree.high - agree.low).all()
    np.testing.assert_allclose(agree.high - agree.low, 2 * 1.28 * np.sqrt(0.04**2 + 0.24 / 2500))


@given(st.data(), st.integers(2, 6), st.integers(1, 4), st.booleans())
def test_intervals_contain_the_estimate(data, n_classes, n_estimates, has_curves):
    generator = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    concentration = data.draw(st.sampled_from([0.05, 1.0, 20.0]))
    estimates = list(generator.dirichlet(np.full(n_classes, concentration), n_estimates))
    curves = generator.uniform(-1, 1, (n_classes, len(GRID))) if has_curves else None
    result = estimate_proportions(estimates, curves)
    assert result.prior.sum() == pytest.approx(1)
    assert (result.prior > 0).all()
    assert (result.low >= 0).all()
    assert (result.high <= 1).all()
    assert (result.low <= result.prior).all()
    assert (result.prior <= result.high).all()
    assert ((result.weight >= 0) & (result.weight <= 1)).all()


def test_votes_count_as_much_as_the_estimates():
    estimates = [np.array([0.2, 0.8])]
    result = estimate_proportions(estimates, None, votes=np.array([0.5, 0.5]))
    # The odds are the geometric mean of 1 / 4 and 1.
    np.testing.assert_allclose(result.prior, [1 / 3, 2 / 3])


def test_votes_without_a_class_leave_it_a_small_proportion():
    estimates = [np.array([0.5, 0.5])]
    result = estimate_proportions(estimates, None, votes=np.array([1.0, 0.0]))
    assert 0 < result.prior[1] < 0.1


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        (0.52, 0.5),  # within the error of an estimate
        (0.6, 0.6),  # a change
        (0.45, 0.48),  # between both
    ],
)
def test_a_small_change_is_taken_for_an_error(estimate, expected):
    prior = np.array([estimate, 1 - estimate])
    proportions = Proportions(prior, prior - 0.1, prior + 0.1, np.zeros(2))
    result = near_source(proportions, np.array([0.5, 0.5]))
    np.testing.assert_allclose(result.prior, [expected, 1 - expected], atol=1e-4)
    np.testing.assert_allclose(result.high - result.low, 0.2)
    assert np.all(result.low <= result.prior)
    assert np.all(result.prior <= result.high)
