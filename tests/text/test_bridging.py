"""The joining of two vocabularies."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import pytest

from bridges import Entries, join, shares, where
from isthmus.text.bridge import Vocabulary, build_bridge
from isthmus.text.dictionaries import BilingualDictionary
from isthmus.text.tokenizers import make_tokenizer


class TestTranslations:
    def test_counts_are_split_over_the_translations_in_use(self) -> None:
        found = where(["fine", "good"], ["gut"], {"gut": ["good", "fine", "estate"]})
        assert found == {"gut": {"fine": 0.5, "good": 0.5}}

    def test_several_words_may_go_to_one(self) -> None:
        found = where(["book"], ["band", "buch"], {"Buch": "book", "Band": "book"})
        assert found == {"band": {"book": 1}, "buch": {"book": 1}}

    def test_identical_strings_are_shared_and_other_words_kept(self) -> None:
        bridge = join(["hotel", "song"], ["hotel", "oper"])
        assert bridge.terms == ["hotel", "oper", "song"]
        assert bridge.source.tolist() == [0, 2]
        assert shares(bridge, ["hotel", "oper"]) == {"hotel": {"hotel": 1}, "oper": {"oper": 1}}

    def test_a_false_friend_goes_to_its_translation(self) -> None:
        assert where(["gift", "poison"], ["gift"], {"Gift": "poison"}) == {"gift": {"poison": 1}}

    def test_a_false_friend_whose_translation_is_not_in_use_is_shared(self) -> None:
        assert where(["gift"], ["gift"], {"Gift": "poison"}) == {"gift": {"gift": 1}}

    def test_the_words_of_a_phrase_share_its_part(self) -> None:
        entries: Entries = {"wegen": ["because of", "through"]}
        found = where(["because", "of", "through"], ["wegen"], entries)
        assert found == {"wegen": {"because": 0.25, "of": 0.25, "through": 0.5}}

    def test_a_phrase_counts_only_if_all_of_its_words_are_in_use(self) -> None:
        assert where(["because"], ["wegen"], {"wegen": "because of"}) == {"wegen": {"wegen": 1}}

    def test_a_phrase_that_is_counted_is_one_translation(self) -> None:
        found = where(["bank", "world", "world bank"], ["weltbank"], {"Weltbank": "World Bank"})
        assert found == {"weltbank": {"world bank": 1}}

    def test_a_word_twice_in_a_phrase_has_one_part(self) -> None:
        found = where(["again", "and"], ["immer"], {"immer": "again and again"})
        assert found == {"immer": {"again": 0.5, "and": 0.5}}

    def test_a_phrase_of_the_target_must_be_a_term(self) -> None:
        entries: Entries = {"New Yorker": "local"}
        assert where(["local"], ["new", "yorker"], entries)["new"] == {"new": 1}
        found = where(["local"], ["new", "new yorker", "yorker"], entries)
        assert found["new yorker"] == {"local": 1}
        assert found["yorker"] == {"yorker": 1}

    def test_the_same_words_in_two_translations_add_up(self) -> None:
        found = where(["of", "out"], ["aus"], {"aus": ["out of", "out"]})
        assert found == {"aus": {"of": 0.25, "out": 0.75}}

    @pytest.mark.parametrize("entry", ["a", "!", "…", "的"])
    def test_entries_without_a_word_lead_nowhere(self, entry: str) -> None:
        found = where(["book"], ["buch"], {entry: "book", "Buch": entry})
        assert found == {"buch": {"buch": 1}}

    def test_one_side_may_have_no_term(self) -> None:
        assert join(["book"], [], {"Buch": "book"}).target.shape == (0, 1)
        assert where([], ["buch"], {"Buch": "book"}) == {"buch": {"buch": 1}}


class TestForms:
    def test_a_form_gets_the_translation_of_another(self) -> None:
        assert where(["book"], ["bücher"], {"Buch": "book"}) == {"bücher": {"book": 1}}

    def test_an_exact_entry_wins_over_a_form(self) -> None:
        entries: Entries = {"Buch": "book", "Bücher": "library"}
        found = where(["book", "library"], ["buch", "bücher"], entries)
        assert found == {"buch": {"book": 1}, "bücher": {"library": 1}}

    def test_a_form_helps_if_the_exact_entry_leads_nowhere(self) -> None:
        entries: Entries = {"Buch": "book", "Bücher": "tomes of old"}
        assert where(["book"], ["bücher"], entries) == {"bücher": {"book": 1}}

    def test_an_identical_string_wins_over_a_form(self) -> None:
        assert where(["laden", "shop"], ["laden"], {"Lade": "shop"}) == {"laden": {"laden": 1}}

    def test_all_forms_of_a_translation_that_is_not_in_use_itself(self) -> None:
        found = where(["booked", "books"], ["buch"], {"Buch": "book"})
        assert found == {"buch": {"booked": 0.5, "books": 0.5}}
        assert where(["book", "books"], ["buch"], {"Buch": "book"}) == {"buch": {"book": 1}}

    @pytest.mark.parametrize("languages", [("english", None), ("english", "thai")])
    def test_no_forms_without_a_stemmer(self, languages: tuple[str, str | None]) -> None:
        found = where(["book"], ["books"], {"booking": "book"}, languages=languages)
        assert found == {"books": {"books": 1}}

    def test_stems_are_terms(self) -> None:
        found = where(["batteri"], ["batteri"], {"Batterien": "battery"}, stem=True)
        assert found == {"batteri": {"batteri": 1}}
        assert where(["hous"], ["haus"], {"Häuser": "houses"}, stem=True) == {"haus": {"hous": 1}}


class TestSpelling:
    def test_case_does_not_matter_in_lower_case(self) -> None:
        assert where(["book"], ["buch"], {"BUCH": "Book"}) == {"buch": {"book": 1}}

    def test_case_matters_if_it_is_kept(self) -> None:
        entries: Entries = {"Arm": "arm", "arm": "poor"}
        found = where(["arm", "poor"], ["Arm", "arm"], entries, lowercase=False)
        assert found == {"Arm": {"arm": 1}, "arm": {"poor": 1}}

    @pytest.mark.parametrize("form", ["NFC", "NFD"])
    def test_accents_may_be_written_either_way(self, form: Any) -> None:
        entries = {unicodedata.normalize(form, "Tür"): unicodedata.normalize(form, "café")}
        assert where(["café"], ["tür"], entries) == {"tür": {"café": 1}}

    def test_chinese(self) -> None:
        languages = ("english", "chinese")
        entries: Entries = {"喜欢": "like", "书": "book"}
        found = where(["book", "like"], ["书", "喜欢"], entries, languages=languages)
        assert found == {"书": {"book": 1}, "喜欢": {"like": 1}}

    def test_a_chinese_translation_of_several_pieces(self) -> None:
        languages = ("chinese", "english")
        found = where(["书馆", "图书"], ["library"], {"library": "图书馆"}, languages=languages)
        assert found == {"library": {"书馆": 0.5, "图书": 0.5}}

    def test_japanese(self) -> None:
        pytest.importorskip("fugashi", reason="Japanese needs the extra 'japanese'")
        pytest.importorskip("unidic_lite", reason="Japanese needs the extra 'japanese'")
        found = where(["book"], ["本"], {"book": "本"}, languages=("english", "japanese"))
        assert found == {"本": {"book": 1}}


def test_a_word_longer_than_a_piece_gives_its_pieces_what_no_other_word_gives_them() -> None:
    cut = make_tokenizer("chinese")
    texts = ["图书馆很大", "图书很好"]
    target = Vocabulary(sorted({piece for text in texts for piece in cut(text)}), "chinese", cut)
    source = Vocabulary(["book", "library"], "english", str.split)
    use = np.ones(len(target.terms))
    pairs = BilingualDictionary((("图书馆", "library"), ("图书", "book")))
    bridge = build_bridge(source, target, use, [pairs])
    shares = bridge.target.toarray()
    columns = {term: bridge.terms.index(term) for term in ("book", "library")}
    assert shares[target.place("图书"), columns["book"]] == 1
    assert shares[target.place("书馆"), columns["library"]] == 1
    assert "很大" in bridge.terms


def test_other_forms_of_a_translation_are_one_meaning() -> None:
    source = Vocabulary(["booked", "booking", "books", "walk"], "english", str.split)
    target = Vocabulary(["reservieren"], "german", str.split)
    pairs = BilingualDictionary((("reservieren", "book"), ("reservieren", "walk")))
    bridge = build_bridge(source, target, np.ones(1), [pairs])
    shares = dict(zip(bridge.terms, bridge.target.toarray()[0], strict=True))
    assert shares == pytest.approx({"booked": 1 / 6, "booking": 1 / 6, "books": 1 / 6, "walk": 0.5})


@pytest.mark.parametrize(
    ("word", "translation"),
    [
        ("die Suppe", "the soup"),
        ("Suppe", "soup"),
        ("die Suppe", "soup"),
        ("eine Suppe", "an soup"),
    ],
)
def test_articles_are_no_part_of_a_word(word: str, translation: str) -> None:
    bridge = join(["soup"], ["suppe"], {word: translation})
    assert shares(bridge, ["suppe"]) == {"suppe": {"soup": 1.0}}


def test_an_article_alone_is_a_word() -> None:
    bridge = join(["the"], ["die"], {"die": "the"})
    assert shares(bridge, ["die"]) == {"die": {"the": 1.0}}
