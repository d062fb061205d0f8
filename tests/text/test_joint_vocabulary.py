"""The joint vocabulary of two languages."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import pytest

from isthmus.text.dictionaries import BilingualDictionary
from isthmus.text.tokenizers import make_tokenizer
from isthmus.text.translation import LanguageVocabulary, build_joint_vocabulary
from vocabulary_pairs import Entries, join, joined_weights, term_weights


class TestTranslations:
    def test_counts_are_split_over_the_translations_that_occur(self) -> None:
        weights = joined_weights(["fine", "good"], ["gut"], {"gut": ["good", "fine", "estate"]})
        assert weights == {"gut": {"fine": 0.5, "good": 0.5}}

    def test_several_words_with_one_translation(self) -> None:
        weights = joined_weights(["book"], ["band", "buch"], {"Buch": "book", "Band": "book"})
        assert weights == {"band": {"book": 1}, "buch": {"book": 1}}

    def test_identical_strings_are_shared_and_other_words_kept(self) -> None:
        vocabulary = join(["hotel", "song"], ["hotel", "oper"])
        assert vocabulary.terms == ["hotel", "oper", "song"]
        assert vocabulary.source.tolist() == [0, 2]
        assert term_weights(vocabulary, ["hotel", "oper"]) == {
            "hotel": {"hotel": 1},
            "oper": {"oper": 1},
        }

    def test_a_false_friend_is_mapped_to_its_translation(self) -> None:
        assert joined_weights(["gift", "poison"], ["gift"], {"Gift": "poison"}) == {
            "gift": {"poison": 1}
        }

    def test_a_false_friend_without_an_occurring_translation_is_shared(self) -> None:
        assert joined_weights(["gift"], ["gift"], {"Gift": "poison"}) == {"gift": {"gift": 1}}

    def test_the_words_of_a_phrase_share_its_weight(self) -> None:
        entries: Entries = {"wegen": ["because of", "through"]}
        weights = joined_weights(["because", "of", "through"], ["wegen"], entries)
        assert weights == {"wegen": {"because": 0.25, "of": 0.25, "through": 0.5}}

    def test_a_phrase_is_used_only_if_all_of_its_words_occur(self) -> None:
        assert joined_weights(["because"], ["wegen"], {"wegen": "because of"}) == {
            "wegen": {"wegen": 1}
        }

    def test_a_phrase_that_is_a_term_is_one_translation(self) -> None:
        weights = joined_weights(
            ["bank", "world", "world bank"], ["weltbank"], {"Weltbank": "World Bank"}
        )
        assert weights == {"weltbank": {"world bank": 1}}

    def test_a_repeated_word_of_a_phrase_counts_once(self) -> None:
        weights = joined_weights(["again", "and"], ["immer"], {"immer": "again and again"})
        assert weights == {"immer": {"again": 0.5, "and": 0.5}}

    def test_a_phrase_of_the_target_must_be_a_term(self) -> None:
        entries: Entries = {"New Yorker": "local"}
        assert joined_weights(["local"], ["new", "yorker"], entries)["new"] == {"new": 1}
        weights = joined_weights(["local"], ["new", "new yorker", "yorker"], entries)
        assert weights["new yorker"] == {"local": 1}
        assert weights["yorker"] == {"yorker": 1}

    def test_the_same_words_in_two_translations_add_up(self) -> None:
        weights = joined_weights(["of", "out"], ["aus"], {"aus": ["out of", "out"]})
        assert weights == {"aus": {"of": 0.25, "out": 0.75}}

    @pytest.mark.parametrize("entry", ["a", "!", "…", "的"])
    def test_entries_without_a_word_are_ignored(self, entry: str) -> None:
        weights = joined_weights(["book"], ["buch"], {entry: "book", "Buch": entry})
        assert weights == {"buch": {"buch": 1}}

    def test_empty_vocabularies(self) -> None:
        assert join(["book"], [], {"Buch": "book"}).target.shape == (0, 1)
        assert joined_weights([], ["buch"], {"Buch": "book"}) == {"buch": {"buch": 1}}


class TestStems:
    def test_a_word_gets_the_translation_of_a_word_with_the_same_stem(self) -> None:
        assert joined_weights(["book"], ["bücher"], {"Buch": "book"}) == {"bücher": {"book": 1}}

    def test_an_exact_entry_takes_precedence_over_a_stem(self) -> None:
        entries: Entries = {"Buch": "book", "Bücher": "library"}
        weights = joined_weights(["book", "library"], ["buch", "bücher"], entries)
        assert weights == {"buch": {"book": 1}, "bücher": {"library": 1}}

    def test_a_stem_is_used_if_the_exact_translation_does_not_occur(self) -> None:
        entries: Entries = {"Buch": "book", "Bücher": "tomes of old"}
        assert joined_weights(["book"], ["bücher"], entries) == {"bücher": {"book": 1}}

    def test_an_identical_string_takes_precedence_over_a_stem(self) -> None:
        assert joined_weights(["laden", "shop"], ["laden"], {"Lade": "shop"}) == {
            "laden": {"laden": 1}
        }

    def test_all_words_with_the_stem_of_a_translation_that_does_not_occur(self) -> None:
        weights = joined_weights(["booked", "books"], ["buch"], {"Buch": "book"})
        assert weights == {"buch": {"booked": 0.5, "books": 0.5}}
        assert joined_weights(["book", "books"], ["buch"], {"Buch": "book"}) == {
            "buch": {"book": 1}
        }

    @pytest.mark.parametrize("languages", [("english", None), ("english", "thai")])
    def test_languages_without_a_stemmer(self, languages: tuple[str, str | None]) -> None:
        weights = joined_weights(["book"], ["books"], {"booking": "book"}, languages=languages)
        assert weights == {"books": {"books": 1}}

    def test_stems_are_terms(self) -> None:
        weights = joined_weights(["batteri"], ["batteri"], {"Batterien": "battery"}, stem=True)
        assert weights == {"batteri": {"batteri": 1}}
        assert joined_weights(["hous"], ["haus"], {"Häuser": "houses"}, stem=True) == {
            "haus": {"hous": 1}
        }


class TestSpelling:
    def test_case_is_ignored_by_default(self) -> None:
        assert joined_weights(["book"], ["buch"], {"BUCH": "Book"}) == {"buch": {"book": 1}}

    def test_case_with_lowercase_false(self) -> None:
        entries: Entries = {"Arm": "arm", "arm": "poor"}
        weights = joined_weights(["arm", "poor"], ["Arm", "arm"], entries, lowercase=False)
        assert weights == {"Arm": {"arm": 1}, "arm": {"poor": 1}}

    @pytest.mark.parametrize("form", ["NFC", "NFD"])
    def test_composed_and_decomposed_accents(self, form: Any) -> None:
        entries = {unicodedata.normalize(form, "Tür"): unicodedata.normalize(form, "café")}
        assert joined_weights(["café"], ["tür"], entries) == {"tür": {"café": 1}}

    def test_chinese(self) -> None:
        languages = ("english", "chinese")
        entries: Entries = {"喜欢": "like", "书": "book"}
        weights = joined_weights(["book", "like"], ["书", "喜欢"], entries, languages=languages)
        assert weights == {"书": {"book": 1}, "喜欢": {"like": 1}}

    def test_a_chinese_translation_of_several_bigrams(self) -> None:
        languages = ("chinese", "english")
        weights = joined_weights(
            ["书馆", "图书"], ["library"], {"library": "图书馆"}, languages=languages
        )
        assert weights == {"library": {"书馆": 0.5, "图书": 0.5}}

    def test_japanese(self) -> None:
        pytest.importorskip("fugashi", reason="Japanese needs the extra 'japanese'")
        pytest.importorskip("unidic_lite", reason="Japanese needs the extra 'japanese'")
        weights = joined_weights(
            ["book"], ["本"], {"book": "本"}, languages=("english", "japanese")
        )
        assert weights == {"本": {"book": 1}}


def test_bigrams_get_the_translation_of_the_words_that_contain_them() -> None:
    tokenize = make_tokenizer("chinese")
    texts = ["图书馆很大", "图书很好"]
    target = LanguageVocabulary(
        sorted({bigram for text in texts for bigram in tokenize(text)}), "chinese", tokenize
    )
    source = LanguageVocabulary(["book", "library"], "english", str.split)
    use = np.ones(len(target.terms))
    pairs = BilingualDictionary((("图书馆", "library"), ("图书", "book")))
    vocabulary = build_joint_vocabulary(source, target, use, [pairs])
    weights = vocabulary.target.toarray()
    columns = {term: vocabulary.terms.index(term) for term in ("book", "library")}
    assert weights[target.index("图书"), columns["book"]] == 1
    assert weights[target.index("书馆"), columns["library"]] == 1
    assert "很大" in vocabulary.terms


def test_words_with_the_stem_of_a_translation_are_one_meaning() -> None:
    source = LanguageVocabulary(["booked", "booking", "books", "walk"], "english", str.split)
    target = LanguageVocabulary(["reservieren"], "german", str.split)
    pairs = BilingualDictionary((("reservieren", "book"), ("reservieren", "walk")))
    vocabulary = build_joint_vocabulary(source, target, np.ones(1), [pairs])
    weights = dict(zip(vocabulary.terms, vocabulary.target.toarray()[0], strict=True))
    assert weights == pytest.approx(
        {"booked": 1 / 6, "booking": 1 / 6, "books": 1 / 6, "walk": 0.5}
    )


@pytest.mark.parametrize(
    ("word", "translation"),
    [
        ("die Suppe", "the soup"),
        ("Suppe", "soup"),
        ("die Suppe", "soup"),
        ("eine Suppe", "an soup"),
    ],
)
def test_articles_are_dropped(word: str, translation: str) -> None:
    vocabulary = join(["soup"], ["suppe"], {word: translation})
    assert term_weights(vocabulary, ["suppe"]) == {"suppe": {"soup": 1.0}}


def test_an_article_alone_is_kept() -> None:
    vocabulary = join(["the"], ["die"], {"die": "the"})
    assert term_weights(vocabulary, ["die"]) == {"die": {"the": 1.0}}
