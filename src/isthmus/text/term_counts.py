"""Count terms in a stream of texts and select terms by document frequency."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["TermFilter", "check_is_list", "check_is_text", "count_all_terms", "count_known_terms"]

Analyze = Callable[[str], list[str]]

_BLOCK_ROWS = 10_000
# Document frequencies of fewer documents are not informative.
_FEW_DOCUMENTS = 20


class _GrowingVocabulary(dict[str, int]):
    """Vocabulary that assigns the next number to every new term."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


def count_all_terms(texts: Iterable[str], analyze: Analyze) -> tuple[Any, list[str]]:
    """Return the counts of every term (one row per text) and the terms by first appearance.

    The texts are read once, one by one. The result takes 8 bytes per stored count.
    """
    vocabulary = _GrowingVocabulary()
    counts = _count(texts, analyze, vocabulary, known_only=False)
    return _to_csr(*counts, len(vocabulary)), list(vocabulary)


def count_known_terms(texts: Iterable[str], analyze: Analyze, vocabulary: Mapping[str, int]) -> Any:
    """Return the counts of the terms of a vocabulary, one row per text."""
    counts = _count(texts, analyze, vocabulary, known_only=True)
    return _to_csr(*counts, len(vocabulary))


def check_is_list(texts: Any) -> None:
    """Raise ValueError if a single text or a table was passed instead of a list of texts."""
    if isinstance(texts, str):
        raise ValueError(
            "A single text was given where a list of texts is expected: wrap it in [ ]."
        )
    if getattr(texts, "ndim", 1) != 1:
        raise ValueError(
            "A table was given where a list of texts is expected: select its text column, as in "
            "table['text']."
        )


def check_is_text(text: Any, row: int) -> None:
    """Raise ValueError if a document is not text."""
    if not isinstance(text, str):
        raise ValueError(
            f"Document {row} (counted from 0) is {text!r} of type {type(text).__name__}, not "
            "text: pass every document as a string, and an empty string for a missing text."
        )


def _count(
    texts: Iterable[str], analyze: Analyze, vocabulary: Mapping[str, int], known_only: bool
) -> tuple[array[int], array[int], array[int]]:
    check_is_list(texts)
    columns, values, ends = array("i"), array("i"), array("q", [0])
    for row, text in enumerate(texts):
        check_is_text(text, row)
        counts: dict[str, int] = Counter(analyze(text))
        if known_only:
            counts = {term: n for term, n in counts.items() if term in vocabulary}
        columns.extend(map(vocabulary.__getitem__, counts))
        values.extend(counts.values())
        ends.append(len(columns))
    return columns, values, ends


def _to_csr(columns: array[int], values: array[int], ends: array[int], n_terms: int) -> Any:
    indices = np.frombuffer(columns, np.intc).astype(np.int32, copy=False)
    data = np.frombuffer(values, np.intc).astype(np.int32, copy=False)
    fits_int32 = len(indices) <= np.iinfo(np.int32).max
    indptr = np.frombuffer(ends, np.int64).astype(np.int32 if fits_int32 else np.int64)
    if not fits_int32:
        indices = indices.astype(np.int64)
    return sparse.csr_matrix((data, indices, indptr), shape=(len(ends) - 1, n_terms), copy=False)


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

    def apply(self, counts: Any, terms: list[str], dtype: str) -> tuple[Any, list[str]]:
        """Return the counts of the selected terms and these terms, sorted."""
        n_documents, n_terms = counts.shape
        if n_terms == 0:
            raise ValueError(
                f"The {n_documents} documents contain no terms: they are empty or consist of stop "
                "words and single characters."
            )
        frequency = np.bincount(counts.indices, minlength=n_terms)
        min_df = automatic_min_df(n_documents) if self.min_df == "auto" else self.min_df
        max_df = automatic_max_df(n_documents) if self.max_df == "auto" else self.max_df
        low, high = (_as_count(limit, n_documents) for limit in (min_df, max_df))
        kept = (frequency >= low) & (frequency <= high)
        if not kept.any():
            raise ValueError(_no_terms_left(frequency, n_documents, (min_df, max_df), (low, high)))
        selected = np.flatnonzero(kept)
        if self.max_terms is not None and len(selected) > self.max_terms:
            total = np.bincount(counts.indices, counts.data, minlength=n_terms)
            # Ties are broken by name, so that the order of the documents has no influence.
            order = sorted(selected.tolist(), key=lambda column: (-total[column], terms[column]))
            selected = np.array(order[: self.max_terms])
        names = [terms[column] for column in selected.tolist()]
        by_name = sorted(range(len(names)), key=names.__getitem__)
        n_entries = int(frequency[selected].sum())
        filtered = _take_columns(counts, selected[by_name], n_entries, dtype)
        return filtered, [names[i] for i in by_name]


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


def _take_columns(counts: Any, columns: NDArray[np.intp], n_entries: int, dtype: str) -> Any:
    """Return the given columns in their order; works block by block to save memory."""
    new_column = np.full(counts.shape[1], -1, counts.indices.dtype)
    new_column[columns] = np.arange(len(columns), dtype=new_column.dtype)
    indices, data = np.empty(n_entries, counts.indices.dtype), np.empty(n_entries, dtype)
    indptr = np.zeros_like(counts.indptr)
    filled = 0
    for first in range(0, counts.shape[0], _BLOCK_ROWS):
        row_ends = counts.indptr[first : first + _BLOCK_ROWS + 1]
        block = slice(row_ends[0], row_ends[-1])
        block_columns = new_column[counts.indices[block]]
        is_kept = block_columns >= 0
        n_kept_before = np.concatenate([[0], np.cumsum(is_kept)])
        rows = slice(first + 1, first + len(row_ends))
        indptr[rows] = filled + n_kept_before[row_ends[1:] - row_ends[0]]
        output = slice(filled, filled + int(n_kept_before[-1]))
        indices[output], data[output] = block_columns[is_kept], counts.data[block][is_kept]
        filled = output.stop
    shape = (counts.shape[0], len(columns))
    kept = sparse.csr_matrix((data, indices, indptr), shape=shape, copy=False)
    kept.sort_indices()
    return kept


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
