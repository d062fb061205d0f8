"""Accuracy with its confidence interval, and exact McNemar tests of two methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

__all__ = [
    "Accuracy",
    "Comparison",
    "PairedTest",
    "accuracy_with_interval",
    "compare_correct",
    "mcnemar_test",
    "paired_test",
]

CONFIDENCE_LEVEL = 0.95


@dataclass(frozen=True)
class Accuracy:
    """Proportion of correctly classified documents with its 95 % confidence interval."""

    value: float
    low: float
    high: float
    n_correct: int
    n_documents: int


@dataclass(frozen=True)
class Comparison:
    """Comparison of the transfer method with the source-only classifier."""

    source_only: Accuracy
    difference: float
    """Accuracy of the transfer method minus that of the source-only classifier."""
    n_corrected: int
    """Documents that only the transfer method classifies correctly."""
    n_broken: int
    """Documents that only the source-only classifier classifies correctly."""
    p_value: float
    """Two-sided p-value of the exact McNemar test."""


def accuracy_with_interval(n_correct: int, n_documents: int) -> Accuracy:
    r"""Return the accuracy with its 95 % Wilson interval.

    With the proportion :math:`p` of :math:`n` documents and the normal quantile :math:`z`, the
    interval ends at

    .. math::
        \frac{p + z^2 / 2n \pm z \sqrt{p (1 - p) / n + z^2 / 4n^2}}{1 + z^2 / n}.

    Unlike the normal approximation, it stays within 0 and 1 and does not collapse if all documents
    are correct. The documents are assumed to be independent.

    Parameters
    ----------
    n_correct : int
        Number of correctly classified documents.
    n_documents : int
        Number of documents, at least one.

    Returns
    -------
    Accuracy

    References
    ----------
    E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association 22 (158), 209-212.
    """
    interval = binomtest(n_correct, n_documents).proportion_ci(CONFIDENCE_LEVEL, method="wilson")
    return Accuracy(
        n_correct / n_documents,
        float(interval.low),
        float(interval.high),
        n_correct,
        n_documents,
    )


def mcnemar_test(n_both: int, n_corrected: int, n_broken: int, n_documents: int) -> Comparison:
    """Compare two classifiers on the same documents with the exact McNemar test.

    Documents that both or neither classify correctly are not informative. Under the null hypothesis
    each of the others favors either classifier with probability 0.5, so the exact McNemar test is
    a two-sided binomial test.

    Parameters
    ----------
    n_both : int
        Documents that both classify correctly.
    n_corrected : int
        Documents that only the transfer method classifies correctly.
    n_broken : int
        Documents that only the source-only classifier classifies correctly.
    n_documents : int
        Number of documents, at least one.

    Returns
    -------
    Comparison

    References
    ----------
    Q. McNemar (1947). Note on the sampling error of the difference between correlated
    proportions or percentages. Psychometrika 12 (2), 153-157.
    """
    n_discordant = n_corrected + n_broken
    return Comparison(
        source_only=accuracy_with_interval(n_both + n_broken, n_documents),
        difference=(n_corrected - n_broken) / n_documents,
        n_corrected=n_corrected,
        n_broken=n_broken,
        p_value=float(binomtest(n_corrected, n_discordant).pvalue) if n_discordant else 1.0,
    )


def compare_correct(is_correct: NDArray[np.bool_], was_correct: NDArray[np.bool_]) -> Comparison:
    """Compare a method with another one, given which documents they classify correctly."""
    return mcnemar_test(
        n_both=int((is_correct & was_correct).sum()),
        n_corrected=int((is_correct & ~was_correct).sum()),
        n_broken=int((~is_correct & was_correct).sum()),
        n_documents=len(is_correct),
    )


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


def paired_test(truth: Any, first: Any, second: Any) -> PairedTest:
    """Compare the labels of two methods on the same documents with the exact McNemar test.

    Only documents that exactly one of the methods classifies correctly are informative. Under the
    null hypothesis each of them favors either method with probability 0.5, so the p-value is that
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
    test = compare_correct(first_correct, second_correct)
    return PairedTest(
        test.difference, test.n_corrected, test.n_broken, test.p_value, len(first_correct)
    )


def _as_labels(values: Any, name: str) -> NDArray[Any]:
    labels = np.asarray(values)
    if labels.ndim != 1:
        raise ValueError(f"{name} has the shape {labels.shape}: pass one label per document.")
    # As objects, because labels of different types must compare as different.
    return labels.astype(object)
