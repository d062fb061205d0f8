"""Shares of documents: how sure one may be of them, and whether two of them differ."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import binomtest

__all__ = ["Accuracy", "Comparison", "compare", "measure"]

CONFIDENCE_LEVEL = 0.95


@dataclass(frozen=True)
class Accuracy:
    """The share of documents that got their class, with its 95 % interval."""

    value: float
    low: float
    high: float
    right: int
    n_documents: int


@dataclass(frozen=True)
class Comparison:
    """What the transfer changed against a classifier trained on the source alone."""

    source_only: Accuracy
    difference: float
    """Accuracy of the transfer less that of the source alone."""
    put_right: int
    """Documents that the source alone got wrong and the transfer got right."""
    broken: int
    """Documents that the source alone got right and the transfer got wrong."""
    p_value: float
    """Of the exact McNemar test, two-sided."""


def measure(right: int, n_documents: int) -> Accuracy:
    r"""Accuracy with its 95 % Wilson interval.

    With the share :math:`p` of :math:`n` documents and the normal quantile :math:`z`, the
    interval ends at

    .. math::
        \frac{p + z^2 / 2n \pm z \sqrt{p (1 - p) / n + z^2 / 4n^2}}{1 + z^2 / n}.

    Unlike the textbook interval it stays within 0 and 1 and keeps its width where all documents
    are right. Like that one it takes the documents for independent draws.

    Parameters
    ----------
    right : int
        Documents that got their class.
    n_documents : int
        All documents, at least one.

    Returns
    -------
    Accuracy

    References
    ----------
    E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association 22 (158), 209-212.
    """
    interval = binomtest(right, n_documents).proportion_ci(CONFIDENCE_LEVEL, method="wilson")
    return Accuracy(
        right / n_documents, float(interval.low), float(interval.high), right, n_documents
    )


def compare(both: int, put_right: int, broken: int, n_documents: int) -> Comparison:
    """Compare two classifiers on the same documents.

    Documents on which both are right or both are wrong say nothing about which one is better. Of
    the others each has, if the two are equally good, an even chance to speak for either: the
    exact McNemar test is the two-sided binomial test of that.

    Parameters
    ----------
    both : int
        Documents that both got right.
    put_right : int
        Documents that the transfer alone got right.
    broken : int
        Documents that the source alone got right.
    n_documents : int
        All documents, at least one.

    Returns
    -------
    Comparison

    References
    ----------
    Q. McNemar (1947). Note on the sampling error of the difference between correlated
    proportions or percentages. Psychometrika 12 (2), 153-157.
    """
    discordant = put_right + broken
    return Comparison(
        source_only=measure(both + broken, n_documents),
        difference=(put_right - broken) / n_documents,
        put_right=put_right,
        broken=broken,
        p_value=float(binomtest(put_right, discordant).pvalue) if discordant else 1.0,
    )
