"""Mean ranks and the critical difference, against computed and published values."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus_bench.report.mean_ranks import critical_difference, mean_ranks, places


def test_ranks_with_ties_and_failures() -> None:
    result = mean_ranks([[0.9, 0.9, 0.5, np.nan], [0.1, 0.2, 0.3, np.nan]])
    np.testing.assert_allclose(result.ranks, [(1.5 + 3) / 2, (1.5 + 2) / 2, (3 + 1) / 2, 4.0])


def test_all_failures_have_the_last_rank() -> None:
    result = mean_ranks([[0.9, np.nan, np.nan, np.nan]])
    np.testing.assert_allclose(result.ranks, [1, 4, 4, 4])
    np.testing.assert_allclose(places([0.9, np.nan, np.nan]), [0, 1, 1])


def test_no_friedman_test_of_few_methods_or_problems() -> None:
    assert mean_ranks([[0.9, 0.1]] * 50).p_value is None
    assert mean_ranks([[0.9, 0.1, 0.2]]).p_value is None


def test_rounding_errors_do_not_break_ties() -> None:
    result = mean_ranks([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]])
    np.testing.assert_allclose(result.ranks, [1.5, 1.5])


def test_critical_difference_of_demsar() -> None:
    # Demšar (2006), section 3.2.2: four classifiers on 14 data sets, q = 2.569.
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), rel=1e-3)
    # Table 5(a): two classifiers need 1.960, ten 3.164.
    for k, quantile in ((2, 1.960), (10, 3.164)):
        assert critical_difference(k, 6) == pytest.approx(
            quantile * np.sqrt(k * (k + 1) / 36), rel=1e-3
        )


def test_friedman_of_different_and_equal_methods() -> None:
    rng = np.random.default_rng(0)
    noise = rng.random((30, 4))
    p_value = mean_ranks(noise + np.arange(4)).p_value
    assert p_value is not None
    assert p_value < 1e-6
    assert mean_ranks(np.ones((30, 4))).p_value == 1.0


def test_places_are_scaled_ranks() -> None:
    np.testing.assert_allclose(places([0.5, 0.9, 0.7]), [1.0, 0.0, 0.5])
    np.testing.assert_allclose(places([0.5, np.nan]), [0.0, 1.0])
    np.testing.assert_allclose(places([0.5]), [0.0])


def test_scores_of_one_method() -> None:
    with pytest.raises(ValueError, match=r"shape \(3, 1\).* two methods"):
        mean_ranks([[1.0], [2.0], [3.0]])
