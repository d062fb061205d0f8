"""The words of a document that a fitted vectorizer counts, and its rows without one of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.inspection.word_positions import Position, WordFinder, blank_html
from isthmus.inspection.word_removal import max_words, remove_spans
from isthmus.text.bilingual_vectorizer import BilingualVectorizer
from isthmus.text.term_counts import KnownTermCounter
from isthmus.text.vectorizer import TextVectorizer
from isthmus.text.weighting import weigh_in_place, with_weights

__all__ = ["CountedDocument", "CountedWord", "make_word_reader"]


@dataclass(frozen=True)
class CountedWord:
    """A word of a document; with a stemmer, all spellings of a term are one word."""

    word: str
    """Its most frequent spelling in the document, as the tokenizer returns it."""
    n_occurrences: int
    positions: list[Position]
    """Where it is in the text without HTML."""
    marks: list[Position]
    """Where it is in the original text; HTML may hide some places."""
    is_known: bool = True
    """Whether it is part of a term of the vectorizer."""


@dataclass(frozen=True)
class CountedDocument:
    """A document and those of its words that are removed in turn."""

    text: str
    """The text without HTML."""
    words: list[CountedWord]
    n_left_out: int
    """Number of further words, which are not removed because there are too many."""
    rows: Any
    """The rows of the whole document and of the document without each of the words, in float64."""

    def variants(self, start: int, stop: int) -> list[str]:
        """Return variants of the text: 0 is the whole text, ``i`` has no word ``i - 1``."""
        return [
            remove_spans(self.text, [p[:2] for p in self.words[i - 1].positions] if i else [])
            for i in range(start, stop)
        ]


def make_word_reader(
    vectorizer: Any, *, target: bool, with_unknown: bool
) -> Callable[[str], CountedDocument]:
    """Return a function that reads a text as a fitted vectorizer does.

    Parameters
    ----------
    vectorizer : object
    target : bool
        Whether the texts are in the language of the target, if there are two.
    with_unknown : bool
        Whether words that the vectorizer does not know are read, because another one may know a
        part of them. Stop words are always left out.
    """
    if not isinstance(vectorizer, TextVectorizer | BilingualVectorizer):
        return _TextReader(vectorizer)
    fitted = vectorizer.weights_
    weights = np.ones(len(vectorizer.terms_)) if fitted is None else fitted
    weigh = partial(weigh_in_place, with_weights(vectorizer.weighting, fitted))
    if isinstance(vectorizer, TextVectorizer):
        return _TermReader(vectorizer, weights, weigh, with_unknown)
    joint = vectorizer.joint_vocabulary_
    language, to_columns, weights = (
        (vectorizer.target_, joint.map_target, joint.target @ weights)
        if target
        else (vectorizer.source_, joint.map_source, weights[joint.source])
    )
    return _TermReader(language, weights, lambda X: weigh(to_columns(X)), with_unknown)


class _TermReader:
    """Removes words from the counts of a :class:`TextVectorizer`.

    The counts are those of the text without the word, except that its neighbors form no new
    n-gram. Deleting a character n-gram from a text would also change the n-grams next to it.

    Parameters
    ----------
    vectorizer : TextVectorizer
    weights : array of shape (n_terms,)
        How important the terms are, to choose among the words of a long text.
    weigh : function
        Maps counts of terms to the rows that the classifier reads.
    with_unknown : bool
        As for :func:`make_word_reader`.
    """

    def __init__(
        self,
        vectorizer: TextVectorizer,
        weights: NDArray[Any],
        weigh: Callable[[Any], Any],
        with_unknown: bool,
    ) -> None:
        self._vectorizer, self._weights, self._weigh = vectorizer, weights, weigh
        self._with_unknown = with_unknown
        self._finder = WordFinder(vectorizer.language_, bool(vectorizer.lowercase))
        self._find_terms = vectorizer.make_analyzer()
        self._find_words = vectorizer.make_word_analyzer()
        self._has_ngrams = tuple(vectorizer.ngram_range) != (1, 1)
        self._word_terms: dict[str, str] = {}
        self._strip: Callable[[str], str] | None = None
        if vectorizer.html:
            from isthmus.text.strip_html import make_html_stripper

            self._strip = make_html_stripper()

    def __call__(self, text: str) -> CountedDocument:
        plain = text if self._strip is None else self._strip(text)
        positions = marks = self._positions(plain)
        if self._strip is not None:
            marks = self._positions(blank_html(text))
        n_occurrences = Counter(self._find_words(plain))
        counter = KnownTermCounter(self._find_terms, self._vectorizer.vocabulary_, "int32")
        counts = counter.count([text])
        removed = self._entries_by_word(counts.indices)
        if self._with_unknown:
            removed = {term: [] for term in positions if term} | removed
        chosen = self._most_important(removed, counts, max_words(len(plain)))
        words = [
            CountedWord(
                _most_frequent_spelling(positions[term]) or term,
                n_occurrences[term],
                positions[term],
                marks[term],
                is_known=bool(removed[term]),
            )
            for term in chosen
        ]
        rows = self._weigh(_without_entries(counts, [removed[term] for term in chosen]))
        return CountedDocument(plain, words, len(removed) - len(chosen), rows)

    def _positions(self, text: str) -> dict[str, list[Position]]:
        by_term: dict[str, list[Position]] = defaultdict(list)
        for position in self._finder.find(text):
            by_term[self._term_of(position.word)].append(position)
        return by_term

    def _term_of(self, word: str) -> str:
        """Return the term of a word; an empty string for a stop word."""
        if word not in self._word_terms:
            terms = self._find_words(word)
            # Out of its context, a Japanese word may be split. It is not located then.
            self._word_terms[word] = terms[0] if len(terms) == 1 else ""
        return self._word_terms[word]

    def _entries_by_word(self, columns: NDArray[Any]) -> dict[str, list[int]]:
        """Return for every word of a row the entries of the terms that contain it."""
        by_word: dict[str, list[int]] = defaultdict(list)
        for entry, column in enumerate(columns.tolist()):
            term = self._vectorizer.terms_[column]
            for word in set(term.split(" ")) if self._has_ngrams else (term,):
                by_word[word].append(entry)
        return by_word

    def _most_important(
        self, entries: dict[str, list[int]], counts: Any, n_words: int
    ) -> list[str]:
        """Return the words with the largest tf-idf."""
        values = (1 + np.log(counts.data)) * self._weights[counts.indices]
        importance = {word: float(values[places].sum()) for word, places in entries.items()}
        return sorted(entries, key=lambda word: (-importance[word], word))[:n_words]


class _TextReader:
    """Deletes words from texts and counts the rest again, with any vectorizer.

    Words are emoji and sequences of two or more letters or digits, in any case.
    """

    def __init__(self, vectorizer: Any) -> None:
        self._vectorizer = vectorizer
        self._finder = WordFinder(None, lowercase=True)

    def __call__(self, text: str) -> CountedDocument:
        by_word: dict[str, list[Position]] = defaultdict(list)
        for position in self._finder.find(text):
            by_word[position.word].append(position)
        chosen = self._most_important(text, list(by_word), max_words(len(text)))
        words = [CountedWord(w, len(by_word[w]), by_word[w], by_word[w]) for w in chosen]
        draft = CountedDocument(text, words, 0, None)
        rows = self._transform(draft.variants(0, len(words) + 1))
        # A word that changes nothing is not known.
        known = _changed_rows(rows)
        words = [words[row - 1] for row in known.tolist()]
        rows = rows[np.concatenate([[0], known])]
        return CountedDocument(text, words, len(by_word) - len(chosen), rows)

    def _most_important(self, text: str, words: list[str], n_words: int) -> list[str]:
        """Return the words whose columns have the largest values in the row of the text."""
        if len(words) <= n_words:
            return words
        in_text, alone = self._transform([text]), self._transform(words)
        alone.data[:] = 1
        importance = abs(alone) @ abs(in_text).T
        order = np.argsort(-importance.toarray().ravel(), kind="stable")
        return [words[place] for place in order[:n_words]]

    def _transform(self, texts: list[str]) -> Any:
        return sparse.csr_matrix(self._vectorizer.transform(texts), dtype=np.float64)


def _without_entries(row: Any, removed: list[list[int]]) -> Any:
    """Return a matrix whose first row is ``row``; each further one lacks some of its entries."""
    values = np.tile(row.data.astype(np.float64), (len(removed) + 1, 1))
    for number, entries in enumerate(removed, 1):
        values[number, entries] = 0
    columns = np.tile(row.indices, len(values))
    ends = np.arange(len(values) + 1) * len(row.data)
    shape = (len(values), row.shape[1])
    rows = sparse.csr_matrix((values.ravel(), columns, ends), shape=shape)
    rows.sort_indices()
    rows.eliminate_zeros()
    return rows


def _changed_rows(rows: Any) -> NDArray[np.intp]:
    """Return the numbers of the rows that differ from the first one."""
    changes = rows - rows[np.zeros(rows.shape[0], np.intp)]
    changes.eliminate_zeros()
    return np.flatnonzero(np.diff(changes.indptr))


def _most_frequent_spelling(positions: list[Position]) -> str:
    """Return the most frequent spelling, the first one of equals; empty without a position."""
    counts = Counter(position.word for position in positions)
    return max(counts, key=counts.__getitem__, default="")
