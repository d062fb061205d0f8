"""Count terms in a stream of texts, and keep those that are neither rare nor everywhere."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["Limits", "check_is_list", "check_is_text", "count_all_terms", "count_known_terms"]

Analyze = Callable[[str], list[str]]

_ROWS_AT_A_TIME = 10_000
# Of fewer documents than these, frequencies say little.
_FEW = 20


class _Numbered(dict[str, int]):
    """Numbers every new term with the next number."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


def count_all_terms(texts: Iterable[str], analyze: Analyze) -> tuple[Any, list[str]]:
    """Counts of every term, one row a text, and the terms in order of first appearance.

    The texts are read once, one by one; what stays is 8 bytes for every count.
    """
    numbers = _Numbered()
    counts = _count(texts, analyze, numbers, known_only=False)
    return _matrix(*counts, len(numbers)), list(numbers)


def count_known_terms(texts: Iterable[str], analyze: Analyze, vocabulary: Mapping[str, int]) -> Any:
    """Counts of the terms of a vocabulary, one row a text."""
    counts = _count(texts, analyze, vocabulary, known_only=True)
    return _matrix(*counts, len(vocabulary))


def check_is_list(texts: Any) -> None:
    """Raise ValueError for one text or a table in the place of a list of texts."""
    if isinstance(texts, str):
        raise ValueError("One text was given where a list of texts is expected: wrap it in [ ].")
    if getattr(texts, "ndim", 1) != 1:
        raise ValueError("A table was given: choose its column of texts, as in table['text'].")


def check_is_text(text: Any, row: int) -> None:
    """Raise ValueError if a document is not text."""
    if not isinstance(text, str):
        raise ValueError(
            f"Document {row} (counted from 0) is {text!r} of type {type(text).__name__}, not "
            "text: give every document as a string, an empty one where the text is missing."
        )


def _count(
    texts: Iterable[str], analyze: Analyze, numbers: Mapping[str, int], known_only: bool
) -> tuple[array[int], array[int], array[int]]:
    check_is_list(texts)
    columns, values, ends = array("i"), array("i"), array("q", [0])
    for row, text in enumerate(texts):
        check_is_text(text, row)
        found = Counter(analyze(text))
        terms = {t: n for t, n in found.items() if t in numbers} if known_only else found
        columns.extend(map(numbers.__getitem__, terms))
        values.extend(terms.values())
        ends.append(len(columns))
    return columns, values, ends


def _matrix(columns: array[int], values: array[int], ends: array[int], n_terms: int) -> Any:
    indices = np.frombuffer(columns, np.intc).astype(np.int32, copy=False)
    data = np.frombuffer(values, np.intc).astype(np.int32, copy=False)
    narrow = len(indices) <= np.iinfo(np.int32).max
    indptr = np.frombuffer(ends, np.int64).astype(np.int32 if narrow else np.int64)
    if not narrow:
        indices = indices.astype(np.int64)
    return sparse.csr_matrix((data, indices, indptr), shape=(len(ends) - 1, n_terms), copy=False)


class Limits:
    """Which terms are kept.

    Parameters
    ----------
    min_df, max_df : int, float or "auto"
        Least and most documents of all domains that a term stands in: a number of documents (int)
        or a share of them (float). "auto" is at least 2 (1 below 20 documents) and at most half of
        them (all below 20 documents).
    max_terms : int or None
        Keep only so many, the most frequent ones.
    """

    def __init__(
        self, min_df: int | float | str, max_df: int | float | str, max_terms: int | None
    ) -> None:
        if min_df != "auto":
            _check_limit("min_df (unless 'auto')", min_df)
        if max_df != "auto":
            _check_limit("max_df", max_df)
        if max_terms is not None and (isinstance(max_terms, bool) or not _is_count(max_terms)):
            raise ValueError(f"max_terms={max_terms!r} must be a whole number above 0, or None.")
        self.min_df = min_df
        self.max_df = max_df
        self.max_terms = max_terms

    def keep(self, counts: Any, terms: list[str], dtype: str) -> tuple[Any, list[str]]:
        """The counts of the terms kept, in the order of the alphabet, and these terms."""
        n_documents, n_terms = counts.shape
        if n_terms == 0:
            raise ValueError(
                f"The {n_documents} documents hold no word at all: they are empty, or made of stop "
                "words and single characters."
            )
        frequency = np.bincount(counts.indices, minlength=n_terms)
        least = automatic_min_df(n_documents) if self.min_df == "auto" else self.min_df
        most = automatic_max_df(n_documents) if self.max_df == "auto" else self.max_df
        low, high = (_as_count(limit, n_documents) for limit in (least, most))
        kept = (frequency >= low) & (frequency <= high)
        if not kept.any():
            raise ValueError(_emptied(frequency, n_documents, (least, most), (low, high)))
        chosen = np.flatnonzero(kept)
        if self.max_terms is not None and len(chosen) > self.max_terms:
            total = np.bincount(counts.indices, counts.data, minlength=n_terms)
            # The name settles ties: the order of the documents must not.
            order = sorted(chosen.tolist(), key=lambda column: (-total[column], terms[column]))
            chosen = np.array(order[: self.max_terms])
        names = [terms[column] for column in chosen.tolist()]
        alphabet = sorted(range(len(names)), key=names.__getitem__)
        n_kept = int(frequency[chosen].sum())
        return _columns(counts, chosen[alphabet], n_kept, dtype), [names[i] for i in alphabet]


def _emptied(
    frequency: NDArray[Any], n_documents: int, limits: tuple[Any, Any], counts: tuple[float, float]
) -> str:
    least, most = limits
    held = f"The {n_documents} documents hold {len(frequency)} different terms"
    if (frequency < counts[0]).all():
        return (
            f"{held}, but min_df={least} drops them all (the most frequent stands in "
            f"{frequency.max()}): lower min_df."
        )
    if (frequency > counts[1]).all():
        return (
            f"{held}, but max_df={most} drops them all (the rarest stands in "
            f"{frequency.min()} documents): raise max_df."
        )
    return (
        f"{held}, but each is dropped by min_df={least} or by max_df={most}: lower min_df or raise "
        "max_df."
    )


def automatic_min_df(n_documents: int) -> int:
    """The least document frequency that suits a corpus of this size."""
    return 1 if n_documents < _FEW else 2


def automatic_max_df(n_documents: int) -> float:
    """The largest share of the documents that a term may stand in, where there is no stop list."""
    return 1.0 if n_documents < _FEW else 0.5


def _columns(counts: Any, chosen: NDArray[np.intp], n_kept: int, dtype: str) -> Any:
    """The chosen columns in their order, block by block, so that no second copy is made."""
    place = np.full(counts.shape[1], -1, counts.indices.dtype)
    place[chosen] = np.arange(len(chosen), dtype=place.dtype)
    indices, data = np.empty(n_kept, counts.indices.dtype), np.empty(n_kept, dtype)
    indptr = np.zeros_like(counts.indptr)
    filled = 0
    for first in range(0, counts.shape[0], _ROWS_AT_A_TIME):
        borders = counts.indptr[first : first + _ROWS_AT_A_TIME + 1]
        block = slice(borders[0], borders[-1])
        moved = place[counts.indices[block]]
        stays = moved >= 0
        before = np.concatenate([[0], np.cumsum(stays)])
        rows = slice(first + 1, first + len(borders))
        indptr[rows] = filled + before[borders[1:] - borders[0]]
        room = slice(filled, filled + int(before[-1]))
        indices[room], data[room] = moved[stays], counts.data[block][stays]
        filled = room.stop
    shape = (counts.shape[0], len(chosen))
    kept = sparse.csr_matrix((data, indices, indptr), shape=shape, copy=False)
    kept.sort_indices()
    return kept


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and int(value) >= 1


def _check_limit(name: str, value: Any) -> None:
    share = isinstance(value, float | np.floating) and 0 <= value <= 1
    if isinstance(value, bool) or not (share or _is_count(value)):
        raise ValueError(
            f"{name} is {value!r}: give a whole number of documents, 1 or more, or a share between "
            "0.0 and 1.0."
        )


def _as_count(limit: Any, n_documents: int) -> float:
    return float(limit) if isinstance(limit, Integral) else float(limit) * n_documents
