"""The counts of some texts with a vocabulary of their own: in memory, on the disk, and joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isthmus.text.term_counts import GrowingVocabulary, TermCounts

__all__ = [
    "CsrArrays",
    "JoinedVocabulary",
    "StoredPart",
    "TermPart",
    "make_part",
    "part_bytes",
    "part_totals",
    "renumber_rows",
    "store_part",
]

# Rows that are renumbered at a time, so that the temporary arrays stay small.
_BLOCK_ROWS = 10_000
_ARRAYS = ("indices", "data", "indptr")


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


class CsrArrays(NamedTuple):
    """The arrays of a CSR matrix; SciPy would copy pointers that are longer than the columns."""

    data: NDArray[Any]
    indices: NDArray[np.int32]
    indptr: NDArray[np.int64]
    shape: tuple[int, int]


@dataclass(frozen=True)
class StoredPart:
    """A matrix of counts in three files; another process can read it."""

    prefix: Path
    """The files have this path and a suffix."""
    shape: tuple[int, int]
    data_type: str

    def open(self) -> CsrArrays:
        """Return the counts; their arrays are mapped to the files."""
        indices, data, indptr = (self._map(name) for name in _ARRAYS)
        return CsrArrays(data, indices, indptr, self.shape)

    def remove(self) -> None:
        """Delete the files."""
        for name in _ARRAYS:
            self._path(name).unlink(missing_ok=True)

    def _map(self, name: str) -> NDArray[Any]:
        path = self._path(name)
        dtype = {"indices": "int32", "data": self.data_type, "indptr": "int64"}[name]
        if path.stat().st_size == 0:
            return np.empty(0, dtype)
        return np.asarray(np.memmap(path, dtype, "r"))

    def _path(self, name: str) -> Path:
        return self.prefix.with_suffix(f".{name}")


def part_bytes(part: TermPart) -> int:
    """Return about the number of bytes that a part needs on the disk."""
    n_entries = int(part.counts.indptr[-1])
    return n_entries * (4 + np.dtype(_data_type(part)).itemsize) + 8 * part.n_documents


def store_part(part: TermPart, prefix: Path) -> StoredPart:
    """Write the counts of a part to files."""
    stored = StoredPart(prefix, part.counts.shape, _data_type(part))
    part.counts.indices.astype(np.int32, copy=False).tofile(stored._path("indices"))
    part.counts.data.astype(stored.data_type, copy=False).tofile(stored._path("data"))
    part.counts.indptr.astype(np.int64, copy=False).tofile(stored._path("indptr"))
    return stored


def _data_type(part: TermPart) -> str:
    """Return the smallest type for the counts: nearly all of them are below 256."""
    largest = int(part.counts.data.max(initial=0))
    return str(np.min_scalar_type(largest)) if largest < 2**31 else "int32"


class JoinedVocabulary:
    """Numbers the terms of all parts and adds up their document frequencies."""

    def __init__(self) -> None:
        self._numbers = GrowingVocabulary()
        self._frequencies = np.zeros(1024, np.int64)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def frequencies(self) -> NDArray[np.int64]:
        """The number of documents that contain a term, for every term."""
        return self._frequencies[: len(self)]

    def add(self, terms: Sequence[str], frequencies: NDArray[np.int64]) -> NDArray[np.int32]:
        """Add the terms of a part; return their numbers."""
        numbers = np.fromiter(map(self._numbers.__getitem__, terms), np.int32, len(terms))
        if len(self) > len(self._frequencies):
            larger = np.zeros(2 * len(self), np.int64)
            larger[: len(self._frequencies)] = self._frequencies
            self._frequencies = larger
        self._frequencies[numbers] += frequencies
        return numbers

    def sort(self, numbers: NDArray[np.integer]) -> tuple[NDArray[np.intp], list[str]]:
        """Return the numbers of some terms, sorted by the terms, and the terms."""
        spellings = list(self._numbers)
        in_order = sorted(numbers.tolist(), key=spellings.__getitem__)
        return np.array(in_order, np.intp), [spellings[number] for number in in_order]
