"""Counts of all texts, in parts on the disk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.files.scratch import Scratch
from isthmus.matrices.threads import run_all
from isthmus.text.parts.term_part import (
    JoinedVocabulary,
    StoredPart,
    part_totals,
    renumber_rows,
)

__all__ = ["CountedPart", "SpilledCounts"]

_MAX_INT32 = np.iinfo(np.int32).max


@dataclass(frozen=True)
class CountedPart:
    """A part whose counts are on the disk."""

    terms: list[str]
    frequencies: NDArray[np.int64]
    stored: StoredPart


@dataclass(frozen=True)
class _NumberedPart:
    """A part whose terms have numbers among those of all parts; they are on the disk too."""

    stored: StoredPart
    path: Path

    @classmethod
    def store(cls, part: CountedPart, numbers: NDArray[np.int32]) -> _NumberedPart:
        path = part.stored.prefix.with_suffix(".terms.npy")
        np.save(path, np.stack([numbers.astype(np.int64), part.frequencies]))
        return cls(part.stored, path)

    @property
    def numbers(self) -> NDArray[np.int64]:
        return np.asarray(np.load(self.path, mmap_mode="r")[0])

    @property
    def frequencies(self) -> NDArray[np.int64]:
        return np.asarray(np.load(self.path, mmap_mode="r")[1])

    def remove(self) -> None:
        self.stored.remove()
        self.path.unlink(missing_ok=True)


class SpilledCounts:
    """Counts of all terms of texts; only their vocabulary is in memory.

    Parameters
    ----------
    parts : iterable of CountedPart
        At least one, in the order of the texts. Their vocabularies are joined one by one.
    scratch : Scratch
        The folder of the parts.
    max_bytes : int
        The largest matrix that :meth:`take` returns in memory; a larger one is in the folder.

    Attributes
    ----------
    n_documents : int
    frequencies : array
        Number of documents that contain a term, for every term.
    """

    def __init__(self, parts: Iterable[CountedPart], scratch: Scratch, max_bytes: int) -> None:
        self._scratch, self._max_bytes = scratch, max_bytes
        self._vocabulary = JoinedVocabulary()
        self._parts: list[_NumberedPart] = []
        try:
            for part in parts:
                numbers = self._vocabulary.add(part.terms, part.frequencies)
                self._parts.append(_NumberedPart.store(part, numbers))
        except BaseException:
            self.close()
            raise
        self.n_documents = sum(part.stored.shape[0] for part in self._parts)
        self.frequencies = self._vocabulary.frequencies

    def close(self) -> None:
        """Remove the counts after an error, which may be kept for long with all its objects."""
        self._scratch.close()

    def totals(self) -> NDArray[np.float64]:
        """Return how often every term occurs in all documents."""
        totals = np.zeros(len(self._vocabulary))
        for part in self._parts:
            numbers = part.numbers
            totals[numbers] += part_totals(part.stored.open(), len(numbers))
        return totals

    def sort_terms(self, numbers: NDArray[Any]) -> tuple[NDArray[Any], list[str]]:
        """Return the numbers of some terms, sorted by the spelling of the terms, and the terms."""
        return self._vocabulary.sort(numbers)

    def take(self, numbers: NDArray[Any], dtype: str) -> sparse.csr_matrix:
        """Return the counts of some terms, which must be sorted; can be called once."""
        new_columns = np.full(len(self._vocabulary), -1, np.int32)
        new_columns[numbers] = np.arange(len(numbers), dtype=np.int32)
        # A term has as many entries in a part as documents.
        sizes = [
            int(part.frequencies[new_columns[part.numbers] >= 0].sum()) for part in self._parts
        ]
        n_rows = [part.stored.shape[0] for part in self._parts]
        entries, rows = np.cumsum([0, *sizes]), np.cumsum([0, *n_rows])
        n_entries = int(entries[-1])
        index = np.dtype(np.int32 if n_entries <= _MAX_INT32 else np.int64)
        indices, data = self._new_arrays(n_entries, index, np.dtype(dtype))
        lengths = np.zeros(self.n_documents + 1, np.int64)

        def write(place: int) -> None:
            part = self._parts[place]
            block = slice(entries[place], entries[place + 1])
            lengths[rows[place] + 1 : rows[place + 1] + 1] = renumber_rows(
                part.stored.open(), new_columns[part.numbers], indices[block], data[block]
            )
            part.remove()

        run_all(write, range(len(self._parts)))
        self._parts = []
        indptr = np.cumsum(lengths).astype(index, copy=False)
        shape = (self.n_documents, len(numbers))
        matrix = sparse.csr_matrix((data, indices, indptr), shape=shape, copy=False)
        matrix.has_canonical_format = True
        if os.name == "posix":  # elsewhere the arrays are in the folder
            self._scratch.close()
        return matrix

    def _new_arrays(
        self, n_entries: int, index: np.dtype[Any], value: np.dtype[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return arrays of columns and values, in memory if they are small enough."""
        n_bytes = n_entries * (index.itemsize + value.itemsize)
        if n_bytes <= self._max_bytes:
            return np.empty(n_entries, index), np.empty(n_entries, value)
        self._scratch.check_space(n_bytes, "the counts of words")
        return _mapped(self._scratch, n_entries, index), _mapped(self._scratch, n_entries, value)


def _mapped(scratch: Scratch, n_values: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return an array in a file of its own, which is freed together with the array.

    The operating system writes it to the disk when it needs the memory for something else.
    """
    path = scratch.new_file(n_values * dtype.itemsize, "the counts of words")
    array = np.memmap(path, dtype, "r+", shape=(n_values,))
    # On POSIX systems a file without a name lives as long as its mapping.
    if os.name == "posix":
        path.unlink()
    return np.asarray(array)
