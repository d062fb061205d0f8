"""Find the words of a tokenizer in the original text.

A tokenizer normalizes a text and converts it to lower case, which may change its length. Positions
are found in the normalized text and mapped back.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from isthmus.text.languages import find_language
from isthmus.text.tokenizers import make_tokenizer, uses_character_ngrams
from isthmus.text.unicode_scripts import make_normalizer

__all__ = ["Position", "WordFinder", "blank_html"]

# Markup, what is not shown, and character references.
_HTML = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(script|style|noscript|template)\b.*?(?:</\1\s*>|\Z)"
    r"|</?[a-zA-Z!?][^<>]*>"
    r"|&(?:#\w+|[a-zA-Z]\w*);",
    re.DOTALL | re.IGNORECASE,
)
_CHUNK = re.compile(r"\s+|\S+")


class Position(NamedTuple):
    """Where a word is in the text, and the word as the tokenizer returns it."""

    start: int
    end: int
    word: str


class WordFinder:
    """Finds the words of the tokenizer of a language.

    Parameters
    ----------
    language : str or None
    lowercase : bool
        As for :class:`isthmus.TextVectorizer`.
    """

    def __init__(self, language: str | None, lowercase: bool) -> None:
        name = find_language(language)
        self._tokenize = make_tokenizer(name, lowercase=lowercase)
        self._normalize = make_normalizer(name)
        self._lower: Callable[[str], str] = str.lower if lowercase else str
        self._may_overlap = uses_character_ngrams(name)

    def find(self, text: str) -> list[Position]:
        """Return the words in their order. Character n-grams overlap.

        A word that the tokenizer has changed is left out.
        """
        normalized = self._lower(self._normalize(text))
        places = self._places(text, normalized)
        positions: list[Position] = []
        start = end = 0
        for word in self._tokenize(text):
            is_next_ngram = (
                self._may_overlap
                and len(word) == end - start
                and normalized.startswith(word, start + 1)
            )
            found = start + 1 if is_next_ngram else normalized.find(word, end)
            if found >= 0:
                start, end = found, found + len(word)
                begin, stop = (start, end) if places is None else places.span(start, end)
                positions.append(Position(begin, stop, word))
        return positions

    def _places(self, text: str, normalized: str) -> _Places | None:
        """Return where the normalized characters come from; None if no position has changed."""
        if text.isascii():
            return None
        composed = self._normalize(text)
        # Only a capital I with a dot gets longer in lower case, so equal lengths are enough.
        if composed == text and len(normalized) == len(text):
            return None
        return _Places(text, self._normalize, self._lower)


class _Places:
    """The place in the original text of every character of the normalized text."""

    def __init__(
        self, text: str, normalize: Callable[[str], str], lower: Callable[[str], str]
    ) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for chunk in _CHUNK.finditer(text):
            start = chunk.start()
            pieces = _pieces(chunk[0])
            if "".join(map(normalize, pieces)) != normalize(chunk[0]):
                pieces = [chunk[0]]
            for piece in pieces:
                # The case of a character does not change that of the others, except for the final
                # sigma, which has the same length.
                n_normalized = len(lower(normalize(piece)))
                self._starts += [start] * n_normalized
                self._ends += [start + len(piece)] * n_normalized
                start += len(piece)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original place of a part of the normalized text."""
        return self._starts[start], self._ends[end - 1]


def _pieces(chunk: str) -> list[str]:
    """Split a text before every character that is not combined with the one before it."""
    starts = [i for i, character in enumerate(chunk) if i == 0 or not _combines(character)]
    return [chunk[start:end] for start, end in pairwise([*starts, len(chunk)])]


def _combines(character: str) -> bool:
    """Whether a character may be composed with the one before it."""
    if character < "\u0300":
        return False
    # Vowels and final consonants of Korean syllables.
    if "\u1160" <= character <= "\u11ff":
        return True
    decomposed = unicodedata.normalize("NFKD", character)
    return unicodedata.category(decomposed[0]).startswith("M")


def blank_html(page: str) -> str:
    """Return a page with spaces in place of markup, so that all positions stay the same."""
    return _HTML.sub(lambda match: " " * len(match[0]), page)
