"""Loader for Webis-CLS-10: reviews in four languages, and bilingual dictionaries."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass

from isthmus.datasets.corpus_files import CorpusFile, read_json_lines, verified_path
from isthmus.datasets.name_selection import select_names

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
    "de": CorpusFile(
        "webis_cls10/de.jsonl.gz",
        "fd904cb8d5668f149f87a064331d65ee73b20bb2d7fd2a6a998a3351d874c744",
    ),
    "en": CorpusFile(
        "webis_cls10/en.jsonl.gz",
        "ccf9f75361f074abc2d48cf74e1263de91b5f7052a3078c658ae1203eb69b9f5",
    ),
    "fr": CorpusFile(
        "webis_cls10/fr.jsonl.gz",
        "9d1909df504303c34e383eced4ab1ee424468da2a39e30849bfabde85e8cd10d",
    ),
    "jp": CorpusFile(
        "webis_cls10/jp.jsonl.gz",
        "5ca2cf2e5218c2521da83cb79ba5fd8d9df0b91561b2dfc1db6d1b31479c4294",
    ),
}
_DICTIONARY_FILES = {
    ("de", "en"): CorpusFile(
        "webis_cls10/dictionary_de_en.jsonl.gz",
        "c716b9f69af9c9447d4d58df07865839d275d98696ee6ae60dd9248689cf8ddd",
    ),
    ("en", "de"): CorpusFile(
        "webis_cls10/dictionary_en_de.jsonl.gz",
        "d94fefd9886b1d6a301b1f27f6d7281254fb451a026cbfdaed58b7eefab8a2b5",
    ),
    ("en", "fr"): CorpusFile(
        "webis_cls10/dictionary_en_fr.jsonl.gz",
        "c287e701906d3d681804f0a93646537c99d9119ef0b65cd4878db5e104ce668b",
    ),
    ("en", "jp"): CorpusFile(
        "webis_cls10/dictionary_en_jp.jsonl.gz",
        "4c374d7515176c1574d4f7fbd624940d84beb7c63f989fcaf56e08afbaffa258",
    ),
    ("fr", "en"): CorpusFile(
        "webis_cls10/dictionary_fr_en.jsonl.gz",
        "b9ebab8d18345c35efe320fb6a5842bdb212801259a8d47bdee55359a8769c58",
    ),
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
    path = verified_path(WEBIS_FILES[language], data_home)
    records = [record for record in read_json_lines(path) if record["category"] in selected]
    return WebisReviews(
        texts=[record["text"] for record in records],
        labels=[record["label"] for record in records],
        categories=[record["category"] for record in records],
        ids=[record["id"] for record in records],
    )


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
    path = verified_path(_DICTIONARY_FILES[source, target], data_home)
    return {record[source]: record[target] for record in read_json_lines(path)}
