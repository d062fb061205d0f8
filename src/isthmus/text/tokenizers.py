"""From a text to its words, by the rules of its language."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from isthmus.text.languages import find_language
from isthmus.text.scripts import SCRIPTS, has_vowel_signs, make_normaliser, vowel_signs

__all__ = ["is_cut_into_pieces", "make_form_tokenizer", "make_tokenizer"]

T = TypeVar("T")

# scikit-learn's idea of a word: two or more letters, digits or underscores.
_WORD = r"\w\w+"

#: Characters of a piece, and the fewest that a run needs to count, where words are not set apart.
#: Most words of Chinese and Korean have two characters, and one is often a word; in the alphabets
#: of the others a syllable takes about three.
_PIECES = {
    "burmese": (3, 2),
    "chinese": (2, 1),
    "khmer": (3, 2),
    "korean": (2, 1),
    "lao": (3, 2),
    "thai": (3, 2),
}


def is_cut_into_pieces(language: str | None) -> bool:
    """Whether texts of a language become overlapping pieces of words, not words."""
    return language in _PIECES


def make_tokenizer(language: str | None, *, lowercase: bool = False) -> Callable[[str], list[str]]:
    """A function from a text to its words, in their order.

    Parameters
    ----------
    language : str or None
        Name or code. Words are two or more letters or digits side by side, with exceptions:
        Japanese is cut by a morphological analyser (extra "japanese"); Chinese and Korean become
        overlapping pairs of characters; Thai, Lao, Khmer and Burmese overlapping triples.
    lowercase : bool, default=False
        Whether words come in lower case.

    Raises
    ------
    ImportError
        If the language needs an extra that is not installed.

    Examples
    --------
    >>> from isthmus.text.tokenizers import make_tokenizer
    >>> make_tokenizer("de")("Öl und 12 Eier, o weh")
    ['Öl', 'und', '12', 'Eier', 'weh']
    >>> make_tokenizer("zh")("我喜欢CD")
    ['我喜', '喜欢', 'CD']
    """
    name = find_language(language)
    return _settled(_make_cutter(name), name, lowercase)


def make_form_tokenizer(*, lowercase: bool = False) -> Callable[[str], list[tuple[str, str]]]:
    """A function from a Japanese text to its words, each with its dictionary form."""
    from isthmus.text.japanese import make_form_cutter

    return _settled(make_form_cutter(), "japanese", lowercase)


def _settled(
    cut: Callable[[str], list[T]], language: str | None, lowercase: bool
) -> Callable[[str], list[T]]:
    """``cut``, after the characters and the case of a text are settled."""
    normalise = make_normaliser(language)
    if lowercase:
        return lambda text: cut(normalise(text).lower())
    return lambda text: cut(normalise(text))


def _make_cutter(language: str | None) -> Callable[[str], list[str]]:
    """A function from a text whose characters and case are settled to its words."""
    if language == "japanese":
        from isthmus.text.japanese import make_word_cutter

        return make_word_cutter()
    if language in _PIECES:
        return _PieceCutter(SCRIPTS[language], *_PIECES[language])
    if has_vowel_signs(language):
        return re.compile(rf"\w[\w{vowel_signs()}]+").findall
    return re.compile(_WORD).findall


class _PieceCutter:
    """Runs of one script to overlapping pieces; letters of other scripts and digits to words."""

    def __init__(self, script: str, length: int, shortest: int) -> None:
        self._findall = re.compile(rf"([{script}]+)|([^\W{script}]{{2,}})").findall
        self._length = length
        self._shortest = shortest

    def __call__(self, text: str) -> list[str]:
        words: list[str] = []
        for run, word in self._findall(text):
            if word:
                words.append(word)
            elif len(run) > self._length:
                last = len(run) - self._length
                words += [run[i : i + self._length] for i in range(last + 1)]
            elif len(run) >= self._shortest:
                words.append(run)
        return words
