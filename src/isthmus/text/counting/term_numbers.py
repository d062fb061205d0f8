"""Number the terms of texts: words themselves, or the stems of words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isthmus.text.counting.text_block import TextBlock
from isthmus.text.counting.word_rules import WordRules
from isthmus.text.counting.word_table import WordTable

__all__ = ["StemNumbers", "TermNumbers", "WordNumbers", "make_term_numbers"]

# A word that is left out; -1 is a word that is not known.
_EXCLUDED = -2
# With a fixed vocabulary, words are forgotten above this number, so that the memory is bounded.
_MAX_WORDS = 2_000_000


class TermNumbers(Protocol):
    """Numbers of terms of one word."""

    def __len__(self) -> int:
        """Return how many terms have numbers."""

    def add(self, terms: Iterable[str]) -> NDArray[np.int32]:
        """Add terms that are new; return the numbers of all. No term may be empty."""

    def find(self, block: TextBlock) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the numbers of the terms of texts, and where those of every text end.

        Words to leave out have no number. With a fixed vocabulary other terms have the number -1.
        """

    def merge(self, other: Any) -> NDArray[np.int32]:
        """Add the terms of another object of this class; return their numbers in this one."""

    def spell(self, numbers: NDArray[Any]) -> list[str]:
        """Return terms by their numbers."""


def make_term_numbers(rules: WordRules, known: Iterable[str] | None = None) -> TermNumbers:
    """Return the numbers of the terms by some rules; with ``known`` terms, of these alone."""
    return WordNumbers(rules, known) if rules.stems is None else StemNumbers(rules, known)


class WordNumbers:
    """Numbers of words, which are terms themselves."""

    def __init__(self, rules: WordRules, known: Iterable[str] | None = None) -> None:
        self._rules = rules
        self._table = WordTable(rules.excluded)
        self._grow = known is None
        self.add(known or ())

    def __len__(self) -> int:
        return len(self._table)

    @property
    def n_characters(self) -> int:
        """Number of characters of all words together."""
        return self._table.n_characters

    def add(self, terms: Iterable[str]) -> NDArray[np.int32]:
        return self._table.add(terms)

    def find(self, block: TextBlock) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        rules = self._rules
        return self._table.find(block, rules.characters, rules.min_length, grow=self._grow)

    def merge(self, other: WordNumbers) -> NDArray[np.int32]:
        return self._table.merge(other._table)

    def spell(self, numbers: NDArray[Any]) -> list[str]:
        return self._table.spell(numbers)


class StemNumbers:
    """Numbers of the stems of words; every different word is stemmed once."""

    def __init__(self, rules: WordRules, known: Iterable[str] | None = None) -> None:
        assert rules.stems is not None
        self._rules, self._stems = rules, rules.stems
        self._numbers: dict[str, int] = {}
        self._forget_words()
        self._grow = known is None
        self.add(known or ())

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, terms: Iterable[str]) -> NDArray[np.int32]:
        return np.array(
            [self._numbers.setdefault(term, len(self._numbers)) for term in terms], np.int32
        )

    def find(self, block: TextBlock) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        rules = self._rules
        if not self._grow and len(self._table) > _MAX_WORDS:
            self._forget_words()
        words, ends = self._table.find(block, rules.characters, rules.min_length, grow=True)
        self._stem_new_words()
        self._word_totals += np.bincount(words, minlength=len(self._word_totals))
        terms = self._term_of_word[words]
        is_kept = terms != _EXCLUDED
        if is_kept.all():
            return terms, ends
        n_kept = np.concatenate([[0], np.cumsum(is_kept)])
        return terms[is_kept], n_kept[ends]

    def merge(self, other: StemNumbers) -> NDArray[np.int32]:
        words = self._table.merge(other._table)
        self._stem_new_words()
        np.add.at(self._word_totals, words, other._word_totals)
        return self.add(other._numbers)

    def spell(self, numbers: NDArray[Any]) -> list[str]:
        terms = list(self._numbers)
        return [terms[number] for number in numbers.tolist()]

    def word_totals(self) -> Iterator[tuple[str, int]]:
        """Return how often every word occurs in all texts, stop words included."""
        words = self._table.spell(np.arange(len(self._table)))
        return zip(words, self._word_totals.tolist(), strict=True)

    def _forget_words(self) -> None:
        """Free the memory of all words; their stems are looked up again."""
        self._table = WordTable()
        self._term_of_word = np.empty(0, np.int32)
        self._word_totals = np.zeros(0, np.int64)

    def _stem_new_words(self) -> None:
        n_stemmed, n_words = len(self._term_of_word), len(self._table)
        if n_stemmed == n_words:
            return
        words = self._table.spell(np.arange(n_stemmed, n_words))
        stems = self._stems(words)
        numbers = [self._number_of(stem) if stem else _EXCLUDED for stem in stems]
        self._term_of_word = np.append(self._term_of_word, np.array(numbers, np.int32))
        self._word_totals = np.append(self._word_totals, np.zeros(len(words), np.int64))

    def _number_of(self, stem: str) -> int:
        if self._grow:
            return self._numbers.setdefault(stem, len(self._numbers))
        return self._numbers.get(stem, -1)
