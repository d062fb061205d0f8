"""The terms of one language, with look-up of dictionary words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isthmus.text.languages import find_language, make_stemmer
from isthmus.text.tokenizers import uses_character_ngrams

__all__ = ["LanguageVocabulary"]

Analyze = Callable[[str], list[str]]


_ARTICLES = {
    "danish": "en et at den det",
    "dutch": "de het een te zich",
    "english": "the an to",  # "a" is missing because a single letter is not a token
    "french": "le la les un une se",
    "german": "der die das ein eine sich zu",
    "italian": "il lo la gli le un uno una",
    "norwegian": "en ei et",
    "portuguese": "os as um uma",
    "spanish": "el la los las un una",
    "swedish": "en ett att",
}
_BY_LANGUAGE = {language: frozenset(words.split()) for language, words in _ARTICLES.items()}


def without_article(words: Sequence[str], language: str | None) -> list[str]:
    """Return the words of a dictionary entry without leading articles or particles."""
    articles = _BY_LANGUAGE.get(language or "", frozenset())
    kept = list(words)
    while len(kept) > 1 and kept[0] in articles:
        kept = kept[1:]
    return kept


class LanguageVocabulary:
    """The terms of one language, with look-up of dictionary words.

    Parameters
    ----------
    terms : sequence of str
    language : str or None
    analyze : callable
        Maps a text to its words, as for the terms but without n-grams.
    """

    def __init__(self, terms: Sequence[str], language: str | None, analyze: Analyze) -> None:
        self.terms = terms
        self.language = find_language(language)
        self._analyze = analyze
        self._index = {term: number for number, term in enumerate(terms)}
        self._words_of: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[int]] | None = None
        self._stem = self._make_stemmer()
        self._has_ngrams = uses_character_ngrams(self.language)

    def __contains__(self, term: object) -> bool:
        return term in self._index

    def index(self, term: str) -> int:
        """Return the number of a term."""
        return self._index[term]

    def exact_terms(self, text: str) -> tuple[int, ...]:
        """Return the terms of a dictionary word or phrase; empty if a word of it is not a term."""
        words = self._words(text)
        term = self._index.get(" ".join(words))
        if term is not None:  # a single word or an n-gram
            return (term,)
        known = [self._index[word] for word in words if word in self._index]
        return tuple(dict.fromkeys(known)) if len(known) == len(words) else ()

    def related_terms(self, text: str) -> tuple[int, ...]:
        """Return the terms with the same stem as a single word, or its character n-grams."""
        words = self._words(text)
        if self._has_ngrams and not any(map(str.isspace, text)):
            return tuple(self._index[ngram] for ngram in words if ngram in self._index)
        if self._stem is None or len(words) != 1:
            return ()
        if self._by_stem is None:
            self._by_stem = {}
            for number, term in enumerate(self.terms):
                self._by_stem.setdefault(self._stem(term), []).append(number)
        return tuple(self._by_stem.get(self._stem(words[0]), ()))

    def _words(self, text: str) -> list[str]:
        """Return the words of a text; cached, because the same texts are looked up repeatedly."""
        words = self._words_of.get(text)
        if words is None:
            words = self._words_of[text] = without_article(self._analyze(text), self.language)
        return words

    def _make_stemmer(self) -> Callable[[str], str] | None:
        try:
            return None if self.language is None else make_stemmer(self.language)
        except ValueError:  # a language without a stemmer
            return None
