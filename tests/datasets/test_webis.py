"""Webis-CLS-10: reviews in four languages, and dictionaries."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from isthmus.datasets import (
    WEBIS_CATEGORIES,
    WEBIS_DICTIONARIES,
    WEBIS_LANGUAGES,
    load_webis,
    load_webis_dictionary,
)

# Positive and negative reviews of books, dvd and music.
SIZES = {
    "en": ((999, 986), (997, 967), (997, 973)),
    "de": ((1000, 996), (1000, 995), (1000, 991)),
    "fr": ((993, 973), (994, 974), (991, 913)),
    "jp": ((1000, 998), (1000, 997), (1000, 973)),
}
WORDS = {
    ("de", "en"): 1068,
    ("en", "de"): 4589,
    ("en", "fr"): 4589,
    ("en", "jp"): 4589,
    ("fr", "en"): 1856,
}


@pytest.mark.corpus
@pytest.mark.parametrize("language", WEBIS_LANGUAGES)
def test_reviews(corpora: Path, language: str) -> None:
    corpus = load_webis(language, corpora)
    cells = Counter(zip(corpus.categories, corpus.labels, strict=True))
    assert SIZES[language] == tuple(
        (cells[name, "positive"], cells[name, "negative"]) for name in WEBIS_CATEGORIES
    )
    assert cells.total() == len(set(corpus.ids)) == len(corpus.texts)
    assert all(text.strip() for text in corpus.texts)


@pytest.mark.corpus
def test_some_categories(corpora: Path) -> None:
    corpus = load_webis("de", corpora, ["music", "books"])
    assert list(dict.fromkeys(corpus.categories)) == ["books", "music"]
    assert corpus.ids[0] == "de-books-0000"
    assert len(load_webis("fr", corpora, "music").texts) == 991 + 913


@pytest.mark.corpus
@pytest.mark.parametrize("languages", WEBIS_DICTIONARIES)
def test_dictionaries(corpora: Path, languages: tuple[str, str]) -> None:
    dictionary = load_webis_dictionary(*languages, corpora)
    assert len(dictionary) == WORDS[languages]
    assert list(dictionary) == sorted(dictionary)
    assert all(word.strip() and dictionary[word].strip() for word in dictionary)


@pytest.mark.corpus
def test_translations(corpora: Path) -> None:
    assert load_webis_dictionary("fr", "en", corpora)["marques"] == "brands"
    assert load_webis_dictionary("en", "de", corpora)["abroad"] == "im Ausland"
