"""Class proportions from classifiers and curves of kappa: known answers and properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.solvers.ensemble.proportions import (
    GRID,
    HalfPredictor,
    Proportions,
    estimate_proportions,
    kappa_curves,
    mean_kappa,
    near_source,
)

ESTIMATES = [np.array([0.3, 0.7]), np.array([0.5, 0.5]), np.array([0.4, 0.6])]


def clusters(sizes, seed=0, distance=3.0):
    """Points around one center per class, their classes, and which points are in the first half."""
    generator = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    points = generator.standard_normal((len(labels), 6))
    points[np.arange(len(labels)), labels] += distance
    return points, labels, generator.random(len(labels)) < 0.5


def noisy_scores(points, labels, seed=1):
    """Scores whose order within a class is random, as those of classifiers are."""
    generator = np.random.default_rng(seed)
    n_classes = labels.max() + 1
    return points[:, :n_classes] + generator.standard_normal((len(labels), n_classes))


def test_curve_of_two_clusters_peaks_at_the_size_of_the_small_one():
    points, labels, in_first = clusters((80, 320), distance=5.0)
    predictor = HalfPredictor(points, in_first)
    curves = kappa_curves(noisy_scores(points, labels), predictor)
    assert GRID[curves[0].argmax()] == pytest.approx(0.2, abs=0.05)
    assert GRID[curves[1].argmax()] == pytest.approx(0.8, abs=0.05)
    assert curves[0].max() > 0.9
    assert curves[0][np.abs(GRID - 0.5).argmin()] < curves[0].max() - 0.1


def test_second_of_two_classes_is_the_complement():
    points, labels, in_first = clusters((50, 150))
    curves = kappa_curves(noisy_scores(points, labels), HalfPredictor(points, in_first))
    np.testing.assert_allclose(curves[1], np.interp(1 - GRID, GRID, curves[0]))


def test_curves_of_three_clusters():
    points, labels, in_first = clusters((60, 120, 220), distance=6.0)
    predictor = HalfPredictor(points, in_first)
    curves = kappa_curves(noisy_scores(points, labels), predictor)
    np.testing.assert_allclose(GRID[curves.argmax(axis=1)], [0.15, 0.3, 0.55], atol=0.06)


def test_kappa_of_right_and_of_random_labels():
    points, labels, in_first = clusters((100, 300), distance=6.0)
    predictor = HalfPredictor(points, in_first)
    assert mean_kappa(np.eye(2)[labels], predictor) > 0.95
    kappas = [
        mean_kappa(np.eye(2)[np.random.default_rng(seed).permutation(labels)], predictor)
        for seed in range(10)
    ]
    assert abs(np.mean(kappas)) < 0.05
    assert max(kappas) < 0.2


def test_kappa_of_a_labeling_with_one_class_is_0():
    points, labels, in_first = clusters((50, 50))
    one_class = np.zeros((len(labels), 3))
    one_class[:, 1] = 1
    assert mean_kappa(one_class, HalfPredictor(points, in_first)) == 0


def test_unused_classes_do_not_count():
    points, labels, in_first = clusters((50, 50))
    predictor = HalfPredictor(points, in_first)
    expected = mean_kappa(np.eye(2)[labels], predictor)
    assert mean_kappa(np.eye(4)[2 * labels], predictor) == expected


def test_kappas_by_hand():
    """Four points in a line; the prediction of each half orders the other half perfectly or not.

    The labels of the first half (rows 0 and 1) increase with the coordinate, those of the second
    half (rows 2 and 3) decrease, so that every prediction is wrong: kappa is -1.
    """
    points = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    in_first = np.array([True, True, False, False])
    predictor = HalfPredictor(points, in_first)
    right = np.eye(2)[[0, 1, 0, 1]]
    wrong = np.eye(2)[[0, 1, 1, 0]]
    assert mean_kappa(right, predictor) == pytest.approx(1)
    assert mean_kappa(wrong, predictor) == pytest.approx(-1)


def test_ridge_regression_by_hand():
    """One coordinate and an intercept with penalty 1 on both: solve(Z'Z + I, Z'y)."""
    points = np.array([[2.0], [0.0], [1.0]])
    predictor = HalfPredictor(points, np.array([True, True, False]))
    Z = np.array([[2.0, 1.0], [0.0, 1.0]])
    weights = np.linalg.inv(Z.T @ Z + np.eye(2)) @ Z.T @ np.array([1.0, 0.0])
    expected = np.array([1.0, 1.0]) @ weights
    assert predictor.predict(np.array([[1.0], [0.0], [0.0]]))[2, 0] == pytest.approx(expected)


def test_no_row_is_predicted_from_its_own_half():
    points, labels, in_first = clusters((30, 40))
    predictor = HalfPredictor(points, in_first)
    before = predictor.predict(np.eye(2)[labels])
    for row in (0, 20, 69):
        changed = labels.copy()
        changed[row] = 1 - changed[row]
        after = predictor.predict(np.eye(2)[changed])
        own_half = in_first == in_first[row]
        np.testing.assert_array_equal(after[own_half], before[own_half])
        assert (after[~own_half] != before[~own_half]).all()


def test_halves_cover_all_rows():
    points, _, in_first = clusters((30, 40))
    halves = HalfPredictor(points, in_first).halves()
    assert len(halves) == 2
    for train, test in halves:
        assert sorted([*train, *test]) == list(range(70))
        assert len(set(in_first[train])) == len(set(in_first[test])) == 1


def test_empty_half():
    """All documents may be duplicates of one another."""
    points, labels, _ = clusters((10, 10))
    predictor = HalfPredictor(points, np.ones(20, np.bool_))
    assert np.isfinite(predictor.predict(np.eye(2)[labels])).all()
    assert np.isfinite(mean_kappa(np.eye(2)[labels], predictor))
    assert np.isfinite(kappa_curves(points[:, :2], predictor)).all()


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
