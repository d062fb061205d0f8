"""Languages, their codes, and the terms of texts in several languages."""

from __future__ import annotations

from typing import Any

import pytest
import Stemmer

from isthmus import TextVectorizer
from isthmus.text.languages import LANGUAGE_CODES, find_language, known_codes, language_code

NEEDS_EXTRA = "Japanese needs fugashi and unidic-lite: pip install 'isthmus[japanese]'"


@pytest.fixture
def japanese() -> None:
    pytest.importorskip("fugashi", reason=NEEDS_EXTRA)
    pytest.importorskip("unidic_lite", reason=NEEDS_EXTRA)


@pytest.mark.parametrize("name", Stemmer.algorithms())
def test_every_stemmer_is_a_language_with_a_code(name: str) -> None:
    assert find_language(name) == name
    assert len(language_code(name)) == 2


@pytest.mark.parametrize(
    ("given", "name", "code"),
    [
        ("de", "german", "de"),
        ("deu", "german", "de"),
        ("ger", "german", "de"),
        ("GERMAN", "german", "de"),
        ("eng", "english", "en"),
        ("fra", "french", "fr"),
        ("fre", "french", "fr"),
        ("ja", "japanese", "ja"),
        ("jp", "japanese", "ja"),
        ("jpn", "japanese", "ja"),
        ("zh", "chinese", "zh"),
        ("zho", "chinese", "zh"),
        ("th", "thai", "th"),
        ("ko", "korean", "ko"),
        ("lo", "lao", "lo"),
        ("lao", "lao", "lo"),
        ("km", "khmer", "km"),
        ("my", "burmese", "my"),
        ("nb", "norwegian", "no"),
        ("porter", "porter", "en"),
    ],
)
def test_names_and_codes(given: str, name: str, code: str) -> None:
    assert find_language(given) == name
    assert language_code(given) == code


def test_none() -> None:
    assert find_language(None) is None


def test_codes_are_unique() -> None:
    assert len(set(LANGUAGE_CODES.values())) == len(LANGUAGE_CODES)
    for code, name in known_codes().items():
        assert find_language(code) == name
        assert LANGUAGE_CODES[language_code(code)] == name


@pytest.mark.parametrize("language", ["klingon", "", "e", 7])
def test_unknown_languages(language: Any) -> None:
    with pytest.raises(ValueError, match=r"Unknown language .*arabic, .*thai"):
        find_language(language)


@pytest.mark.parametrize(
    ("language", "texts", "terms"),
    [
        ("zh", ["我喜欢看电影", "电影"], ["喜欢", "我喜", "欢看", "电影", "看电"]),
        ("th", ["ที่นี่ดี"], ["ที่", "นี่", "ี่ด", "ี่น", "่ดี", "่นี"]),
        ("ko", ["한국어를"], ["국어", "어를", "한국"]),
        ("hi", ["अच्छी किताब"], ["अच्छी", "किताब"]),
    ],
)
def test_terms(language: str, texts: list[str], terms: list[str]) -> None:
    vectorizer = TextVectorizer(language=language).fit(texts)
    assert vectorizer.terms_ == terms == vectorizer.spellings_


@pytest.mark.parametrize("language", ["zh", "th", "lo", "km", "my", "ko"])
def test_character_ngrams_have_no_stems(language: str) -> None:
    with pytest.raises(ValueError, match=r"no stemmer for the language .*stem=False"):
        TextVectorizer(language=language, stem=True).fit(["text"])


def test_ngrams_of_character_ngrams() -> None:
    vectorizer = TextVectorizer(language="zh", ngram_range=(1, 2)).fit(["看电影"])
    assert vectorizer.terms_ == ["电影", "看电", "看电 电影"]


def test_own_stop_words_are_normalized_like_texts(japanese: None) -> None:
    vectorizer = TextVectorizer(language="ja", stop_words=["\uff23\uff24", "ｺﾝﾋﾟｭｰﾀｰ"])
    assert vectorizer.fit(["CDとコンピューターと音楽"]).terms_ == ["音楽"]
    hindi = TextVectorizer(language="hi", stop_words=["गर्\u200dयो"])
    assert hindi.fit(["गर्\u200dयो गर्यो किताब"]).terms_ == ["किताब"]


class TestJapanese:
    texts = ("映画は面白かった", "映画が面白くて", "映画も面白かった")

    def test_words(self, japanese: None) -> None:
        vectorizer = TextVectorizer(language="ja", weighting="counts")
        X = vectorizer.fit_transform(self.texts)
        assert vectorizer.terms_ == ["映画", "面白かっ", "面白く"]
        assert X.toarray().tolist() == [[1, 1, 0], [1, 0, 1], [1, 1, 0]]

    def test_dictionary_forms_and_spellings(self, japanese: None) -> None:
        vectorizer = TextVectorizer(language="ja", stem=True, weighting="counts")
        X = vectorizer.fit_transform(self.texts)
        assert vectorizer.terms_ == ["映画", "面白い"]
        assert vectorizer.spellings_ == ["映画", "面白かっ"]
        assert X.toarray().tolist() == [[1, 1], [1, 1], [1, 1]]
        assert vectorizer.transform(["面白ければ"]).toarray().tolist() == [[0, 1]]

    def test_pairs_of_dictionary_forms(self, japanese: None) -> None:
        vectorizer = TextVectorizer(language="ja", stem=True, ngram_range=(2, 2)).fit(self.texts)
        assert vectorizer.terms_ == ["映画 面白い"]
        assert vectorizer.spellings_ == ["映画 面白かっ"]

    @pytest.mark.parametrize("stop_word", ["面白い", "面白かっ"])
    def test_stop_words_by_form_or_spelling(self, japanese: None, stop_word: str) -> None:
        vectorizer = TextVectorizer(language="ja", stem=True, stop_words=[stop_word])
        assert vectorizer.fit(["映画は面白かった"]).terms_ == ["映画"]

    def test_case(self, japanese: None) -> None:
        texts = ["YouTubeで見た"]
        for stem, seen in ((False, "見"), (True, "見る")):
            settings: dict[str, Any] = {"language": "ja", "stem": stem}
            assert TextVectorizer(**settings).fit(texts).terms_ == ["youtube", seen]
            kept = TextVectorizer(**settings, lowercase=False).fit(texts)
            assert kept.terms_ == ["YouTube", seen]
