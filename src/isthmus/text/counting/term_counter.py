"""Count the terms of blocks of texts, in threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels import loops
from isthmus.matrices.threads import thread_limit
from isthmus.text.counting.ngram_table import NgramTable
from isthmus.text.counting.term_numbers import TermNumbers
from isthmus.text.counting.text_block import TextBlock
from isthmus.text.counting.word_rules import WordRules
from isthmus.text.counting.word_table import compiled

__all__ = ["BlockCounts", "TermCounter", "count_blocks"]


class BlockCounts(NamedTuple):
    """Counts of the terms of some texts, in the numbers of the counter that counted them.

    The terms of text ``i`` are ``columns[ends[i]:ends[i + 1]]``: the number of a term of one word,
    or the complement of the number of an n-gram.
    """

    counter: TermCounter
    columns: NDArray[np.int32]
    counts: NDArray[np.int32]
    ends: NDArray[np.int64]


class TermCounter:
    """Counts terms and the number of texts that contain them.

    Parameters
    ----------
    terms : TermNumbers
    ngrams : NgramTable or None
        Numbers of n-grams; None if terms have one word.
    ngram_range : tuple of two int
    grow : bool
        Whether new n-grams get a number. Otherwise they are ignored.
    """

    def __init__(
        self,
        terms: TermNumbers,
        ngrams: NgramTable | None,
        ngram_range: tuple[int, int],
        *,
        grow: bool,
    ) -> None:
        self.terms, self.ngrams = terms, ngrams
        self.ngram_range, self._grow = ngram_range, grow
        self._places = np.empty(0, np.int32), np.empty(0, np.int32)
        self._frequencies = np.zeros(0, np.int64), np.zeros(0, np.int64)

    @property
    def frequencies(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Number of texts that contain a term of one word, and an n-gram."""
        words, ngrams = self._frequencies
        n_ngrams = 0 if self.ngrams is None else len(self.ngrams)
        return words[: len(self.terms)], ngrams[:n_ngrams]

    def count(self, block: TextBlock) -> BlockCounts:
        """Count the terms of some texts."""
        numbers, number_ends = self.terms.find(block)
        n_lengths = self.ngram_range[1] - self.ngram_range[0] + 1
        columns = np.empty(n_lengths * len(numbers), np.int32)
        counts, ends = np.empty_like(columns), np.zeros(block.n_texts + 1, np.int64)
        output = (columns, counts, ends)
        self._make_room(0, len(self.terms))
        if self.ngrams is None:
            memory = self._places[0], self._frequencies[0]
            compiled(loops.word_counts)(numbers, number_ends, *memory, *output, 0, block.n_texts)
        else:
            self._count_ngrams(self.ngrams, numbers, number_ends, output)
        # The arrays are longer than needed.
        return BlockCounts(self, columns[: ends[-1]].copy(), counts[: ends[-1]].copy(), ends)

    def _count_ngrams(
        self, ngrams: NgramTable, numbers: Any, number_ends: Any, output: tuple[Any, ...]
    ) -> None:
        row, n_texts = 0, len(number_ends) - 1
        while row < n_texts:
            self._make_room(1, ngrams.capacity)
            row = compiled(loops.word_ngram_counts)(
                *(numbers, number_ends, *self.ngram_range, self._grow),
                *ngrams.arrays(),
                *(*self._places, *self._frequencies),
                *(*output, row, n_texts),
            )
            if row < n_texts:
                ngrams.enlarge()

    def _make_room(self, kind: int, n_terms: int) -> None:
        """Enlarge the arrays for words (0) or n-grams (1)."""
        if n_terms <= len(self._places[kind]):
            return
        n_terms = max(n_terms, 2 * len(self._places[kind]))
        places, frequencies = list(self._places), list(self._frequencies)
        places[kind] = np.full(n_terms, -1, np.int32)  # they are only needed within a text
        frequencies[kind] = np.zeros(n_terms, np.int64)
        frequencies[kind][: len(self._frequencies[kind])] = self._frequencies[kind]
        self._places = places[0], places[1]
        self._frequencies = frequencies[0], frequencies[1]


def count_blocks(
    texts: Iterable[list[str]], rules: WordRules, make_counter: Callable[[], TermCounter]
) -> Iterator[BlockCounts]:
    """Count lists of texts in threads, each with a counter of its own.

    Yields the counts in the order of the texts. While a block is counted, the next one is read.
    """
    n_threads = thread_limit()
    idle: SimpleQueue[TermCounter] = SimpleQueue()

    def count(part: list[str]) -> BlockCounts:
        try:
            counter = idle.get_nowait()
        except Empty:
            counter = make_counter()
        try:
            return counter.count(TextBlock.make(part, rules))
        finally:
            idle.put(counter)

    if n_threads == 1:
        yield from map(count, texts)
        return
    with ThreadPoolExecutor(n_threads, thread_name_prefix="isthmus-text") as pool:
        pending: deque[Future[BlockCounts]] = deque()
        try:
            for part in texts:
                pending.append(pool.submit(count, part))
                while len(pending) > n_threads or (pending and pending[0].done()):
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
