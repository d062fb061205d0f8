"""The terms of a given vocabulary, in the numbers of a counter."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from isthmus.text.counting.ngram_table import NgramTable
from isthmus.text.counting.term_counter import TermCounter
from isthmus.text.counting.term_numbers import make_term_numbers
from isthmus.text.counting.word_rules import WordRules

__all__ = ["KnownTerms"]


class KnownTerms:
    """Makes counters that count the terms of a vocabulary and number them all alike.

    Attributes
    ----------
    columns : tuple of two arrays
        The columns of words and of n-grams by their numbers; -1 for those that are only parts of
        terms.
    """

    def __init__(self, vocabulary: Mapping[str, int], rules: WordRules) -> None:
        self.rules = rules
        split = {term: term.split(" ") for term in vocabulary}
        # A term with two spaces in a row, as in a file that was edited, does not occur in a text.
        parts_of = {term: parts for term, parts in split.items() if all(parts)}
        self._words = list(dict.fromkeys(word for parts in parts_of.values() for word in parts))
        terms = make_term_numbers(rules, self._words)
        numbers = dict(zip(self._words, terms.add(self._words).tolist(), strict=True))
        pairs: dict[tuple[int, int], int] = {}
        ngram_columns: dict[int, int] = {}
        word_columns = np.full(len(terms), -1, np.int32)
        for term, (first, *others) in parts_of.items():
            prefix = numbers[first]
            for word in others:
                # The complement of a position tells an n-gram from a word.
                prefix = ~pairs.setdefault((prefix, numbers[word]), len(pairs))
            if others:
                ngram_columns[~prefix] = vocabulary[term]
            else:
                word_columns[prefix] = vocabulary[term]
        self._pairs = np.array(list(pairs), np.int32).reshape(-1, 2)
        self.columns = word_columns, self._columns_of_ngrams(ngram_columns)

    def make_counter(self) -> TermCounter:
        """Return a counter, for one thread."""
        terms = make_term_numbers(self.rules, self._words)
        if self.rules.ngram_range == (1, 1):
            return TermCounter(terms, None, (1, 1), grow=False)
        ngrams = NgramTable()
        ngrams.add(self._pairs[:, 0].copy(), self._pairs[:, 1].copy())
        return TermCounter(terms, ngrams, self.rules.ngram_range, grow=False)

    def _columns_of_ngrams(self, column_of: dict[int, int]) -> NDArray[np.int32]:
        columns = np.full(len(self._pairs), -1, np.int32)
        columns[list(column_of)] = list(column_of.values())
        return columns
