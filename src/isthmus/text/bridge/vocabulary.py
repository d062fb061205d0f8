"""The words of one language, as a dictionary meets them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isthmus.text.bridge.articles import without_article
from isthmus.text.languages import find_language, make_stemmer
from isthmus.text.tokenizers import is_cut_into_pieces

__all__ = ["Vocabulary"]

Analyze = Callable[[str], list[str]]


class Vocabulary:
    """The terms of one language, and how a word of a dictionary finds its way to them.

    Parameters
    ----------
    terms : sequence of str
    language : str or None
    analyze : function from a text to its words
        As for the terms, without sequences of words.
    """

    def __init__(self, terms: Sequence[str], language: str | None, analyze: Analyze) -> None:
        self.terms = terms
        self.language = find_language(language)
        self._analyze = analyze
        self._places = {term: place for place, term in enumerate(terms)}
        self._cut: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[int]] | None = None
        self._stem = self._make_stem()
        self._in_pieces = is_cut_into_pieces(self.language)

    def __contains__(self, term: object) -> bool:
        return term in self._places

    def place(self, term: str) -> int:
        """Number of a term."""
        return self._places[term]

    def spelt(self, text: str) -> tuple[int, ...]:
        """Terms that a word or phrase of a dictionary is made of; none if one is not a term."""
        words = self._words(text)
        whole = self._places.get(" ".join(words))
        if whole is not None:  # a single word, or a sequence of words that is counted
            return (whole,)
        known = [self._places[word] for word in words if word in self._places]
        return tuple(dict.fromkeys(known)) if len(known) == len(words) else ()

    def related(self, text: str) -> tuple[int, ...]:
        """Terms with the stem of a single word; its pieces, where words are cut into pieces."""
        words = self._words(text)
        if self._in_pieces and not any(map(str.isspace, text)):
            return tuple(self._places[piece] for piece in words if piece in self._places)
        if self._stem is None or len(words) != 1:
            return ()
        if self._by_stem is None:
            self._by_stem = {}
            for place, term in enumerate(self.terms):
                self._by_stem.setdefault(self._stem(term), []).append(place)
        return tuple(self._by_stem.get(self._stem(words[0]), ()))

    def _words(self, text: str) -> list[str]:
        """The words of a text; the same texts come many times."""
        words = self._cut.get(text)
        if words is None:
            words = self._cut[text] = without_article(self._analyze(text), self.language)
        return words

    def _make_stem(self) -> Callable[[str], str] | None:
        try:
            return None if self.language is None else make_stemmer(self.language)
        except ValueError:  # a language without stems
            return None
