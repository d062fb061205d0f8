"""Convert a text to terms: strip HTML, tokenize, drop stop words, stem, join n-grams."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from isthmus.text.counting.word_rules import WordRules
from isthmus.text.languages import find_language, make_stemmer, read_stop_words
from isthmus.text.tokenizers import make_form_tokenizer, make_tokenizer, make_word_rules

__all__ = ["Analyzer"]

# More words than any language has. The limit bounds the memory on a stream of random strings.
_MAX_CACHED_WORDS = 2_000_000


class _StemCache(dict[str, str]):
    """Cache of the stem of every word; a stop word has an empty stem."""

    def __init__(self, stem: Callable[[str], str] | None, stop_words: frozenset[str]) -> None:
        super().__init__()
        self._stem = stem
        self._stop_words = stop_words
        self._lock = threading.Lock()  # a stemmer has a state

    def look_up(self, words: list[str]) -> list[str]:
        """Return the stems of words; several threads may call it."""
        with self._lock:
            return [self[word] for word in words]

    def __missing__(self, word: str) -> str:
        if len(self) >= _MAX_CACHED_WORDS:
            self.clear()
        stem = ""
        if word.lower() not in self._stop_words:
            stem = word if self._stem is None else self._stem(word)
        self[word] = stem
        return stem


class _FormCache(dict[tuple[str, str], str]):
    """Cache of dictionary forms, for tokenizers that return pairs (word, dictionary form)."""

    def __init__(self, stop_words: frozenset[str]) -> None:
        super().__init__()
        self._stop_words = stop_words

    def __missing__(self, word: tuple[str, str]) -> str:
        if len(self) >= _MAX_CACHED_WORDS:
            self.clear()
        is_stop_word = any(spelling.lower() in self._stop_words for spelling in word)
        self[word] = form = "" if is_stop_word else word[1]
        return form


class Analyzer:
    """Callable that returns the terms of a text.

    Parameters
    ----------
    language, stop_words, stem, lowercase, ngram_range, html
        See :class:`isthmus.TextVectorizer`.

    Attributes
    ----------
    rules : WordRules or None
        The same analysis for compiled loops; None if they have no such tokenizer.
    n_lengths : int
        Number of different lengths of terms in words.
    """

    def __init__(
        self,
        language: str | None,
        stop_words: str | Iterable[str] | None,
        stem: bool,
        lowercase: bool,
        ngram_range: tuple[int, int],
        html: bool,
    ) -> None:
        name = find_language(language)
        excluded = read_stop_words(stop_words, name)
        self._tokenize: Callable[[str], list[Any]]
        self._stems: _StemCache | _FormCache
        if stem and name == "japanese":
            self._tokenize = make_form_tokenizer(lowercase=lowercase)
            self._stems = _FormCache(excluded)
        else:
            stemmer = make_stemmer(name) if stem and name is not None else None
            self._tokenize = make_tokenizer(name, lowercase=lowercase)
            self._stems = _StemCache(stemmer, excluded)
        self._strip_html: Callable[[str], str] | None = None
        if html:
            from isthmus.text.strip_html import make_html_stripper

            self._strip_html = make_html_stripper()
        self._analyze = _make_ngram_analyzer(self._words, ngram_range)
        self.n_lengths = ngram_range[1] - ngram_range[0] + 1
        self._is_stemming = stem and name is not None
        self._word_counts: Counter[Any] | None = None
        self.rules = self._make_rules(name, excluded, lowercase, ngram_range)

    def __call__(self, text: str) -> list[str]:
        return self._analyze(text)

    def _words(self, text: str) -> list[str]:
        if self._strip_html is not None:
            text = self._strip_html(text)
        words = self._tokenize(text)
        if self._word_counts is not None:
            self._word_counts.update(words)
        stems = map(self._stems.__getitem__, words)
        return [stem for stem in stems if stem]

    def start_counting_words(self) -> None:
        """Count every word from now on; :meth:`spellings` needs the counts."""
        if self._is_stemming:
            self._word_counts = Counter()

    def add_word_counts(self, counts: Mapping[str, int]) -> None:
        """Add counts of words from texts that were not analyzed here; see :meth:`spellings`."""
        if self._word_counts is not None:
            self._word_counts.update(counts)

    @property
    def word_counts(self) -> dict[Any, int]:
        """How often every word occurred since :meth:`start_counting_words`, if terms are stems."""
        return dict(self._word_counts or {})

    def spellings(self, terms: list[str]) -> list[str]:
        """Return the most frequent spelling of every term."""
        if self._word_counts is None:
            return terms
        most_frequent: dict[str, tuple[int, str]] = {}
        for word, count in self._word_counts.items():
            stem = self._stems[word]
            if stem:
                candidate = (-count, word if isinstance(word, str) else word[0])
                most_frequent[stem] = min(most_frequent.get(stem, candidate), candidate)
        spelling = {stem: word for stem, (_, word) in most_frequent.items()}
        return [" ".join(spelling.get(stem, stem) for stem in term.split(" ")) for term in terms]

    def _make_rules(
        self,
        language: str | None,
        excluded: frozenset[str],
        lowercase: bool,
        ngram_range: tuple[int, int],
    ) -> WordRules | None:
        rules = make_word_rules(language, lowercase=lowercase)
        if rules is None or isinstance(self._stems, _FormCache):
            return None
        rules = replace(rules, clean=self._strip_html, ngram_range=ngram_range)
        # Stop words are in lower case. Words that are not are compared with them one by one.
        if self._is_stemming or (excluded and not lowercase):
            return replace(rules, stems=self._stems.look_up)
        return replace(rules, excluded=excluded - {""})


def _make_ngram_analyzer(
    words: Callable[[str], list[str]], ngram_range: tuple[int, int]
) -> Callable[[str], list[str]]:
    if ngram_range == (1, 1):
        return words
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(
        tokenizer=words, token_pattern=None, lowercase=False, ngram_range=ngram_range
    )
    return vectorizer.build_analyzer()
