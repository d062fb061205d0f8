"""Paired significance test of two methods on the same documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.evaluation.accuracy import mcnemar_test

__all__ = ["PairedTest", "paired_test"]


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
    first_only = int(np.sum(first_correct & ~second_correct))
    second_only = int(np.sum(second_correct & ~first_correct))
    n_both, n_documents = int(np.sum(first_correct & second_correct)), len(first_correct)
    comparison = mcnemar_test(n_both, first_only, second_only, n_documents)
    return PairedTest(
        comparison.difference, first_only, second_only, comparison.p_value, n_documents
    )


def _as_labels(values: Any, name: str) -> NDArray[Any]:
    labels = np.asarray(values)
    if labels.ndim != 1:
        raise ValueError(f"{name} has the shape {labels.shape}: pass one label per document.")
    # As objects, because labels of different types must compare as different.
    return labels.astype(object)
