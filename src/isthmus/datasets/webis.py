"""Loader for Webis-CLS-10: reviews in four languages, and bilingual dictionaries."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass

from isthmus.datasets.corpus_files import CORPUS_FILES, read_columns, select_names

__all__ = [
    "WEBIS_CATEGORIES",
    "WEBIS_DICTIONARIES",
    "WEBIS_FILES",
    "WEBIS_LANGUAGES",
    "WebisReviews",
    "load_webis",
    "load_webis_dictionary",
]

WEBIS_FILES = {
    "de": CORPUS_FILES["webis_cls10/de.jsonl.gz"],
    "en": CORPUS_FILES["webis_cls10/en.jsonl.gz"],
    "fr": CORPUS_FILES["webis_cls10/fr.jsonl.gz"],
    "jp": CORPUS_FILES["webis_cls10/jp.jsonl.gz"],
}
_DICTIONARY_FILES = {
    ("de", "en"): CORPUS_FILES["webis_cls10/dictionary_de_en.jsonl.gz"],
    ("en", "de"): CORPUS_FILES["webis_cls10/dictionary_en_de.jsonl.gz"],
    ("en", "fr"): CORPUS_FILES["webis_cls10/dictionary_en_fr.jsonl.gz"],
    ("en", "jp"): CORPUS_FILES["webis_cls10/dictionary_en_jp.jsonl.gz"],
    ("fr", "en"): CORPUS_FILES["webis_cls10/dictionary_fr_en.jsonl.gz"],
}
WEBIS_LANGUAGES = tuple(WEBIS_FILES)
"""Codes of the languages of Webis-CLS-10."""
WEBIS_CATEGORIES = ("books", "dvd", "music")
"""Categories of the products in Webis-CLS-10."""
WEBIS_DICTIONARIES = tuple(_DICTIONARY_FILES)
"""Pairs of languages that have a dictionary."""


@dataclass(frozen=True)
class WebisReviews:
    """Labeled reviews in one language; see :func:`isthmus.datasets.load_webis`.

    Attributes
    ----------
    texts : list of str
        The title, ``" . "``, and the review. Japanese is not tokenized.
    labels : list of str
        ``positive`` or ``negative``.
    categories : list of str
        The category of the product.
    ids : list of str
        ``<language>-<category>-<number>`` of each review.
    """

    texts: list[str]
    labels: list[str]
    categories: list[str]
    ids: list[str]


def load_webis(
    language: str,
    data_home: str | os.PathLike[str] | None = None,
    categories: str | Collection[str] | None = None,
) -> WebisReviews:
    """Load the reviews in one language, in the order of the file.

    Every category has about 1,000 reviews of each class, which is half of the original corpus. The
    original split into training and test sets is not available, so results are close to published
    ones but not identical.

    Parameters
    ----------
    language : {"de", "en", "fr", "jp"}
        German, English, French or Japanese.
    data_home : path, default=None
        The data folder; by default the value of ``ISTHMUS_DATA``.
    categories : str or collection of str, default=None
        One or more of "books", "dvd", "music"; by default all.

    Returns
    -------
    WebisReviews
        Texts, labels, categories and ids.

    References
    ----------
    Prettenhofer, Stein: Cross-Language Text Classification using Structural Correspondence
    Learning. ACL 2010.

    Examples
    --------
    The files must be in the folder that ``ISTHMUS_DATA`` names:

    >>> from isthmus.datasets import load_webis
    >>> reviews = load_webis("de", categories="music")  # doctest: +SKIP
    >>> len(reviews.texts)  # doctest: +SKIP
    1991
    """
    if language not in WEBIS_FILES:
        raise ValueError(
            f"Unknown language {language!r} in Webis-CLS-10: use one of "
            f"{', '.join(WEBIS_LANGUAGES)}."
        )
    selected = select_names(categories, WEBIS_CATEGORIES, "category", "Webis-CLS-10")
    fields = {"texts": "text", "labels": "label", "categories": "category", "ids": "id"}
    return WebisReviews(**read_columns(WEBIS_FILES[language], data_home, fields, category=selected))


def load_webis_dictionary(
    source: str, target: str, data_home: str | os.PathLike[str] | None = None
) -> dict[str, str]:
    """Load machine translations of single words.

    Every word has one translation, which may consist of several words, with the capitalization of
    the translator. About 30 percent of the words, such as names, are translated to themselves.

    Parameters
    ----------
    source, target : str
        The languages: "de" to "en", "fr" to "en", or "en" to "de", "fr" or "jp".
    data_home : path, default=None
        The data folder; by default the value of ``ISTHMUS_DATA``.

    Returns
    -------
    dict of str to str
        The translation of each word, sorted by word.

    References
    ----------
    Karamanolakis, Hsu, Gravano: Cross-Lingual Text Classification with Minimal Resources by
    Transferring a Sparse Teacher. Findings of EMNLP 2020.

    Examples
    --------
    The files must be in the folder that ``ISTHMUS_DATA`` names:

    >>> from isthmus.datasets import load_webis_dictionary
    >>> len(load_webis_dictionary("de", "en"))  # doctest: +SKIP
    1068
    """
    if (source, target) not in _DICTIONARY_FILES:
        pairs = ", ".join(f"{first!r} to {second!r}" for first, second in WEBIS_DICTIONARIES)
        raise ValueError(f"There is no dictionary from {source!r} to {target!r}: use {pairs}.")
    fields = {"words": source, "translations": target}
    columns = read_columns(_DICTIONARY_FILES[source, target], data_home, fields)
    return dict(zip(columns["words"], columns["translations"], strict=True))
