"""Paired tests, with answers computed by hand or by SciPy."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import wilcoxon

from isthmus import paired_test
from isthmus.evaluation.paired import signed_ranks

TRUTH = np.array(["x"] * 20)


def labels(right: str) -> np.ndarray:
    """Labels that are right where there is a 1."""
    return np.array(["x" if bit == "1" else "y" for bit in right])


def test_documents_that_tell_two_methods_apart() -> None:
    first = labels("11111111" + "00" + "1111100000")
    second = labels("00000000" + "11" + "1111100000")
    found = paired_test(TRUTH, first, second)
    assert (found.first_only, found.second_only, found.n_documents) == (8, 2, 20)
    assert found.difference == pytest.approx(6 / 20)
    assert found.p_value == pytest.approx(2 * sum(comb(10, k) for k in range(3)) / 2**10)
    turned = paired_test(TRUTH, second, first)
    assert (turned.difference, turned.p_value) == (-found.difference, found.p_value)


def test_wrong_in_different_ways_is_wrong_alike() -> None:
    found = paired_test([0, 1, 2], [1, 1, 2], [2, 1, 2])
    assert (found.difference, found.first_only, found.second_only, found.p_value) == (0, 0, 0, 1)


def test_labels_of_another_kind_are_no_match() -> None:
    assert paired_test(["0", "1"], [0, 1], ["0", "1"]).second_only == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([], [], []), "0, 0, 0 labels: give each one label for every document"),
        (([1, 2], [1, 2], [1]), "2, 2, 1 labels"),
        (([1, 2], [[1, 2]], [1, 2]), r"first has the shape \(1, 2\): give one label a document"),
    ],
)
def test_labels_that_do_not_fit(given: tuple[list[int], ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        paired_test(*given)


def test_problems_with_different_sizes_of_differences_are_as_in_scipy() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 5, 12, 30):
        first, second = rng.normal(loc=0.4, size=n), rng.normal(size=n)
        found = signed_ranks(first, second)
        assert found.p_value == pytest.approx(wilcoxon(first - second, method="exact").pvalue)
        assert found.difference == pytest.approx(np.mean(first - second))
        assert found.better + found.worse == n


def test_equal_differences_share_their_rank() -> None:
    differences = np.array([0.5, 0.5, -0.5, 2.0, 3.0, 0.0, 0.0])
    found = signed_ranks(80 + differences, np.full(7, 80.0))
    assert (found.better, found.equal, found.worse) == (4, 2, 1)
    # Ranks 2, 2, 2, 4, 5: of the 32 signs so many leave 2 or less to one side.
    ranks = np.array([2, 2, 2, 4, 5])
    sums = [np.dot(signs, ranks) for signs in product((0, 1), repeat=5)]
    assert found.p_value == pytest.approx(2 * sum(total <= 2 for total in sums) / 32)


def test_the_last_digit_makes_no_difference() -> None:
    found = signed_ranks([0.1 + 0.2, 0.8, 0.7], [0.3, 0.7, 0.6])
    assert (found.better, found.equal) == (2, 1)
    assert found.p_value == 0.5


def test_nothing_to_tell_apart() -> None:
    found = signed_ranks([70.0, 71.0], [70.0, 71.0])
    assert (found.difference, found.equal, found.p_value) == (0.0, 2, 1.0)


def test_hundreds_of_problems_are_counted_out_too() -> None:
    differences = np.arange(1.0, 301.0) * np.where(np.arange(300) % 3, 1, -1)
    found = signed_ranks(differences, np.zeros(300))
    expected = wilcoxon(differences, method="exact").pvalue
    assert 0 < found.p_value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([], [], "one score for every problem, and one problem or more"),
        ([1.0], [1.0, 2.0], r"shapes \(1,\) and \(2,\)"),
        ([1.0, np.nan], [1.0, 2.0], "not a finite number"),
    ],
)
def test_scores_that_do_not_fit(first: list[float], second: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        signed_ranks(first, second)
