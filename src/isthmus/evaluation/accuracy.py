"""Accuracy with its confidence interval, and the exact McNemar test of two accuracies."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import binomtest

__all__ = ["Accuracy", "Comparison", "accuracy_with_interval", "mcnemar_test"]

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
