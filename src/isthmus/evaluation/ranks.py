"""Mean ranks of methods over many problems, and which of them differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, rankdata, studentized_range

__all__ = ["MeanRanks", "critical_difference", "mean_ranks", "places"]

# Means of the same numbers in another order are equal, whatever the last digit says.
_DIGITS = 9


@dataclass(frozen=True)
class MeanRanks:
    """Methods on the same problems.

    Attributes
    ----------
    ranks : ndarray of shape (n_methods,)
        Mean ranks, 1 for a method that is always the best.
    critical_difference : float
        Mean ranks that lie farther apart differ (Nemenyi's test at the given level).
    p_value : float, optional
        Of Friedman's test that all methods are alike; it takes three of them, and two problems.
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
        Larger is better; ``nan`` for a method that failed, which takes the last place.
    level : float
        How often a difference may be found where there is none.

    Returns
    -------
    MeanRanks
        Of the methods, in the order of the columns.

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
    """How far apart mean ranks have to be for Nemenyi's test to tell two methods apart."""
    quantile = studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_problems)))


def places(scores: Any) -> NDArray[np.float64]:
    """Where every method stands on one problem: 0 for the best of all, 1 for the last.

    That makes problems comparable on which different numbers of methods were run. A score of
    ``nan`` is a failure, and the last place.
    """
    values = np.asarray(scores, float)
    if len(values) < 2:
        return np.zeros(len(values))
    return np.asarray((_rank(values) - 1) / (len(values) - 1))


def _rank(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 for the best; equals share the mean of their ranks, but failures are all the last."""
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
            "scores must have a row for every problem and a column for each of two or more "
            f"methods, not the shape {values.shape}."
        )
    return values
