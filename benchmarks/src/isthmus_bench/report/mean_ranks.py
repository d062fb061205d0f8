"""Mean ranks of methods over problems, with the Friedman and Nemenyi tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, rankdata, studentized_range

__all__ = ["MeanRanks", "critical_difference", "mean_ranks", "places"]

# Rounded, so that equal scores are ties despite rounding errors.
_DIGITS = 9


@dataclass(frozen=True)
class MeanRanks:
    """Mean ranks of methods on the same problems.

    Attributes
    ----------
    ranks : ndarray of shape (n_methods,)
        Mean ranks; 1 for a method that is best on all problems.
    critical_difference : float
        Minimum significant difference of two mean ranks (Nemenyi test at the given level).
    p_value : float, optional
        Of the Friedman test of equal methods; None for fewer than three methods or two problems.
    """

    ranks: NDArray[np.float64]
    critical_difference: float
    p_value: float | None


def mean_ranks(scores: Any, level: float = 0.05) -> MeanRanks:
    r"""Rank methods on every problem and average (Demšar, JMLR 7, 2006).

    .. math:: CD = q_{level} \sqrt{k (k + 1) / (6 N)}

    for :math:`k` methods on :math:`N` problems, with the studentized range divided by
    :math:`\sqrt 2` as :math:`q`.

    Parameters
    ----------
    scores : array of shape (n_problems, n_methods)
        Larger is better; ``nan`` for a method that failed, which gets the last rank.
    level : float
        Significance level.

    Returns
    -------
    MeanRanks
        The mean ranks in the order of the columns.

    Examples
    --------
    >>> mean_ranks([[0.9, 0.8, 0.7], [0.8, 0.8, 0.6], [0.9, 0.7, 0.8]]).ranks.round(2)
    array([1.17, 2.17, 2.67])
    """
    values = _checked(scores)
    n_problems, n_methods = values.shape
    ranks = np.apply_along_axis(_rank, 1, values)
    return MeanRanks(
        ranks.mean(axis=0),
        critical_difference(n_methods, n_problems, level),
        _friedman(ranks),
    )


def critical_difference(n_methods: int, n_problems: int, level: float = 0.05) -> float:
    """Return the minimum significant difference of two mean ranks (Nemenyi test)."""
    quantile = studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_problems)))


def places(scores: Any) -> NDArray[np.float64]:
    """Return the rank of every method on one problem, scaled to 0 for the best and 1 for the last.

    Scaled ranks are comparable between problems with different numbers of methods. A score of
    ``nan`` marks a failure, which gets the last rank.
    """
    values = np.asarray(scores, float)
    if len(values) < 2:
        return np.zeros(len(values))
    return np.asarray((_rank(values) - 1) / (len(values) - 1))


def _rank(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ranks from 1 for the best; ties share their mean rank, failures get the last rank."""
    failed = np.isnan(values)
    ranks = np.asarray(rankdata(np.where(failed, np.inf, -np.round(values, _DIGITS))), float)
    ranks[failed] = len(values)
    return ranks


def _friedman(ranks: NDArray[np.float64]) -> float | None:
    if ranks.shape[1] < 3 or len(ranks) < 2:
        return None
    if np.all(ranks == ranks[0, 0]):
        return 1.0
    return float(friedmanchisquare(*ranks.T).pvalue)


def _checked(scores: Any) -> NDArray[np.float64]:
    values = np.asarray(scores, float)
    if values.ndim != 2 or values.shape[0] < 1 or values.shape[1] < 2:
        raise ValueError(
            f"scores has the shape {values.shape}: pass one row per problem and one column per "
            "method, with at least two methods."
        )
    return values
