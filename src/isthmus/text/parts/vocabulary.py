"""The vocabulary of all parts together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from isthmus.text.term_counts import GrowingVocabulary

__all__ = ["JoinedVocabulary"]


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
