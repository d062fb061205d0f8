"""Counts of terms in blocks of texts, joined to one matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.kernels import loops
from isthmus.matrices.threads import run_all
from isthmus.text.counting.ngram_table import NgramTable
from isthmus.text.counting.term_counter import BlockCounts, TermCounter, count_blocks
from isthmus.text.counting.term_numbers import StemNumbers, make_term_numbers
from isthmus.text.counting.word_rules import WordRules
from isthmus.text.counting.word_table import compiled

__all__ = ["JoinedCounts", "KnownTerms", "count_all", "count_known"]

_MAX_INT32 = np.iinfo(np.int32).max

# One array for terms of one word, and one for n-grams.
Pair = tuple[NDArray[Any], NDArray[Any]]


def count_all(parts: Iterable[list[str]], rules: WordRules) -> JoinedCounts:
    """Count all terms in lists of texts."""

    def make_counter() -> TermCounter:
        ngrams = None if rules.ngram_range == (1, 1) else NgramTable()
        return TermCounter(make_term_numbers(rules), ngrams, rules.ngram_range, grow=True)

    return JoinedCounts(count_blocks(parts, rules, make_counter))


def count_known(
    parts: Iterable[list[str]], known: KnownTerms, n_terms: int, dtype: str
) -> sparse.csr_matrix:
    """Return the counts of the terms of a vocabulary, one row per text."""
    blocks = list(count_blocks(parts, known.rules, known.make_counter))
    columns = dict.fromkeys([block.counter for block in blocks], known.columns)
    return _to_matrix(blocks, columns, n_terms, dtype)


class JoinedCounts:
    """Counts of all terms of texts.

    Every thread has numbered the terms by itself; here the numbers are those of the first one.

    Parameters
    ----------
    blocks : iterable of BlockCounts
        At least one, in the order of the texts.

    Attributes
    ----------
    n_documents : int
    frequencies : array
        Number of documents that contain a term, for every term. The position of a term in this
        array is its number in the methods.
    """

    def __init__(self, blocks: Iterable[BlockCounts]) -> None:
        self._blocks = list(blocks)
        self.n_documents = sum(len(block.ends) - 1 for block in self._blocks)
        counters = list(dict.fromkeys(block.counter for block in self._blocks))
        counted = [counter.frequencies for counter in counters]
        self._first = counters[0]
        self._new_numbers = {self._first: (_identity(counted[0][0]), _identity(counted[0][1]))}
        for counter in counters[1:]:
            self._new_numbers[counter] = _merge(self._first, counter)
        n_words, n_ngrams = len(self._first.terms), _n_ngrams(self._first)
        words, ngrams = np.zeros(n_words, np.int64), np.zeros(n_ngrams, np.int64)
        for counter, (of_words, of_ngrams) in zip(counters, counted, strict=True):
            # A term has one number per counter.
            words[self._new_numbers[counter][0]] += of_words
            ngrams[self._new_numbers[counter][1]] += of_ngrams
        # Stop words have numbers too, and words if only longer n-grams are counted.
        self._words, self._ngrams = np.flatnonzero(words), np.flatnonzero(ngrams)
        self.frequencies = np.concatenate([words[self._words], ngrams[self._ngrams]])

    def totals(self) -> NDArray[np.float64]:
        """Return how often every term occurs in all documents."""
        words, ngrams = np.zeros(len(self._first.terms)), np.zeros(_n_ngrams(self._first))
        for block in self._blocks:
            new_words, new_ngrams = self._new_numbers[block.counter]
            is_word = block.columns >= 0
            numbers = new_words[block.columns[is_word]]
            words += np.bincount(numbers, block.counts[is_word], minlength=len(words))
            numbers = new_ngrams[~block.columns[~is_word]]
            ngrams += np.bincount(numbers, block.counts[~is_word], minlength=len(ngrams))
        return np.concatenate([words[self._words], ngrams[self._ngrams]])

    def sort_terms(self, numbers: NDArray[Any]) -> tuple[NDArray[Any], list[str]]:
        """Return the numbers of some terms, sorted by the spelling of the terms, and the terms.

        Spaces come before all letters, so that words can be compared one after the other.
        """
        if self._first.ngrams is None:
            spellings = self._first.terms.spell(self._words[numbers])
            by_name = sorted(range(len(numbers)), key=spellings.__getitem__)
            return numbers[by_name], [spellings[i] for i in by_name]
        parts = self._parts(numbers, self._first.ngrams)
        words = _different(parts)
        spellings = self._first.terms.spell(words)
        by_name = sorted(range(len(words)), key=spellings.__getitem__)
        ranks = np.zeros(len(self._first.terms) + 1, np.int64)  # the last one is for -1, no word
        ranks[words[by_name]] = np.arange(1, len(words) + 1)
        keys = ranks[parts]
        # One key of two numbers is sorted faster than two keys.
        pairs = keys[:, 0] << 32 | keys[:, 1]
        order = np.argsort(pairs) if keys.shape[1] == 2 else np.lexsort(keys.T[::-1])
        return numbers[order], _join_words(["", *(spellings[i] for i in by_name)], keys[order])

    def _parts(self, numbers: NDArray[Any], ngrams: NgramTable) -> NDArray[np.int32]:
        """Return the words of terms, one row per term; -1 after the words of shorter ones."""
        is_word = numbers < len(self._words)
        longest = self._first.ngram_range[1]
        parts = np.full((len(numbers), longest), -1, np.int32)
        parts[is_word, 0] = self._words[numbers[is_word]]
        parts[~is_word] = ngrams.parts(self._ngrams[numbers[~is_word] - len(self._words)], longest)
        return parts

    def word_totals(self) -> dict[str, int]:
        """Return how often every word occurs in all documents, if terms are stems; else nothing."""
        terms = self._first.terms
        return dict(terms.word_totals()) if isinstance(terms, StemNumbers) else {}

    def take(self, numbers: NDArray[Any], dtype: str) -> sparse.csr_matrix:
        """Return the counts of some terms in their order; can be called once."""
        new_words = np.full(len(self._first.terms), -1, np.int32)
        new_ngrams = np.full(_n_ngrams(self._first), -1, np.int32)
        columns, is_word = np.arange(len(numbers), dtype=np.int32), numbers < len(self._words)
        new_words[self._words[numbers[is_word]]] = columns[is_word]
        new_ngrams[self._ngrams[numbers[~is_word] - len(self._words)]] = columns[~is_word]
        new_columns = {
            counter: (new_words[of_words], new_ngrams[of_ngrams])
            for counter, (of_words, of_ngrams) in self._new_numbers.items()
        }
        blocks, self._blocks = self._blocks, []
        return _to_matrix(blocks, new_columns, len(numbers), dtype)


def _different(numbers: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the different numbers from 0 on."""
    occurs = np.zeros(int(numbers.max(initial=-1)) + 2, np.bool_)
    occurs[numbers] = True  # -1 is the last position
    return np.flatnonzero(occurs[:-1])


def _join_words(words: list[str], places: NDArray[Any]) -> list[str]:
    """Return n-grams, each from a row of places of its words; the word at place 0 is empty."""
    spaced = ["", *(f" {word}" for word in words[1:])]
    terms = [words[place] for place in places[:, 0].tolist()]
    for column in places.T[1:]:
        others = column.tolist()
        terms = [term + spaced[place] for term, place in zip(terms, others, strict=True)]
    return terms


def _to_matrix(
    blocks: list[BlockCounts],
    new_columns: Mapping[TermCounter, Pair],
    n_columns: int,
    dtype: str,
) -> sparse.csr_matrix:
    """Join blocks, which are used up, to a matrix with sorted columns."""

    def sort(block: BlockCounts) -> None:
        compiled(loops.sorted_rows)(
            *(block.columns, block.counts, block.ends),
            *(*new_columns[block.counter], n_columns, 0, len(block.ends) - 1),
        )

    run_all(sort, blocks)
    n_entries = sum(int(block.ends[-1]) for block in blocks)
    n_rows = sum(len(block.ends) - 1 for block in blocks)
    index = np.int32 if n_entries <= _MAX_INT32 else np.int64
    indices, data = np.empty(n_entries, index), np.empty(n_entries, dtype)
    indptr = np.zeros(n_rows + 1, index)
    row = filled = 0
    # A block is freed as soon as it is copied, so that there are never two copies of all counts.
    blocks.reverse()
    while blocks:
        block = blocks.pop()
        n_filled, n_texts = int(block.ends[-1]), len(block.ends) - 1
        indices[filled : filled + n_filled] = block.columns[:n_filled]
        data[filled : filled + n_filled] = block.counts[:n_filled]
        indptr[row + 1 : row + n_texts + 1] = filled + block.ends[1:]
        row, filled = row + n_texts, filled + n_filled
    matrix = sparse.csr_matrix((data, indices, indptr), shape=(n_rows, n_columns), copy=False)
    matrix.has_canonical_format = True
    return matrix


def _merge(first: TermCounter, other: TermCounter) -> Pair:
    """Add the terms of another counter to the first one; return their numbers there."""
    words = first.terms.merge(other.terms)
    if first.ngrams is None or other.ngrams is None:
        return words, np.empty(0, np.int32)
    return words, first.ngrams.merge(other.ngrams, words)


def _n_ngrams(counter: TermCounter) -> int:
    return 0 if counter.ngrams is None else len(counter.ngrams)


def _identity(values: NDArray[Any]) -> NDArray[np.int32]:
    return np.arange(len(values), dtype=np.int32)


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
