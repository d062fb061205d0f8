"""Character classes of scripts, and Unicode normalization per language."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import partial

__all__ = ["IDEOGRAPH", "UNSPACED_SCRIPTS", "has_vowel_signs", "make_normaliser", "vowel_signs"]

#: Chinese characters, each of which may be a word, for a regular expression character class.
IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"

#: Letters and marks of languages that are tokenized into character n-grams, mostly because they
#: are written without spaces, as regular expression character classes. Digits and punctuation of
#: these scripts are not included.
UNSPACED_SCRIPTS = {
    "burmese": "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe"
    "\uaa60-\uaa76\uaa7a-\uaa7f",
    "chinese": "\u3005\u3007" + IDEOGRAPH,  # with the iteration mark and the zero
    "khmer": "\u1780-\u17d3\u17d7\u17dc\u17dd",
    "korean": "\u1100-\u11ff\u3131-\u3163\u3165-\u318e\ua960-\ua97c\uac00-\ud7fb",
    "lao": "\u0e81-\u0ebd\u0ec0-\u0ece\u0edc-\u0edf",
    "thai": "\u0e01-\u0e3a\u0e40-\u0e4e",
}

_WITH_VOWEL_SIGNS = ("hindi", "nepali", "tamil", "yiddish")
# Hebrew (used for Yiddish) and the scripts of India.
_BLOCKS_WITH_VOWEL_SIGNS = (range(0x0590, 0x0600), range(0x0900, 0x0E00))
# Zero-width joiners change the shape of a letter, not the word, and are used inconsistently.
_JOINERS = ("\u200c", "\u200d")
_WITH_JOINERS = (*_WITH_VOWEL_SIGNS, "burmese", "khmer", "lao", "thai")


def has_vowel_signs(language: str | None) -> bool:
    """Whether a language writes vowels as combining marks, which ``\\w`` does not match."""
    return language in _WITH_VOWEL_SIGNS


def vowel_signs() -> str:
    """Return the combining marks of these languages for a regular expression character class."""
    characters = (chr(code) for block in _BLOCKS_WITH_VOWEL_SIGNS for code in block)
    return "".join(c for c in characters if unicodedata.category(c).startswith("M"))


def make_normaliser(language: str | None) -> Callable[[str], str]:
    """Return a function that maps equivalent spellings of a text to one.

    Accents are composed (NFC): stemmers expect it, and some systems write them decomposed. For
    Japanese and Chinese, full-width letters and digits and half-width katakana are replaced as well
    (NFKC). Korean must not use NFKC: its single letters would become parts of a syllable.
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
