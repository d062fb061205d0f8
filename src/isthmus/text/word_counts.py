"""Count words that are separated by white space, as a step towards character n-grams."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isthmus.text.counting.character_table import CharacterTable
from isthmus.text.counting.loops import can_count
from isthmus.text.counting.word_rules import WordRules
from isthmus.text.term_counts import GrowingVocabulary
from isthmus.text.unicode_scripts import make_normalizer

__all__ = ["WordCounts"]

# Texts are counted when they have this many characters together.
_BLOCK_CHARACTERS = 1 << 20


class WordCounts:
    """Counts of words, which are separated by white space; texts are added one by one.

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

    def add(self, text: str) -> None:
        """Add the row of a text."""
        self._texts.append(text)
        self._n_waiting += len(text)
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
