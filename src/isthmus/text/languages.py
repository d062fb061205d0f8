"""Languages: which there are, their stemmers and stop words."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable

__all__ = ["LANGUAGE_CODES", "find_language", "make_stemmer", "read_stop_words"]

#: Two-letter codes of the languages that the stemmer knows.
LANGUAGE_CODES = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


def find_language(language: str | None) -> str | None:
    """The stemmer's name of a language given by name or two-letter code; None stays None."""
    import Stemmer

    if language is None:
        return None
    known = Stemmer.algorithms()
    if isinstance(language, str):
        name = LANGUAGE_CODES.get(language.lower(), language.lower())
        if name in known:
            return name
    raise ValueError(
        f"Unknown language {language!r}: languages are {', '.join(known)}, or None for a language "
        "without stemmer and stop words."
    )


def make_stemmer(language: str) -> Callable[[str], str]:
    """A function from a word in lower case to its stem."""
    import Stemmer

    stemmer = Stemmer.Stemmer(language)
    stemmer.maxCacheSize = 0  # the caller keeps the stem of every word
    return stemmer.stemWord


def read_stop_words(stop_words: str | Iterable[str] | None, language: str | None) -> frozenset[str]:
    """The words to leave out.

    "auto" is scikit-learn's list for English. Other languages have none here: give your own, or
    let ``max_df`` drop the words that stand everywhere.
    """
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        if stop_words == "auto":
            if language not in ("english", "porter"):
                return frozenset()
        elif stop_words != "english":
            raise ValueError(
                f"stop_words={stop_words!r} must be 'auto', 'english', None or a list of words."
            )
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return ENGLISH_STOP_WORDS
    if not isinstance(stop_words, Collection):  # an iterator would be empty the second time
        raise ValueError(f"stop_words={stop_words!r} must be 'auto', None or a list of words.")
    for word in stop_words:
        if not isinstance(word, str):
            raise ValueError(f"stop_words holds {word!r}, which is not text.")
    return frozenset(unicodedata.normalize("NFC", word).lower() for word in stop_words)
