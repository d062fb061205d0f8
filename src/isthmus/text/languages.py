"""Languages: which there are, their codes, stemmers and stop words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import overload

from isthmus.text.scripts import SCRIPTS, make_normaliser

__all__ = [
    "LANGUAGE_CODES",
    "find_language",
    "known_codes",
    "language_code",
    "make_stemmer",
    "read_stop_words",
]

# Two letters (ISO 639-1), three letters (639-2, both sets), then what else is in use. Names are
# the stemmer's, where it has the language.
_CODES = {
    "arabic": "ar ara",
    "armenian": "hy hye arm",
    "basque": "eu eus baq",
    "burmese": "my mya bur",
    "catalan": "ca cat",
    "chinese": "zh zho chi cmn",
    "czech": "cs ces cze",
    "danish": "da dan",
    "dutch": "nl nld dut",
    "english": "en eng",
    "esperanto": "eo epo",
    "estonian": "et est",
    "finnish": "fi fin",
    "french": "fr fra fre",
    "german": "de deu ger",
    "greek": "el ell gre",
    "hindi": "hi hin",
    "hungarian": "hu hun",
    "indonesian": "id ind",
    "irish": "ga gle",
    "italian": "it ita",
    "japanese": "ja jpn jp",
    "khmer": "km khm",
    "korean": "ko kor",
    "lao": "lo lao",
    "lithuanian": "lt lit",
    "nepali": "ne nep npi",
    "norwegian": "no nor nb nob nn nno",
    "persian": "fa fas per",
    "polish": "pl pol",
    "portuguese": "pt por",
    "romanian": "ro ron rum",
    "russian": "ru rus",
    "serbian": "sr srp",
    "sesotho": "st sot",
    "spanish": "es spa",
    "swedish": "sv swe",
    "tamil": "ta tam",
    "thai": "th tha",
    "turkish": "tr tur",
    "yiddish": "yi yid",
}

#: Two-letter codes, each with the name of its language.
LANGUAGE_CODES = {codes.split()[0]: name for name, codes in _CODES.items()}

_NAMES = {code: name for name, codes in _CODES.items() for code in codes.split()}
# Other stemmers for a language that has one of its own name.
_OTHER_STEMMERS = {"dutch_porter": "dutch", "porter": "english"}
# Languages that are cut into words here and have no Snowball stemmer.
_OWN = {"japanese", *SCRIPTS}


@overload
def find_language(language: None) -> None: ...
@overload
def find_language(language: str) -> str: ...


def find_language(language: str | None) -> str | None:
    """The name of a language given by name or by code (two or three letters); None stays None.

    Examples
    --------
    >>> from isthmus.text.languages import find_language
    >>> find_language("de"), find_language("deu"), find_language("German")
    ('german', 'german', 'german')
    """
    if language is None:
        return None
    known = _known_names()
    if isinstance(language, str):
        name = _NAMES.get(language.lower(), language.lower())
        if name in known:
            return name
    raise ValueError(
        f"Unknown language {language!r}: languages are {', '.join(known)}, or None for a language "
        "without stemmer and stop words."
    )


def _known_names() -> list[str]:
    import Stemmer

    return sorted({*Stemmer.algorithms(), *_OWN})


def known_codes() -> dict[str, str]:
    """Every code of the languages known here, with the name (an older stemmer knows fewer)."""
    known = _known_names()
    return {code: name for code, name in _NAMES.items() if name in known}


def language_code(language: str) -> str:
    """The two-letter code of a language given by name or by code.

    Examples
    --------
    >>> from isthmus.text.languages import language_code
    >>> language_code("japanese"), language_code("fra")
    ('ja', 'fr')
    """
    name = find_language(language)
    codes = _CODES.get(_OTHER_STEMMERS.get(name, name))
    if codes is None:  # a stemmer newer than this table
        raise ValueError(f"The language {name!r} has no code here: use its name.")
    return codes.split()[0]


def make_stemmer(language: str) -> Callable[[str], str]:
    """A function from a word in lower case to its stem (Snowball)."""
    import Stemmer

    if language in _OWN:
        raise ValueError(f"There is no stemmer for the language {language!r}: leave the stems out.")
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
    normalise = make_normaliser(language)
    return frozenset(normalise(word).lower() for word in stop_words)
