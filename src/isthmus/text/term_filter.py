"""Select terms by document frequency and total count."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isthmus.text.term_counts import TermCounts

__all__ = ["SelectedTerms", "TermFilter"]

# Document frequencies of fewer documents are not informative.
_FEW_DOCUMENTS = 20


class SelectedTerms(NamedTuple):
    """Counts of terms, the terms of the columns, sorted, and their document frequencies."""

    counts: Any
    terms: list[str]
    frequencies: NDArray[Any]


class TermFilter:
    """Selects terms by document frequency and total count.

    Parameters
    ----------
    min_df, max_df : int, float or "auto"
        Minimum and maximum document frequency over all domains, as a number of documents (int) or
        a fraction of them (float). "auto" is a minimum of 2 (1 below 20 documents) and a maximum of
        half of the documents (all below 20 documents).
    max_terms : int or None
        Keep at most this many terms, the most frequent ones.
    """

    def __init__(
        self, min_df: int | float | str, max_df: int | float | str, max_terms: int | None
    ) -> None:
        if min_df != "auto":
            _check_limit("min_df (unless 'auto')", min_df)
        if max_df != "auto":
            _check_limit("max_df", max_df)
        if max_terms is not None and (isinstance(max_terms, bool) or not _is_count(max_terms)):
            raise ValueError(f"max_terms={max_terms!r} must be a positive integer or None.")
        self.min_df = min_df
        self.max_df = max_df
        self.max_terms = max_terms

    def apply(self, counts: TermCounts, dtype: str) -> SelectedTerms:
        """Return the counts of the selected terms."""
        n_documents, frequency = counts.n_documents, counts.frequencies
        if len(frequency) == 0:
            raise ValueError(
                f"The {n_documents} documents contain no terms: they are empty or consist of stop "
                "words and single characters."
            )
        min_df = automatic_min_df(n_documents) if self.min_df == "auto" else self.min_df
        max_df = automatic_max_df(n_documents) if self.max_df == "auto" else self.max_df
        low, high = (_as_count(limit, n_documents) for limit in (min_df, max_df))
        kept = (frequency >= low) & (frequency <= high)
        if not kept.any():
            raise ValueError(_no_terms_left(frequency, n_documents, (min_df, max_df), (low, high)))
        selected = np.flatnonzero(kept)
        if self.max_terms is not None and len(selected) > self.max_terms:
            selected = _most_frequent(counts, selected, self.max_terms)
        selected, names = counts.sort_terms(selected)
        return SelectedTerms(counts.take(selected, dtype), names, frequency[selected])


def _most_frequent(
    counts: TermCounts, selected: NDArray[np.intp], max_terms: int
) -> NDArray[np.intp]:
    """Return the terms that occur most often.

    Ties are broken by name, so that the order of the documents has no influence.
    """
    totals = counts.totals()[selected]
    least = np.partition(totals, -max_terms)[-max_terms]
    kept, ties = selected[totals > least], counts.sort_terms(selected[totals == least])[0]
    return np.concatenate([kept, ties[: max_terms - len(kept)]])


def _no_terms_left(
    frequency: NDArray[Any], n_documents: int, limits: tuple[Any, Any], counts: tuple[float, float]
) -> str:
    min_df, max_df = limits
    start = f"The {n_documents} documents contain {len(frequency)} different terms"
    if (frequency < counts[0]).all():
        return (
            f"{start}, but min_df={min_df} drops them all (the most frequent term occurs in "
            f"{frequency.max()} documents): lower min_df."
        )
    if (frequency > counts[1]).all():
        return (
            f"{start}, but max_df={max_df} drops them all (the rarest term occurs in "
            f"{frequency.min()} documents): raise max_df."
        )
    return (
        f"{start}, but min_df={min_df} and max_df={max_df} together drop them all: lower min_df or "
        "raise max_df."
    )


def automatic_min_df(n_documents: int) -> int:
    """Return the minimum document frequency for ``min_df="auto"``."""
    return 1 if n_documents < _FEW_DOCUMENTS else 2


def automatic_max_df(n_documents: int) -> float:
    """Return the maximum document frequency, as a fraction, for ``max_df="auto"``."""
    return 1.0 if n_documents < _FEW_DOCUMENTS else 0.5


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and int(value) >= 1


def _check_limit(name: str, value: Any) -> None:
    is_fraction = isinstance(value, float | np.floating) and 0 <= value <= 1
    if isinstance(value, bool) or not (is_fraction or _is_count(value)):
        raise ValueError(
            f"{name} is {value!r}: pass a number of documents (an int of 1 or more) or a fraction "
            "between 0.0 and 1.0."
        )


def _as_count(limit: Any, n_documents: int) -> float:
    return float(limit) if isinstance(limit, Integral) else float(limit) * n_documents
