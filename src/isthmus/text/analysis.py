"""From a text to its terms: markup, case, words, stop words, stems, n-grams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from isthmus.text.languages import find_language, make_stemmer, read_stop_words
from isthmus.text.tokenizers import make_form_tokenizer, make_tokenizer

__all__ = ["Analyzer"]

# More words than any language has; a stream of random strings must not fill the memory.
_WORDS_REMEMBERED = 2_000_000


class _Stems(dict[str, str]):
    """The stem of every word met so far; a stop word has none."""

    def __init__(self, stem: Callable[[str], str] | None, stop_words: frozenset[str]) -> None:
        super().__init__()
        self._stem = stem
        self._stop_words = stop_words

    def __missing__(self, word: str) -> str:
        if len(self) >= _WORDS_REMEMBERED:
            self.clear()
        stem = ""
        if word.lower() not in self._stop_words:
            stem = word if self._stem is None else self._stem(word)
        self[word] = stem
        return stem


class _Forms(dict[tuple[str, str], str]):
    """The same where a word comes with its dictionary form, which depends on the sentence."""

    def __init__(self, stop_words: frozenset[str]) -> None:
        super().__init__()
        self._stop_words = stop_words

    def __missing__(self, word: tuple[str, str]) -> str:
        if len(self) >= _WORDS_REMEMBERED:
            self.clear()
        left_out = any(spelling.lower() in self._stop_words for spelling in word)
        self[word] = form = "" if left_out else word[1]
        return form


class Analyzer:
    """A function from a text to its terms.

    Parameters
    ----------
    language, stop_words, stem, lowercase, ngram_range, html
        See :class:`isthmus.TextVectorizer`.
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
        ignored = read_stop_words(stop_words, name)
        self._cut: Callable[[str], list[Any]]
        self._stems: _Stems | _Forms
        if stem and name == "japanese":
            self._cut = make_form_tokenizer(lowercase=lowercase)
            self._stems = _Forms(ignored)
        else:
            stemmer = make_stemmer(name) if stem and name is not None else None
            self._cut = make_tokenizer(name, lowercase=lowercase)
            self._stems = _Stems(stemmer, ignored)
        self._strip: Callable[[str], str] | None = None
        if html:
            from isthmus.text.markup import make_stripper

            self._strip = make_stripper()
        self._join = _joiner(self._words, ngram_range)
        self._stemming = stem and name is not None
        self._word_use: Counter[Any] | None = None

    def __call__(self, text: str) -> list[str]:
        return self._join(text)

    def _words(self, text: str) -> list[str]:
        if self._strip is not None:
            text = self._strip(text)
        words = self._cut(text)
        if self._word_use is not None:
            self._word_use.update(words)
        stems = map(self._stems.__getitem__, words)
        return [stem for stem in stems if stem]

    def note_words(self) -> None:
        """From now on note how often every word occurs, for :meth:`spellings`."""
        if self._stemming:
            self._word_use = Counter()

    def spellings(self, terms: list[str]) -> list[str]:
        """Every term as people write it: the most frequent word behind each stem."""
        if self._word_use is None:
            return terms
        best: dict[str, tuple[int, str]] = {}
        for word, count in self._word_use.items():
            stem = self._stems[word]
            if stem:
                candidate = (-count, word if isinstance(word, str) else word[0])
                best[stem] = min(best.get(stem, candidate), candidate)
        written = {stem: word for stem, (_, word) in best.items()}
        return [" ".join(written.get(stem, stem) for stem in term.split(" ")) for term in terms]


def _joiner(
    words: Callable[[str], list[str]], ngram_range: tuple[int, int]
) -> Callable[[str], list[str]]:
    if ngram_range == (1, 1):
        return words
    from sklearn.feature_extraction.text import CountVectorizer

    joined = CountVectorizer(
        tokenizer=words, token_pattern=None, lowercase=False, ngram_range=ngram_range
    )
    return joined.build_analyzer()
