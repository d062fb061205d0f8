"""Words and their numbers, in a hash table that compiled loops read and fill."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels import loops
from isthmus.kernels.conventions import PADDING
from isthmus.kernels.dispatch import CompiledLoop
from isthmus.text.counting.character_table import CharacterTable
from isthmus.text.counting.text_block import TextBlock

__all__ = ["WordTable", "compiled", "larger_slots"]

_FIRST_SLOTS = 1 << 15
_FIRST_LETTERS = 1 << 18


def compiled(loop: CompiledLoop) -> Callable[..., Any]:
    """Return the machine code of a loop over texts."""
    return loop.get(1, np.float32, np.int32)


class WordTable:
    """Different words, numbered from 0 in the order in which they are added.

    Attributes
    ----------
    n_excluded : int
        The first words are not counted.
    """

    def __init__(self, excluded: Iterable[str] = ()) -> None:
        self._slots = np.zeros(2 * _FIRST_SLOTS, np.int64)
        self._ends = np.zeros(_FIRST_SLOTS // 2 + 1, np.int64)
        self._letters = np.empty(_FIRST_LETTERS, np.uint8)
        self._n_words = np.zeros(1, np.int64)
        self.add(sorted(excluded))
        self.n_excluded = len(self)

    def __len__(self) -> int:
        return int(self._n_words[0])

    @property
    def n_characters(self) -> int:
        """Number of characters of all words together."""
        return int(np.count_nonzero((self._letters[: self.n_bytes] & 0xC0) != 0x80))

    @property
    def n_bytes(self) -> int:
        """Number of bytes of all words together, in UTF-8."""
        return int(self._ends[len(self)])

    def find(
        self, block: TextBlock, characters: CharacterTable, min_length: int, *, grow: bool
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the numbers of the words of texts, and where those of every text end.

        A new word is added if the table may grow; otherwise its number is -1.
        """
        fold = characters.values(ascii_only=block.is_ascii)
        longest = int(np.diff(block.starts).max(initial=0))
        # The lower case of a character may have a byte more.
        folded = np.empty(2 * longest + PADDING, np.uint8)
        bounds = np.empty(2 * longest + 2, np.int64)
        # A word has one character at least, and two words of ASCII have another one between them.
        most = len(block.codes) if not block.is_ascii else (len(block.codes) + block.n_texts) // 2
        numbers = np.empty(most + 1, np.int32)
        ends = np.zeros(block.n_texts + 1, np.int64)
        loop, row = compiled(loops.text_words), 0
        while row < block.n_texts:
            row = loop(
                *(block.codes, block.starts, fold, min_length, self.n_excluded, grow),
                *(folded, bounds),
                *self._arrays(),
                *(numbers, ends, row, block.n_texts),
            )
            if row < block.n_texts:
                self._enlarge(len(folded))
        return numbers[: ends[-1]], ends

    def add(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Add words that are new; return the numbers of all. No word may be empty."""
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        starts = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(word) for word in encoded], out=starts[1:])
        return self._add(np.frombuffer(b"".join([*encoded, bytes(PADDING)]), np.uint8), starts)

    def merge(self, other: WordTable) -> NDArray[np.int32]:
        """Add the words of another table; return their numbers in this one."""
        return self._add(other._letters, other._ends[: len(other) + 1])

    def spell(self, numbers: NDArray[Any]) -> list[str]:
        """Return words by their numbers."""
        begins, ends = self._ends[numbers], self._ends[np.asarray(numbers) + 1]
        # New words are at the end, so that only a part of the table is decoded.
        first, last = int(begins.min(initial=self.n_bytes)), int(ends.max(initial=0))
        letters = self._letters[first:last]
        begins, ends = begins - first, ends - first
        text = letters.tobytes().decode("utf-8", "surrogatepass")
        if len(text) < len(letters):  # positions of characters instead of bytes
            n_before = np.concatenate([[0], np.cumsum((letters & 0xC0) != 0x80)])
            begins, ends = n_before[begins], n_before[ends]
        places = zip(begins.tolist(), ends.tolist(), strict=True)
        return [text[begin:end] for begin, end in places]

    def _add(self, letters: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.int32]:
        n_added = len(starts) - 1
        numbers = np.empty(n_added, np.int32)
        longest = int(np.diff(starts).max(initial=0))
        loop, row = compiled(loops.add_words), 0
        while row < n_added:
            row = loop(letters, starts, *self._arrays(), numbers, row, n_added)
            if row < n_added:
                self._enlarge(longest)
        return numbers

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self._slots, self._letters, self._ends, self._n_words

    def _enlarge(self, longest: int) -> None:
        """Make room for at least one more word of the given number of bytes."""
        if len(self) + 1 >= len(self._ends):
            self._slots = larger_slots(self._slots)
            ends = np.zeros(len(self._slots) // 4 + 1, np.int64)
            ends[: len(self._ends)] = self._ends
            self._ends = ends
        if self.n_bytes + longest + PADDING > len(self._letters):
            letters = np.empty(2 * len(self._letters) + longest, np.uint8)
            letters[: self.n_bytes] = self._letters[: self.n_bytes]
            self._letters = letters


def larger_slots(slots: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the slots of a hash table, twice as many."""
    larger = np.zeros(2 * len(slots), np.int64)
    compiled(loops.move_slots)(slots, larger, 0, len(slots) // 2)
    return larger
