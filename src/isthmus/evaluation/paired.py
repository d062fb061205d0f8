"""Whether one method is better than another, on the same documents or on the same problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from isthmus.evaluation.proportions import compare

__all__ = ["PairedTest", "SignedRanks", "paired_test", "signed_ranks"]

# Differences of the same two numbers in another order are equal, whatever the last digit says.
_DIGITS = 9


@dataclass(frozen=True)
class PairedTest:
    """Two methods on the same documents.

    Attributes
    ----------
    difference : float
        The first one's accuracy less the second one's, as a share.
    first_only, second_only : int
        Documents that only the one, and only the other, got right.
    p_value : float
        Of the exact McNemar test, two-sided.
    n_documents : int
        All documents.
    """

    difference: float
    first_only: int
    second_only: int
    p_value: float
    n_documents: int


@dataclass(frozen=True)
class SignedRanks:
    """Two methods on the same problems.

    Attributes
    ----------
    difference : float
        The mean difference, in the unit of the scores.
    better, equal, worse : int
        Problems on which the first one has the higher, the same, the lower score.
    p_value : float
        Of the exact Wilcoxon signed-rank test, two-sided.
    """

    difference: float
    better: int
    equal: int
    worse: int
    p_value: float


def paired_test(truth: Any, first: Any, second: Any) -> PairedTest:
    """Compare the labels that two methods gave the same documents.

    Only documents that one of them got right and the other wrong tell them apart. If the two are
    equally good each of these speaks for either with an even chance, and the p-value is that of
    the binomial test: how often chance alone would divide them at least so unevenly. It takes the
    documents for independent draws.

    Parameters
    ----------
    truth, first, second : array-like of shape (n_documents,)
        The true labels and those of the two methods, text or numbers.

    Returns
    -------
    PairedTest

    References
    ----------
    Q. McNemar (1947). Note on the sampling error of the difference between correlated
    proportions or percentages. Psychometrika 12 (2), 153-157.

    Examples
    --------
    >>> from isthmus import paired_test
    >>> truth = ["good"] * 10
    >>> found = paired_test(truth, truth, ["good"] * 4 + ["bad"] * 6)
    >>> found.first_only, found.second_only, found.p_value
    (6, 0, 0.03125)
    """
    labels = {"truth": truth, "first": first, "second": second}
    read = {name: _one_a_document(values, name) for name, values in labels.items()}
    lengths = {name: len(values) for name, values in read.items()}
    if len(set(lengths.values())) > 1 or not lengths["truth"]:
        raise ValueError(
            f"truth, first and second have {', '.join(map(str, lengths.values()))} labels: give "
            "each one label for every document, and one document or more."
        )
    one, other = (np.asarray(read[name] == read["truth"], bool) for name in ("first", "second"))
    first_only, second_only = int(np.sum(one & ~other)), int(np.sum(other & ~one))
    found = compare(int(np.sum(one & other)), first_only, second_only, len(one))
    return PairedTest(found.difference, first_only, second_only, found.p_value, len(one))


def signed_ranks(first: Any, second: Any) -> SignedRanks:
    """Compare the scores of two methods on the same problems.

    Wilcoxon's test: differences are ranked by their size, those of 0 left out, and the p-value is
    how often equal chances for either sign would give a sum of ranks at least so far from even. It
    is counted out exactly for the ranks there are, equal ones included, however many there are.

    Parameters
    ----------
    first, second : array-like of float of shape (n_problems,)
        A score for every problem.

    Returns
    -------
    SignedRanks

    References
    ----------
    F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1 (6), 80-83.
    """
    one, other = np.asarray(first, float), np.asarray(second, float)
    if one.ndim != 1 or one.shape != other.shape or not one.size:
        raise ValueError(
            f"first and second have the shapes {one.shape} and {other.shape}: give each one score "
            "for every problem, and one problem or more."
        )
    if not np.isfinite([one, other]).all():
        raise ValueError("first or second holds a score that is not a finite number.")
    differences = np.round(one - other, _DIGITS)
    return SignedRanks(
        difference=float(differences.mean()),
        better=int(np.count_nonzero(differences > 0)),
        equal=int(np.count_nonzero(differences == 0)),
        worse=int(np.count_nonzero(differences < 0)),
        p_value=_rank_p_value(differences[differences != 0]),
    )


def _one_a_document(values: Any, name: str) -> NDArray[Any]:
    labels = np.asarray(values)
    if labels.ndim != 1:
        raise ValueError(f"{name} has the shape {labels.shape}: give one label a document.")
    # As objects, so that a label is compared with a label of another kind and found different.
    return labels.astype(object)


def _rank_p_value(differences: NDArray[np.float64]) -> float:
    """Two-sided p-value of differences other than 0; 1 if there is none."""
    # Twice the rank is a whole number also where equal sizes share a mean rank.
    ranks = np.rint(2 * rankdata(np.abs(differences))).astype(int)
    # chances[s]: how likely the ranks of one sign sum to s, by one rank after the other.
    chances = np.ones(1)
    for rank in ranks.tolist():
        without, with_it = np.zeros((2, len(chances) + rank))
        without[: len(chances)] = chances
        with_it[rank:] = chances
        chances = 0.5 * (without + with_it)
    above = int(ranks[differences > 0].sum())
    tails = chances[: above + 1].sum(), chances[above:].sum()
    return float(min(1.0, 2 * min(tails)))
