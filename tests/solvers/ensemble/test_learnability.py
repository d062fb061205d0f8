"""How well one half of the documents predicts a labeling of the other: known answers."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus.solvers.ensemble.proportions import GRID, HalfPredictor, kappa_curves, mean_kappa


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
