"""The Wilcoxon signed-rank test of two methods on the same problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

__all__ = ["SignedRanks", "signed_ranks"]

# Rounded, so that equal differences are equal despite rounding errors.
_DIGITS = 9


@dataclass(frozen=True)
class SignedRanks:
    """Result of the Wilcoxon signed-rank test of two methods on the same problems.

    Attributes
    ----------
    difference : float
        Mean difference of the scores.
    better, equal, worse : int
        Problems with a higher, equal and lower score of the first method.
    p_value : float
        Two-sided p-value of the exact Wilcoxon signed-rank test.
    """

    difference: float
    better: int
    equal: int
    worse: int
    p_value: float


def signed_ranks(first: Any, second: Any) -> SignedRanks:
    """Compare the scores of two methods on the same problems with the Wilcoxon signed-rank test.

    Differences of 0 are dropped, the others ranked by their absolute value. Under the null
    hypothesis both signs have probability 0.5. The p-value is exact for any number of problems,
    even with ties. ``scipy.stats.wilcoxon`` is not enough: with ties its exact distribution is
    wrong, and it uses the normal approximation or, in later versions, permutations of at most 13
    problems.

    Parameters
    ----------
    first, second : array-like of float of shape (n_problems,)
        One score per problem.

    Returns
    -------
    SignedRanks

    References
    ----------
    F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1 (6), 80-83.
    """
    first_scores, second_scores = np.asarray(first, float), np.asarray(second, float)
    if first_scores.ndim != 1 or first_scores.shape != second_scores.shape or not first_scores.size:
        raise ValueError(
            f"first and second have the shapes {first_scores.shape} and {second_scores.shape}: "
            "pass one score per problem for each, and at least one problem."
        )
    if not np.isfinite([first_scores, second_scores]).all():
        raise ValueError("first or second contains a score that is not finite: drop such problems.")
    differences = np.round(first_scores - second_scores, _DIGITS)
    return SignedRanks(
        difference=float(differences.mean()),
        better=int(np.count_nonzero(differences > 0)),
        equal=int(np.count_nonzero(differences == 0)),
        worse=int(np.count_nonzero(differences < 0)),
        p_value=_rank_p_value(differences[differences != 0]),
    )


def _rank_p_value(differences: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of non-zero differences; 1 if there are none."""
    # Twice the rank is an integer even if ties share a mean rank.
    ranks = np.rint(2 * rankdata(np.abs(differences))).astype(int)
    # probabilities[s]: probability that the ranks of the positive differences sum to s.
    probabilities = np.ones(1)
    for rank in ranks.tolist():
        negative, positive = np.zeros((2, len(probabilities) + rank))
        negative[: len(probabilities)] = probabilities
        positive[rank:] = probabilities
        probabilities = 0.5 * (negative + positive)
    rank_sum = int(ranks[differences > 0].sum())
    tails = probabilities[: rank_sum + 1].sum(), probabilities[rank_sum:].sum()
    return float(min(1.0, 2 * min(tails)))
