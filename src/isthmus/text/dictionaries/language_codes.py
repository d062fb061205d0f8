"""Two-letter codes of the languages named in headers and file names."""

from __future__ import annotations

from isthmus.text.languages import LANGUAGE_CODES, language_code

__all__ = ["find_code"]

# Languages with dictionaries, but without a tokenizer or stemmer in isthmus.text.languages: codes
# of two and three letters (two sets), and names.
_MORE_LANGUAGES = (
    "af afr afrikaans",
    "bg bul bulgarian",
    "br bre breton",
    "cy cym wel welsh",
    "gd gla gaelic",
    "he heb hebrew",
    "hr hrv croatian",
    "is isl ice icelandic",
    "ku kur kurdish",
    "la lat latin",
    "lv lav latvian",
    "mk mkd mac macedonian",
    "mt mlt maltese",
    "oc oci occitan",
    "sk slk slo slovak",
    "sl slv slovenian",
    "sw swh swa swahili",
    "uk ukr ukrainian",
    "vi vie vietnamese",
    "zh cn",
)
_CODES = {
    **{code: code for code in LANGUAGE_CODES},
    **{name: code for code, name in LANGUAGE_CODES.items()},
    **{name: names.split()[0] for names in _MORE_LANGUAGES for name in names.split()},
}


def find_code(language: str) -> str | None:
    """Return the two-letter code of a language given by name or code; None if unknown.

    >>> find_code("German"), find_code("deu"), find_code("jp"), find_code("word")
    ('de', 'de', 'ja', None)
    """
    language = language.strip().lower()
    if language in _CODES:
        return _CODES[language]
    try:
        return language_code(language)
    except ValueError:
        return None
