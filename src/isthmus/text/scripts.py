"""Scripts: which characters make a word, and how they are written the same way."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import partial

__all__ = ["IDEOGRAPH", "SCRIPTS", "has_vowel_signs", "make_normaliser", "vowel_signs"]

#: Characters that are a word by themselves, as a class of a regular expression.
IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"

#: Letters and marks of the scripts that put no spaces between words, by language, as classes of
#: regular expressions. Digits and punctuation of these scripts are not among them.
SCRIPTS = {
    "burmese": "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe"
    "\uaa60-\uaa76\uaa7a-\uaa7f",
    "chinese": "\u3005\u3007" + IDEOGRAPH,  # with the signs of repetition and of zero
    "khmer": "\u1780-\u17d3\u17d7\u17dc\u17dd",
    "korean": "\u1100-\u11ff\u3131-\u3163\u3165-\u318e\ua960-\ua97c\uac00-\ud7fb",
    "lao": "\u0e81-\u0ebd\u0ec0-\u0ece\u0edc-\u0edf",
    "thai": "\u0e01-\u0e3a\u0e40-\u0e4e",
}

_WITH_VOWEL_SIGNS = ("hindi", "nepali", "tamil", "yiddish")
# Hebrew, which Yiddish is written in, and the scripts of India.
_BLOCKS_WITH_VOWEL_SIGNS = (range(0x0590, 0x0600), range(0x0900, 0x0E00))
# These change the look of a letter and not the word; writers set them or not.
_JOINERS = ("\u200c", "\u200d")
_WITH_JOINERS = (*_WITH_VOWEL_SIGNS, "burmese", "khmer", "lao", "thai")


def has_vowel_signs(language: str | None) -> bool:
    """Whether a language writes vowels as marks, which ``\\w`` takes for the end of a word."""
    return language in _WITH_VOWEL_SIGNS


def vowel_signs() -> str:
    """The marks of these languages, to stand in a class of a regular expression."""
    characters = (chr(code) for block in _BLOCKS_WITH_VOWEL_SIGNS for code in block)
    return "".join(c for c in characters if unicodedata.category(c).startswith("M"))


def make_normaliser(language: str | None) -> Callable[[str], str]:
    """A function that writes what is the same to a reader with the same characters.

    Accents are composed: stemmers expect it, and some systems write them decomposed. Japanese and
    Chinese have letters and digits of full width and katakana of half width besides, which become
    the usual ones. (Korean must not: its single letters would become parts of a syllable.)
    """
    if language in _WITH_JOINERS:
        return _compose_without_joiners
    if language in ("chinese", "japanese"):
        return partial(unicodedata.normalize, "NFKC")
    return partial(unicodedata.normalize, "NFC")


def _compose_without_joiners(text: str) -> str:
    for joiner in _JOINERS:
        text = text.replace(joiner, "")
    return unicodedata.normalize("NFC", text)
