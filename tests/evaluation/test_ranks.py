"""Mean ranks and the critical difference, against figures worked out by hand or printed."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus.evaluation.ranks import critical_difference, mean_ranks, places


def test_ranks_share_ties_and_put_failures_last() -> None:
    found = mean_ranks([[0.9, 0.9, 0.5, np.nan], [0.1, 0.2, 0.3, np.nan]])
    np.testing.assert_allclose(found.ranks, [(1.5 + 3) / 2, (1.5 + 2) / 2, (3 + 1) / 2, 4.0])


def test_failures_do_not_help_each_other() -> None:
    found = mean_ranks([[0.9, np.nan, np.nan, np.nan]])
    np.testing.assert_allclose(found.ranks, [1, 4, 4, 4])
    np.testing.assert_allclose(places([0.9, np.nan, np.nan]), [0, 1, 1])


def test_no_test_where_there_is_none() -> None:
    assert mean_ranks([[0.9, 0.1]] * 50).p_value is None
    assert mean_ranks([[0.9, 0.1, 0.2]]).p_value is None


def test_rounding_makes_no_rank() -> None:
    found = mean_ranks([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]])
    np.testing.assert_allclose(found.ranks, [1.5, 1.5])


def test_critical_difference_of_demsar() -> None:
    # Demšar (2006), section 3.2.2: four classifiers on 14 data sets, q = 2.569.
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), rel=1e-3)
    # Table 5(a): two classifiers need 1.960, ten 3.164.
    for k, quantile in ((2, 1.960), (10, 3.164)):
        assert critical_difference(k, 6) == pytest.approx(
            quantile * np.sqrt(k * (k + 1) / 36), rel=1e-3
        )


def test_friedman_finds_what_is_always_better_and_nothing_in_equals() -> None:
    rng = np.random.default_rng(0)
    noise = rng.random((30, 4))
    found = mean_ranks(noise + np.arange(4)).p_value
    assert found is not None
    assert found < 1e-6
    assert mean_ranks(np.ones((30, 4))).p_value == 1.0


def test_places_go_from_the_best_to_the_last() -> None:
    np.testing.assert_allclose(places([0.5, 0.9, 0.7]), [1.0, 0.0, 0.5])
    np.testing.assert_allclose(places([0.5, np.nan]), [0.0, 1.0])
    np.testing.assert_allclose(places([0.5]), [0.0])


def test_scores_of_one_method_are_refused() -> None:
    with pytest.raises(ValueError, match=r"two or more methods, not the shape \(3, 1\)"):
        mean_ranks([[1.0], [2.0], [3.0]])
