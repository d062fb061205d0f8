"""Count terms in a stream of texts, with compiled loops or in plain Python.

Both implementations give the same counts. The one in plain Python has every tokenizer; the compiled
one has that of languages with spaces between words, and is used from a few million characters on.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.kernels import loops
from isthmus.kernels.dispatch import compile_setting
from isthmus.text.analyzer import Analyzer
from isthmus.text.counting.word_rules import WordRules
from isthmus.text.text_blocks import TextBlocks

__all__ = ["GrowingVocabulary", "KnownTermCounter", "TermCounts", "can_count", "count_all_terms"]

Analyze = Callable[[str], list[str]]

_BLOCK_ROWS = 10_000
# This many characters are read before it is decided whether compiling is worth its time.
_FIRST_CHARACTERS = 1 << 23
# Reading a vocabulary for the compiled loops takes as long as counting this many characters a term,
# and filling the tables of the loops again as long as counting one.
_CHARACTERS_PER_KNOWN_TERM = 5
# Estimated cost of a character in plain Python, in multiplications.
_WORK_OF_CHARACTER = 32
_WORDS = (loops.text_words, loops.add_words, loops.move_slots)


class TermCounts(Protocol):
    """Counts of all terms of texts. Terms have numbers from 0."""

    @property
    def n_documents(self) -> int:
        """The number of texts."""

    @property
    def frequencies(self) -> NDArray[Any]:
        """The number of documents that contain a term, for every term."""

    def totals(self) -> NDArray[Any]:
        """Return how often every term occurs in all documents."""

    def sort_terms(self, numbers: NDArray[Any]) -> tuple[NDArray[Any], list[str]]:
        """Return the numbers of some terms, sorted by the spelling of the terms, and the terms."""

    def take(self, numbers: NDArray[Any], dtype: str) -> sparse.csr_matrix:
        """Return the counts of some terms in their order, with sorted columns, one time only."""


def count_all_terms(
    blocks: TextBlocks, analyzer: Analyzer, max_characters: float = float("inf")
) -> TermCounts:
    """Count every term, one row per text; stop at the block that reaches ``max_characters``."""
    rules = analyzer.rules
    if rules is None or not _is_compiled(blocks, rules):
        vocabulary = GrowingVocabulary()
        arrays = _count(blocks.joined(at_most=max_characters), analyzer, vocabulary)
        return PlainCounts(_to_csr(*arrays, len(vocabulary)), list(vocabulary))
    from isthmus.text.counting.block_counts import count_all
    from isthmus.text.counting.text_block import MAX_CHARACTERS

    counts = count_all(blocks.joined(MAX_CHARACTERS, at_most=max_characters), rules)
    analyzer.add_word_counts(counts.word_totals())
    return counts


class KnownTermCounter:
    """Counts the terms of a vocabulary in one list of texts after the other.

    The vocabulary is read for the compiled loops once, when there are enough texts.
    """

    def __init__(self, analyzer: Analyzer, vocabulary: Mapping[str, int], dtype: str) -> None:
        self._analyzer, self._vocabulary, self._dtype = analyzer, vocabulary, dtype
        self._known: Any = None

    def count(self, texts: Iterable[str] | TextBlocks) -> Any:
        """Return the counts, one row per text, with sorted columns."""
        blocks = TextBlocks.of(texts)
        n_terms = len(self._vocabulary)
        per_term = _CHARACTERS_PER_KNOWN_TERM if self._known is None else 1
        rules = self._analyzer.rules
        if rules is None or not _is_compiled(blocks, rules, max(1, per_term * n_terms)):
            arrays = _count(blocks, self._analyzer, self._vocabulary, known_only=True)
            counts = _to_csr(*arrays, n_terms)
            counts.sort_indices()
            return counts.astype(self._dtype)
        from isthmus.text.counting.block_counts import KnownTerms, count_known
        from isthmus.text.counting.text_block import MAX_CHARACTERS

        if self._known is None:
            self._known = KnownTerms(self._vocabulary, rules)
        return count_known(blocks.joined(MAX_CHARACTERS), self._known, n_terms, self._dtype)


def _is_compiled(blocks: TextBlocks, rules: WordRules, at_least: int = 1) -> bool:
    """Return whether the texts are counted by compiled loops.

    Plain Python is better if there are fewer characters than ``at_least``, and as long as compiling
    takes longer than counting.
    """
    setting = compile_setting()
    if setting == "never":
        return False
    enough = 1 if setting == "always" else _FIRST_CHARACTERS
    n_characters = blocks.n_characters_ahead(max(enough, at_least))
    return n_characters >= at_least and can_count(
        n_characters,
        goes_on=n_characters >= _FIRST_CHARACTERS,
        for_matrix=True,
        with_ngrams=rules.ngram_range != (1, 1),
    )


class PlainCounts:
    """Counts of all terms as a matrix, with the terms of its columns."""

    def __init__(self, matrix: sparse.csr_matrix, terms: list[str]) -> None:
        self._matrix, self._terms = matrix, terms
        self.n_documents = matrix.shape[0]
        self.frequencies = np.bincount(matrix.indices, minlength=len(terms))

    def totals(self) -> NDArray[Any]:
        return np.bincount(self._matrix.indices, self._matrix.data, minlength=len(self._terms))

    def sort_terms(self, numbers: NDArray[Any]) -> tuple[NDArray[Any], list[str]]:
        in_order = sorted(numbers.tolist(), key=self._terms.__getitem__)
        return np.array(in_order, np.intp), [self._terms[number] for number in in_order]

    def take(self, numbers: NDArray[Any], dtype: str) -> sparse.csr_matrix:
        n_entries = int(self.frequencies[numbers].sum())
        return _take_columns(self._matrix, numbers, n_entries, dtype)


class GrowingVocabulary(dict[str, int]):
    """Vocabulary that assigns the next number to every new term."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


def _count(
    blocks: Iterable[list[str]],
    analyze: Analyze,
    vocabulary: Mapping[str, int],
    *,
    known_only: bool = False,
) -> tuple[array[int], array[int], array[int]]:
    columns, values, ends = array("i"), array("i"), array("q", [0])
    for text in chain.from_iterable(blocks):
        counts: dict[str, int] = Counter(analyze(text))
        if known_only:
            counts = {term: n for term, n in counts.items() if term in vocabulary}
        columns.extend(map(vocabulary.__getitem__, counts))
        values.extend(counts.values())
        ends.append(len(columns))
    return columns, values, ends


def _to_csr(columns: array[int], values: array[int], ends: array[int], n_terms: int) -> Any:
    indices = np.frombuffer(columns, np.intc).astype(np.int32, copy=False)
    data = np.frombuffer(values, np.intc).astype(np.int32, copy=False)
    fits_int32 = len(indices) <= np.iinfo(np.int32).max
    indptr = np.frombuffer(ends, np.int64).astype(np.int32 if fits_int32 else np.int64)
    if not fits_int32:
        indices = indices.astype(np.int64)
    return sparse.csr_matrix((data, indices, indptr), shape=(len(ends) - 1, n_terms), copy=False)


def _take_columns(counts: Any, columns: NDArray[np.intp], n_entries: int, dtype: str) -> Any:
    """Return the given columns in their order; works block by block to save memory."""
    new_column = np.full(counts.shape[1], -1, counts.indices.dtype)
    new_column[columns] = np.arange(len(columns), dtype=new_column.dtype)
    indices, data = np.empty(n_entries, counts.indices.dtype), np.empty(n_entries, dtype)
    indptr = np.zeros_like(counts.indptr)
    filled = 0
    for first in range(0, counts.shape[0], _BLOCK_ROWS):
        row_ends = counts.indptr[first : first + _BLOCK_ROWS + 1]
        block = slice(row_ends[0], row_ends[-1])
        block_columns = new_column[counts.indices[block]]
        is_kept = block_columns >= 0
        n_kept_before = np.concatenate([[0], np.cumsum(is_kept)])
        rows = slice(first + 1, first + len(row_ends))
        indptr[rows] = filled + n_kept_before[row_ends[1:] - row_ends[0]]
        output = slice(filled, filled + int(n_kept_before[-1]))
        indices[output], data[output] = block_columns[is_kept], counts.data[block][is_kept]
        filled = output.stop
    shape = (counts.shape[0], len(columns))
    kept = sparse.csr_matrix((data, indices, indptr), shape=shape, copy=False)
    kept.sort_indices()
    return kept


def can_count(n_characters: int, *, goes_on: bool, for_matrix: bool, with_ngrams: bool) -> bool:
    """Compile the loops if that is worth its time; return whether they are ready.

    Parameters
    ----------
    n_characters : int
        Size of the texts that are known.
    goes_on : bool
        Whether there may be many more.
    for_matrix, with_ngrams : bool
        Whether the loops for a sorted matrix and for word n-grams are needed.
    """
    counts = (loops.word_ngram_counts, loops.add_word_ngrams) if with_ngrams else ()
    needed = (*_WORDS, *(counts or (loops.word_counts,)), *(for_matrix * (loops.sorted_rows,)))
    work = n_characters * _WORK_OF_CHARACTER
    # A failure is reported once, and then no loop is compiled.
    return all(
        loop.find(1, work, np.float32, np.int32, repeated=goes_on) is not None for loop in needed
    )
