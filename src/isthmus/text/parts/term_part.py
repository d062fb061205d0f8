"""The counts of some texts, with a vocabulary of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.text.term_counts import TermCounts

__all__ = ["TermPart", "make_part", "part_totals", "renumber_rows"]

# Rows that are renumbered at a time, so that the temporary arrays stay small.
_BLOCK_ROWS = 10_000


@dataclass(frozen=True)
class TermPart:
    """Counts of all terms of some texts."""

    terms: list[str]
    """The terms of the columns, sorted."""
    frequencies: NDArray[np.int64]
    """The number of documents that contain a term, for every term."""
    counts: Any
    """CSR matrix of integers with sorted columns, one row per text."""

    @property
    def n_documents(self) -> int:
        return int(self.counts.shape[0])


def make_part(counts: TermCounts) -> TermPart:
    """Return counts of texts as a part; the counts are used up."""
    frequencies = np.asarray(counts.frequencies, np.int64)
    numbers, terms = counts.sort_terms(np.arange(len(frequencies)))
    return TermPart(terms, frequencies[numbers], counts.take(numbers, "int32"))


def renumber_rows(
    counts: Any, new_columns: NDArray[np.int32], indices: NDArray[Any], data: NDArray[Any]
) -> NDArray[np.int64]:
    """Write the entries of the kept columns to ``indices`` and ``data``.

    ``new_columns`` has the new column of every column, -1 for those to drop. The order of the kept
    columns must not change. Returns the number of entries of every row.
    """
    filled = 0
    lengths = np.zeros(counts.shape[0], np.int64)
    for first in range(0, counts.shape[0], _BLOCK_ROWS):
        ends = counts.indptr[first : first + _BLOCK_ROWS + 1]
        block = slice(int(ends[0]), int(ends[-1]))
        columns = new_columns[counts.indices[block]]
        is_kept = columns >= 0
        n_before = np.concatenate([[0], np.cumsum(is_kept)])
        n_kept = int(n_before[-1])
        lengths[first : first + len(ends) - 1] = np.diff(n_before[ends - ends[0]])
        indices[filled : filled + n_kept] = columns[is_kept]
        data[filled : filled + n_kept] = counts.data[block][is_kept]
        filled += n_kept
    return lengths


def part_totals(counts: Any, n_terms: int) -> NDArray[np.float64]:
    """Return how often every term of a part occurs."""
    totals = np.zeros(n_terms)
    for first in range(0, counts.shape[0], _BLOCK_ROWS):
        ends = counts.indptr[first : first + _BLOCK_ROWS + 1]
        block = slice(int(ends[0]), int(ends[-1]))
        totals += np.bincount(counts.indices[block], counts.data[block], minlength=n_terms)
    return totals
