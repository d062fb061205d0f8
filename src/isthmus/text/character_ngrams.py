"""Count the character n-grams inside the words of texts.

An n-gram never crosses white space, so the n-grams of a text follow from its words. Texts are
therefore read as counts of words, which needs little memory and is quick, and every different word
is split into n-grams only once.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.kernels import loops
from isthmus.text.counting.character_table import CharacterTable
from isthmus.text.counting.word_rules import WordRules
from isthmus.text.term_counts import GrowingVocabulary, can_count
from isthmus.text.unicode_scripts import make_normalizer

__all__ = [
    "NgramCounts",
    "NgramSpellings",
    "WordCounts",
    "all_ngrams",
    "has_plain_characters",
    "known_ngrams",
]

# Estimated cost of one n-gram in the plain loops, in multiplications.
_WORK_OF_NUMBERING, _WORK_OF_COUNTING = 60, 10
_INDEX = np.int32
# Texts are counted when they have this many characters together.
_BLOCK_CHARACTERS = 1 << 20


class WordCounts:
    """Counts of words, which are separated by white space.

    Parameters
    ----------
    lowercase : bool
    clean : function or None
        Applied to every text first.
    """

    def __init__(
        self, *, lowercase: bool = True, clean: Callable[[str], str] | None = None
    ) -> None:
        characters = CharacterTable(r"\S", r"\S", None, None, lowercase)
        self._rules = WordRules(characters, 1, make_normalizer(None), clean)
        self._texts: list[str] = []
        self._n_waiting = 0  # characters of these texts
        self._counter: _Implementation | None = None

    def add(self, texts: list[str]) -> None:
        """Add the rows of some texts."""
        self._texts += texts
        self._n_waiting += sum(map(len, texts))
        if self._n_waiting >= _BLOCK_CHARACTERS:
            self._count()

    @property
    def n_texts(self) -> int:
        return len(self._texts) + (0 if self._counter is None else self._counter.n_texts)

    @property
    def n_stored(self) -> int:
        """Number of stored counts, without those of the last texts."""
        return 0 if self._counter is None else self._counter.n_stored

    @property
    def n_characters(self) -> int:
        """Number of characters of all different words together, without the last texts."""
        return 0 if self._counter is None else self._counter.n_characters

    def count_all(self) -> None:
        """Count the last texts too."""
        self._count()

    @property
    def words(self) -> Sequence[str]:
        """The different words; their positions are the columns."""
        return self._count().words()

    def arrays(self) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int64]]:
        """Return values, columns and row pointers of the matrix of counts."""
        return self._count().arrays()

    def _count(self) -> _Implementation:
        """Count the waiting texts. The first ones decide whether compiling is worth its time."""
        if self._counter is None:
            is_ready = can_count(
                self._n_waiting,
                goes_on=self._n_waiting >= _BLOCK_CHARACTERS,
                for_matrix=False,
                with_ngrams=False,
            )
            self._counter = (_CompiledWords if is_ready else _PlainWords)(self._rules)
        if self._texts:
            self._counter.add(self._texts)
            self._texts, self._n_waiting = [], 0
        return self._counter


class _Implementation(Protocol):
    """An implementation that counts words."""

    n_texts: int
    n_stored: int
    n_characters: int

    def add(self, texts: list[str]) -> None:
        """Add the rows of texts."""

    def words(self) -> list[str]:
        """Return the different words."""

    def arrays(self) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int64]]:
        """Return values, columns and row pointers."""


class _PlainWords:
    """Counts words with a dictionary."""

    def __init__(self, rules: WordRules) -> None:
        self._rules = rules
        self._vocabulary = GrowingVocabulary()
        self._columns, self._values, self._ends = array("i"), array("i"), array("q", [0])
        self.n_texts = self.n_stored = self.n_characters = 0

    def add(self, texts: list[str]) -> None:
        clean, normalize = self._rules.clean or str, self._rules.normalize
        lower = str.lower if self._rules.characters.lowercase else str
        for text in texts:
            counts = Counter(lower(normalize(clean(text))).split())
            self._columns.extend(map(self._vocabulary.__getitem__, counts))
            self._values.extend(counts.values())
            self._ends.append(len(self._columns))
        self.n_texts, self.n_stored = len(self._ends) - 1, len(self._columns)
        self.n_characters = sum(map(len, self._vocabulary))

    def words(self) -> list[str]:
        return list(self._vocabulary)

    def arrays(self) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int64]]:
        return (
            np.frombuffer(self._values, np.intc).astype(np.float32),
            np.frombuffer(self._columns, np.intc).astype(np.int32, copy=False),
            np.frombuffer(self._ends, np.int64),
        )


class _CompiledWords:
    """Counts words with compiled loops."""

    def __init__(self, rules: WordRules) -> None:
        from isthmus.text.counting.term_counter import BlockCounts, TermCounter
        from isthmus.text.counting.term_numbers import WordNumbers

        self._rules, self._numbers = rules, WordNumbers(rules)
        self._counter = TermCounter(self._numbers, None, (1, 1), grow=True)
        self._blocks: list[BlockCounts] = []
        self.n_texts = self.n_stored = self.n_characters = 0

    def add(self, texts: list[str]) -> None:
        from isthmus.text.counting.text_block import TextBlock

        block = self._counter.count(TextBlock.make(texts, self._rules))
        self._blocks.append(block)
        self.n_texts += len(texts)
        self.n_stored += len(block.columns)
        self.n_characters = self._numbers.n_characters

    def words(self) -> list[str]:
        return self._numbers.spell(np.arange(len(self._numbers)))

    def arrays(self) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int64]]:
        if not self._blocks:
            return np.empty(0, np.float32), np.empty(0, np.int32), np.zeros(1, np.int64)
        n_entries = np.concatenate([np.diff(block.ends) for block in self._blocks])
        return (
            np.concatenate([block.counts for block in self._blocks]).astype(np.float32),
            np.concatenate([block.columns for block in self._blocks]),
            np.concatenate([[0], np.cumsum(n_entries)]),
        )


class NgramCounts:
    """The words of texts and the n-grams of these words.

    Parameters
    ----------
    words : WordCounts
    ngrams : array
        The numbers of the n-grams of the first word, then of the second, and so on.
    pointers : array of shape (n_words + 1,)
        Where the n-grams of every word begin.
    n_ngrams : int
    """

    def __init__(
        self, words: WordCounts, ngrams: NDArray[Any], pointers: NDArray[Any], n_ngrams: int
    ) -> None:
        self._counts, self._words, self._indptr = words.arrays()
        self._ngrams, self._pointers = ngrams, pointers
        self.n_texts, self.n_ngrams = words.n_texts, n_ngrams

    def totals(self) -> NDArray[np.float64]:
        """Return how often every n-gram occurs in all texts."""
        n_words = len(self._pointers) - 1
        of_words = np.bincount(self._words, weights=self._counts, minlength=n_words)
        return self._sum_over_words(of_words)

    def document_frequencies(self, at_least: int) -> NDArray[np.int64]:
        """Return the number of texts that contain an n-gram; 0 if it is below ``at_least``."""
        # A text that contains an n-gram contains one of its words, so most n-grams are found to
        # be rare without a look at the texts.
        bounds = self._sum_over_words(np.bincount(self._words, minlength=len(self._pointers) - 1))
        candidates = np.flatnonzero(bounds >= at_least)
        frequencies = np.zeros(len(candidates), np.int64)
        counted = self.take(candidates)
        loop = loops.ngram_frequencies.choose(
            1, counted._work(), np.float32, _INDEX, repeated=False
        )
        loop(
            *(counted._words, counted._indptr, counted._ngrams, counted._pointers),
            *(frequencies, 0, self.n_texts),
        )
        every = np.zeros(self.n_ngrams, np.int64)
        every[candidates] = np.where(frequencies >= at_least, frequencies, 0)
        return every

    def take(self, numbers: NDArray[Any]) -> NgramCounts:
        """Return the counts of some n-grams, renumbered in the given order."""
        new_numbers = np.full(self.n_ngrams, -1, _INDEX)
        new_numbers[numbers] = np.arange(len(numbers))
        renumbered = new_numbers[self._ngrams]
        is_taken = renumbered >= 0
        n_before = np.concatenate([[0], np.cumsum(is_taken)])
        taken = object.__new__(NgramCounts)
        taken.__dict__.update(self.__dict__)
        taken._ngrams, taken._pointers = renumbered[is_taken], n_before[self._pointers]
        taken.n_ngrams = len(numbers)
        return taken

    def matrix(self, n_stored: int | None = None) -> Any:
        """Return the counts, one row per text and one column per n-gram, with sorted columns.

        ``n_stored`` is the number of stored counts if it is known.
        """
        if n_stored is None:
            n_stored = int(self.document_frequencies(1).sum())
        values, columns = np.empty(n_stored, np.float32), np.empty(n_stored, _INDEX)
        ends = np.zeros(self.n_texts + 1, np.int64)
        loop = loops.ngram_counts.choose(1, self._work(), np.float32, _INDEX, repeated=False)
        loop(
            *(self._counts, self._words, self._indptr, self._ngrams, self._pointers),
            *(self.n_ngrams, values, columns, ends, 0, self.n_texts),
        )
        if n_stored <= np.iinfo(np.int32).max:
            ends = ends.astype(np.int32)
        shape = (self.n_texts, self.n_ngrams)
        rows = sparse.csr_matrix((values, columns, ends), shape=shape, copy=False)
        rows.has_sorted_indices = rows.has_canonical_format = True
        return rows

    def _sum_over_words(self, values: NDArray[Any]) -> NDArray[np.float64]:
        of_entries = np.repeat(values, np.diff(self._pointers))
        sums = np.bincount(self._ngrams, weights=of_entries, minlength=self.n_ngrams)
        return np.asarray(sums, np.float64)

    def _work(self) -> int:
        entries = np.diff(self._pointers)[self._words].sum()
        return int(entries) * _WORK_OF_COUNTING


class NgramSpellings:
    """The characters of numbered n-grams.

    Parameters
    ----------
    words : list of str
    ngrams, pointers : arrays
        As for :class:`NgramCounts`.
    ngram_range : tuple of two int
    n_ngrams : int
    """

    def __init__(
        self,
        words: Sequence[str],
        ngrams: NDArray[Any],
        pointers: NDArray[np.int64],
        ngram_range: tuple[int, int],
        n_ngrams: int,
    ) -> None:
        self._text, self._lengths = _join(words)
        self._range, self._pointers = ngram_range, pointers
        self._entries = np.empty(n_ngrams, np.int64)
        self._entries[ngrams] = np.arange(len(ngrams))  # any occurrence of the n-gram

    def spell(self, numbers: NDArray[Any]) -> list[str]:
        """Return n-grams as strings."""
        begins, ends = self._places(numbers)
        return [self._text[b:e] for b, e in zip(begins.tolist(), ends.tolist(), strict=True)]

    def are_plain(self, numbers: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which n-grams have neither control characters nor halves of surrogate pairs."""
        n_odd = np.concatenate([[0], np.cumsum(_are_odd(_codes(self._text)))])
        begins, ends = self._places(numbers)
        return np.asarray(n_odd[ends] == n_odd[begins])

    def _places(self, numbers: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where n-grams begin and end in the text of all words."""
        entries = self._entries[numbers]
        word = np.searchsorted(self._pointers, entries, side="right") - 1
        offset = entries - self._pointers[word]
        length = self._lengths[word]
        shortest, longest = _ranges(length, self._range)
        # The n-grams of a word are sorted by position, then by length. All lengths fit at the
        # first positions; then there is one length less at every position.
        n_lengths = longest - shortest + 1
        n_full = (length - longest + 1) * n_lengths
        position, step = np.divmod(offset, n_lengths)
        left = n_full + n_lengths * (n_lengths - 1) // 2 - offset  # n-grams from here to the end
        n_last = np.ceil((np.sqrt(8 * np.maximum(left, 1) + 1) - 1) / 2).astype(np.int64)
        is_tail = offset >= n_full
        position = np.where(is_tail, length - shortest + 1 - n_last, position)
        step = np.where(is_tail, n_last * (n_last + 1) // 2 - left, step)
        starts = np.cumsum(self._lengths) - self._lengths
        begins = starts[word] + position
        return begins, begins + shortest + step


def all_ngrams(
    words: WordCounts, ngram_range: tuple[int, int]
) -> tuple[NgramCounts, NgramSpellings]:
    """Return the counts of all n-grams and their spellings."""
    different = words.words
    text, lengths = _join(different)
    ngrams, pointers, n_ngrams = _number(_codes(text), lengths, *_ranges(lengths, ngram_range))
    spellings = NgramSpellings(different, ngrams, pointers, ngram_range, n_ngrams)
    return NgramCounts(words, ngrams, pointers, n_ngrams), spellings


def known_ngrams(
    words: WordCounts, terms: Sequence[str], ngram_range: tuple[int, int]
) -> NgramCounts:
    """Return the counts of given n-grams, which must all be different."""
    joined, lengths = _join(words.words)
    term_lengths = np.fromiter(map(len, terms), np.int64, len(terms))
    shortest, longest = _ranges(lengths, ngram_range)
    ngrams, pointers, n_ngrams = _number(
        _codes("".join(terms) + joined),
        np.concatenate([term_lengths, lengths]),
        np.concatenate([term_lengths, shortest]),
        np.concatenate([term_lengths, longest]),
    )
    n_terms = len(terms)  # a term has one n-gram, itself
    counts = NgramCounts(words, ngrams[n_terms:], pointers[n_terms:] - n_terms, n_ngrams)
    return counts.take(ngrams[:n_terms])


def has_plain_characters(text: str) -> bool:
    """Return whether a text has neither control characters nor halves of surrogate pairs."""
    return not _are_odd(_codes(text)).any()


def _are_odd(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    return (codes < 32) | ((codes >= 127) & (codes < 160)) | ((codes >= 0xD800) & (codes < 0xE000))


def _join(words: Sequence[str]) -> tuple[str, NDArray[np.int64]]:
    """Return all words, each between two spaces, as one text, and their lengths."""
    joined = f" {'  '.join(words)} " if words else ""
    return joined, np.fromiter(map(len, words), np.int64, len(words)) + 2


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(
        np.uint32, copy=False
    )


def _ranges(
    lengths: NDArray[np.int64], ngram_range: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the shortest and the longest n-gram of every word; a short word is one n-gram."""
    shortest, longest = ngram_range
    return np.minimum(lengths, shortest), np.minimum(lengths, longest)


def _number(
    codes: NDArray[np.uint32],
    lengths: NDArray[np.int64],
    shortest: NDArray[np.int64],
    longest: NDArray[np.int64],
) -> tuple[NDArray[Any], NDArray[np.int64], int]:
    """Return the numbers of the n-grams of all words, their pointers, and how many there are."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    sizes = longest - shortest + 1
    n_entries = sizes * (2 * lengths - shortest - longest + 2) // 2
    pointers = np.concatenate([[0], np.cumsum(n_entries)])
    ngrams = np.empty(pointers[-1], _INDEX)
    work = len(ngrams) * _WORK_OF_NUMBERING
    loop = loops.ngram_numbers.choose(1, work, np.float32, _INDEX, repeated=False)
    n_ngrams = loop(codes, starts, shortest, longest, pointers, ngrams, 0, len(lengths))
    return ngrams, pointers, int(n_ngrams)
