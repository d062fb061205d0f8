"""Paired significance tests of two methods: McNemar on documents, Wilcoxon on problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from isthmus.evaluation.accuracy import mcnemar_test

__all__ = ["PairedTest", "SignedRanks", "paired_test", "signed_ranks"]

# Rounded, so that equal differences are equal despite rounding errors.
_DIGITS = 9


@dataclass(frozen=True)
class PairedTest:
    """Result of the McNemar test of two methods on the same documents.

    Attributes
    ----------
    difference : float
        Accuracy of the first method minus accuracy of the second, as a fraction.
    first_only, second_only : int
        Documents that only the first and only the second method classifies correctly.
    p_value : float
        Two-sided p-value of the exact McNemar test.
    n_documents : int
        Number of documents.

    Examples
    --------
    >>> from isthmus import paired_test
    >>> test = paired_test(["a", "a", "b", "b"], ["a", "a", "b", "b"], ["a", "b", "a", "b"])
    >>> test.difference, test.first_only, test.p_value
    (0.5, 2, 0.5)
    """

    difference: float
    first_only: int
    second_only: int
    p_value: float
    n_documents: int


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


def paired_test(truth: Any, first: Any, second: Any) -> PairedTest:
    """Compare the labels of two methods on the same documents with the exact McNemar test.

    Only documents that exactly one of the methods classifies correctly are informative. Under the
    null hypothesis each of them favours either method with probability 0.5, so the p-value is that
    of the binomial test. The documents are assumed to be independent.

    Parameters
    ----------
    truth, first, second : array-like of shape (n_documents,)
        The true labels and those of the two methods, text or numbers.

    Returns
    -------
    PairedTest
        Difference of the accuracies, counts and p-value.

    References
    ----------
    Q. McNemar (1947). Note on the sampling error of the difference between correlated
    proportions or percentages. Psychometrika 12 (2), 153-157.

    Examples
    --------
    >>> from isthmus import paired_test
    >>> truth = ["good"] * 10
    >>> test = paired_test(truth, truth, ["good"] * 4 + ["bad"] * 6)
    >>> test.first_only, test.second_only, test.p_value
    (6, 0, 0.03125)
    """
    arguments = {"truth": truth, "first": first, "second": second}
    labels = {name: _as_labels(values, name) for name, values in arguments.items()}
    lengths = {name: len(values) for name, values in labels.items()}
    if len(set(lengths.values())) > 1 or not lengths["truth"]:
        raise ValueError(
            f"truth, first and second have {', '.join(map(str, lengths.values()))} labels: pass "
            "one label per document for each, and at least one document."
        )
    first_correct, second_correct = (
        np.asarray(labels[name] == labels["truth"], bool) for name in ("first", "second")
    )
    first_only = int(np.sum(first_correct & ~second_correct))
    second_only = int(np.sum(second_correct & ~first_correct))
    n_both, n_documents = int(np.sum(first_correct & second_correct)), len(first_correct)
    comparison = mcnemar_test(n_both, first_only, second_only, n_documents)
    return PairedTest(
        comparison.difference, first_only, second_only, comparison.p_value, n_documents
    )


def signed_ranks(first: Any, second: Any) -> SignedRanks:
    """Compare the scores of two methods on the same problems with the Wilcoxon signed-rank test.

    Differences of 0 are dropped, the others ranked by their absolute value. Under the null
    hypothesis both signs have probability 0.5. The p-value is exact for any number of problems,
    also with ties. ``scipy.stats.wilcoxon`` is not enough: with ties its exact distribution is
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


def _as_labels(values: Any, name: str) -> NDArray[Any]:
    labels = np.asarray(values)
    if labels.ndim != 1:
        raise ValueError(f"{name} has the shape {labels.shape}: pass one label per document.")
    # As objects, because labels of different types must compare as different.
    return labels.astype(object)


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
