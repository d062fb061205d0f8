"""Supported languages: names, codes, stemmers and stop words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import overload

from isthmus.text.unicode_scripts import UNSPACED_SCRIPTS, make_normalizer

__all__ = [
    "LANGUAGE_CODES",
    "find_language",
    "known_codes",
    "language_code",
    "make_stemmer",
    "read_stop_words",
]

# Two letters (ISO 639-1), three letters (ISO 639-2, both sets), then other codes in use. Names are
# those of the Snowball stemmer if it has the language.
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

#: Two-letter code to name of the language.
LANGUAGE_CODES = {codes.split()[0]: name for name, codes in _CODES.items()}

_NAMES = {code: name for name, codes in _CODES.items() for code in codes.split()}
# Alternative stemmers for a language.
_OTHER_STEMMERS = {"dutch_porter": "dutch", "porter": "english"}
# Languages with a tokenizer in this package and no Snowball stemmer.
_WITHOUT_STEMMER = {"japanese", *UNSPACED_SCRIPTS}


# Left out on purpose, because they change what a sentence says about its subject:
# - negation: not, no, nor, never, none, nothing, nobody, neither, cannot, without, and what the
#   tokenizer leaves of contractions (don, isn, doesn, won, ...)
# - contrast: but, however, though, although, yet, against, except, instead
# - amount and degree: few, less, least, more, most, much, many, very, too, so, only, even, enough,
#   well, almost, any, again, still, just
# - modality: can, could, would, should, must, may, might, please
# - questions: why, how, what, when, who
# - particles of phrasal verbs: up, down, out, off, over, back
_WORDS = """
    a an the
    and or as if than because whether while
    about above across after along among amongst around at before behind below beneath beside
    besides between beyond by during for from in inside into near of on onto per since through
    throughout to toward towards under underneath until upon via with within
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    this that these those some such same other others another each every either both all
    which whose whom whoever whichever where whereas whereby wherein whereupon wherever
    am is are was were be been being have has had having do does did doing will shall re ve ll
    here there then thus hence therefore thereby therein also etc eg ie
"""

#: Articles, pronouns, prepositions, auxiliary verbs and the like, without words that carry
#: negation, contrast, degree, modality or a question.
ENGLISH_FUNCTION_WORDS = frozenset(_WORDS.split())


@overload
def find_language(language: None) -> None: ...
@overload
def find_language(language: str) -> str: ...


def find_language(language: str | None) -> str | None:
    """Return the name of a language given by name or code (two or three letters); None stays None.

    Examples
    --------
    >>> from isthmus.text.languages import find_language
    >>> find_language("de"), find_language("deu"), find_language("German")
    ('german', 'german', 'german')
    """
    if language is None:
        return None
    known_names = _known_names()
    if isinstance(language, str):
        name = _NAMES.get(language.lower(), language.lower())
        if name in known_names:
            return name
    raise ValueError(
        f"Unknown language {language!r}: use one of {', '.join(known_names)}, or None (none on "
        "the command line) for another language, without stemmer and stop words."
    )


def _known_names() -> list[str]:
    import Stemmer

    return sorted({*Stemmer.algorithms(), *_WITHOUT_STEMMER})


def known_codes() -> dict[str, str]:
    """Return the name of every known language by code (an older stemmer knows fewer)."""
    known_names = _known_names()
    return {code: name for code, name in _NAMES.items() if name in known_names}


def language_code(language: str) -> str:
    """Return the two-letter code of a language given by name or code.

    Examples
    --------
    >>> from isthmus.text.languages import language_code
    >>> language_code("japanese"), language_code("fra")
    ('ja', 'fr')
    """
    name = find_language(language)
    codes = _CODES.get(_OTHER_STEMMERS.get(name, name))
    if codes is None:  # a stemmer that is newer than this table
        raise ValueError(f"No code is known for the language {name!r}: use its name.")
    return codes.split()[0]


def make_stemmer(language: str) -> Callable[[str], str]:
    """Return a function that maps a word in lower case to its Snowball stem."""
    import Stemmer

    if language in _WITHOUT_STEMMER:
        raise ValueError(f"There is no stemmer for the language {language!r}: use stem=False.")
    stemmer = Stemmer.Stemmer(language)
    stemmer.maxCacheSize = 0  # the analyzer has its own cache
    return stemmer.stemWord


def read_stop_words(stop_words: str | Iterable[str] | None, language: str | None) -> frozenset[str]:
    """Return the stop words in lower case.

    "auto" is a list of function words without negation for English, and no stop words for other
    languages: pass a list, or let ``max_df`` drop the words that occur in most documents. "english"
    is scikit-learn's list.
    """
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        if stop_words == "auto":
            return ENGLISH_FUNCTION_WORDS if language in ("english", "porter") else frozenset()
        if stop_words != "english":
            raise ValueError(
                f"stop_words={stop_words!r} must be 'auto', 'english', None or a list of words."
            )
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return ENGLISH_STOP_WORDS
    if not isinstance(stop_words, Collection):  # an iterator would be exhausted after one pass
        raise ValueError(f"stop_words={stop_words!r} must be 'auto', None or a list of words.")
    for word in stop_words:
        if not isinstance(word, str):
            raise ValueError(
                f"stop_words contains {word!r}, which is not text: pass a list of words."
            )
    normalize = make_normalizer(language)
    return frozenset(normalize(word).lower() for word in stop_words)
