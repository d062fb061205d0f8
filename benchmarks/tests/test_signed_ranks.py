"""The signed-rank test, against values computed by hand or by SciPy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import wilcoxon

from isthmus_bench.report.signed_ranks import signed_ranks


def test_wilcoxon_as_in_scipy() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 5, 12, 30):
        first, second = rng.normal(loc=0.4, size=n), rng.normal(size=n)
        result = signed_ranks(first, second)
        assert result.p_value == pytest.approx(wilcoxon(first - second, method="exact").pvalue)
        assert result.difference == pytest.approx(np.mean(first - second))
        assert result.better + result.worse == n


def test_ties_share_their_rank() -> None:
    differences = np.array([0.5, 0.5, -0.5, 2.0, 3.0, 0.0, 0.0])
    result = signed_ranks(80 + differences, np.full(7, 80.0))
    assert (result.better, result.equal, result.worse) == (4, 2, 1)
    # Ranks 2, 2, 2, 4, 5: count the combinations of signs with a rank sum of 2 or less.
    ranks = np.array([2, 2, 2, 4, 5])
    sums = [np.dot(signs, ranks) for signs in product((0, 1), repeat=5)]
    assert result.p_value == pytest.approx(2 * sum(total <= 2 for total in sums) / 32)


def test_rounding_errors_are_ignored() -> None:
    result = signed_ranks([0.1 + 0.2, 0.8, 0.7], [0.3, 0.7, 0.6])
    assert (result.better, result.equal) == (2, 1)
    assert result.p_value == 0.5


def test_equal_scores() -> None:
    result = signed_ranks([70.0, 71.0], [70.0, 71.0])
    assert (result.difference, result.equal, result.p_value) == (0.0, 2, 1.0)


def test_exact_p_value_of_hundreds_of_problems() -> None:
    differences = np.arange(1.0, 301.0) * np.where(np.arange(300) % 3, 1, -1)
    result = signed_ranks(differences, np.zeros(300))
    expected = wilcoxon(differences, method="exact").pvalue
    assert 0 < result.p_value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([], [], "one score per problem"),
        ([1.0], [1.0, 2.0], r"shapes \(1,\) and \(2,\)"),
        ([1.0, np.nan], [1.0, 2.0], "not finite"),
    ],
)
def test_invalid_scores(first: list[float], second: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        signed_ranks(first, second)
