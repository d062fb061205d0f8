"""Character classes of scripts, and Unicode normalization per language."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import partial

__all__ = [
    "EMOJI",
    "FLAG_LETTER",
    "IDEOGRAPH",
    "KANA",
    "SINGLE_EMOJI",
    "UNSPACED_SCRIPTS",
    "make_normalizer",
    "vowel_signs",
]

#: Chinese characters, each of which may be a word, for a regular expression character class.
IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"

#: Hiragana and katakana of Japanese, for a character class.
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"

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

# The characters with the Unicode property Emoji, without digits, arrows, skin tones and signs
# such as the trade mark. Stars and musical notes that are not emoji are not included.
_EMOJI_SYMBOLS = (
    "\u231a\u231b\u23e9-\u23f3\u23f8-\u23fa\u2600-\u2604\u260e\u2611\u2614\u2615\u2618\u261d\u2620"
    "\u2622\u2623\u2626\u262a\u262e\u262f\u2638-\u263a\u2640\u2642\u2648-\u2653\u265f\u2660\u2663"
    "\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697\u2699\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab"
    "\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5"
    "\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734"
    "\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27b0\u27bf\u2b50\u2b55"
    "\U0001f004\U0001f0cf\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f18e\U0001f191-\U0001f19a"
    "\U0001f201\U0001f202\U0001f21a\U0001f22f\U0001f232-\U0001f23a\U0001f250\U0001f251"
    "\U0001f300-\U0001f3fa\U0001f400-\U0001f64f\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7eb\U0001f7f0"
    "\U0001f90c-\U0001f9ff\U0001fa70-\U0001faff"
)
#: A single emoji, one half of a flag, and any emoji or flag, as regular expressions.
SINGLE_EMOJI = f"[{_EMOJI_SYMBOLS}]"
FLAG_LETTER = "[\U0001f1e6-\U0001f1ff]"
EMOJI = f"{SINGLE_EMOJI}|{FLAG_LETTER}{{2}}"

# Hebrew (used for Yiddish) and the scripts of India.
_BLOCKS_WITH_VOWEL_SIGNS = (range(0x0590, 0x0600), range(0x0900, 0x0E00))
# Zero-width joiners change the shape of a letter, not the word, and are used inconsistently.
_JOINERS = ("\u200c", "\u200d")
_WITH_JOINERS = (
    *("hindi", "nepali", "tamil", "yiddish"),
    *("burmese", "khmer", "lao", "thai"),
)


def vowel_signs() -> str:
    """Return combining marks that are part of words but not matched by ``\\w``, for a class."""
    characters = (chr(code) for block in _BLOCKS_WITH_VOWEL_SIGNS for code in block)
    return "".join(c for c in characters if unicodedata.category(c).startswith("M"))


def make_normalizer(language: str | None) -> Callable[[str], str]:
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
