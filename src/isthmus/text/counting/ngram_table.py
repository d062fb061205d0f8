"""Word n-grams and their numbers, in a hash table that compiled loops read and fill."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels import loops
from isthmus.text.counting.word_table import compiled, larger_slots

__all__ = ["NgramTable"]

_FIRST_SLOTS = 1 << 15


class NgramTable:
    """Different n-grams of two or more words, numbered from 0 in the order in which they are added.

    An n-gram is stored as a pair: the n-gram of one word less, and its last word. The first part is
    the number of a word, or the complement of the number of an n-gram, which is negative.
    """

    def __init__(self) -> None:
        self._slots = np.zeros(2 * _FIRST_SLOTS, np.int64)
        self._prefixes = np.empty(_FIRST_SLOTS // 2, np.int32)
        self._lasts = np.empty(_FIRST_SLOTS // 2, np.int32)
        self._n_ngrams = np.zeros(1, np.int64)

    def __len__(self) -> int:
        return int(self._n_ngrams[0])

    @property
    def capacity(self) -> int:
        """The number of n-grams for which there is room."""
        return len(self._prefixes)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return the arrays that the loops read and fill."""
        return self._slots, self._prefixes, self._lasts, self._n_ngrams

    def add(self, prefixes: NDArray[np.int32], lasts: NDArray[np.int32]) -> NDArray[np.int32]:
        """Add n-grams that are new; return the numbers of all.

        A negative prefix is the complement of the position of an earlier one of these n-grams.
        """
        numbers = np.empty(len(lasts), np.int32)
        loop, row = compiled(loops.add_word_ngrams), 0
        while row < len(lasts):
            row = loop(prefixes, lasts, *self.arrays(), numbers, row, len(lasts))
            if row < len(lasts):
                self.enlarge()
        return numbers

    def merge(self, other: NgramTable, word_numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Add the n-grams of another table; return their numbers in this one.

        ``word_numbers`` has the number that every word of the other table has in this one.
        """
        prefixes, lasts = other._prefixes[: len(other)], other._lasts[: len(other)]
        is_word = prefixes >= 0
        renumbered = prefixes.copy()
        renumbered[is_word] = word_numbers[prefixes[is_word]]
        return self.add(renumbered, word_numbers[lasts])

    def parts(self, numbers: NDArray[Any], longest: int) -> NDArray[np.int32]:
        """Return the words of n-grams, one row per n-gram; -1 after the words of shorter ones."""
        backwards: list[NDArray[np.int32]] = []
        # From the end of all n-grams to their beginning; 0 and above is a word, the first one.
        codes = ~np.asarray(numbers, np.int32)
        lengths = np.ones(len(codes), np.intp)
        while (is_ngram := codes < 0).any():
            numbers = ~codes[is_ngram]
            lasts = np.full(len(codes), -1, np.int32)
            lasts[is_ngram] = self._lasts[numbers]
            codes[is_ngram] = self._prefixes[numbers]
            lengths += is_ngram
            backwards.append(lasts)
        parts = np.full((len(codes), longest), -1, np.int32)
        parts[:, 0] = codes
        rows = np.arange(len(codes))
        for step, lasts in enumerate(backwards, 1):
            is_long = lengths > step
            parts[rows[is_long], lengths[is_long] - step] = lasts[is_long]
        return parts

    def enlarge(self) -> None:
        """Make room for more n-grams."""
        self._slots = larger_slots(self._slots)
        for name in ("_prefixes", "_lasts"):
            values = np.empty(len(self._slots) // 4, np.int32)
            values[: len(self)] = getattr(self, name)[: len(self)]
            setattr(self, name, values)
