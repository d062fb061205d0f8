"""Which way a dictionary leads."""

from __future__ import annotations

from typing import ClassVar

import pytest

from bridges import Entries, join, shares, where
from isthmus.text.dictionaries import BilingualDictionary


class TestDirection:
    words: ClassVar[Entries] = {"Buch": "book", "Haus": ["house", "home"]}
    turned: ClassVar[Entries] = {"book": "Buch", "house": "Haus", "home": "Haus"}
    source, target = ("book", "home", "house"), ("buch", "haus")

    @pytest.mark.parametrize("languages", [("de", "en"), ("deu", "English"), ("german", "eng")])
    @pytest.mark.parametrize("turn", [False, True])
    def test_known_languages_settle_it(self, languages: tuple[str, str], turn: bool) -> None:
        dictionary = BilingualDictionary.from_mapping(self.words, languages)
        found = where(self.source, self.target, dictionary.reversed() if turn else dictionary)
        assert found == {"buch": {"book": 1}, "haus": {"home": 0.5, "house": 0.5}}

    @pytest.mark.parametrize("entries", [words, turned], ids=["to source", "to target"])
    @pytest.mark.parametrize("languages", [("english", "german"), (None, None)])
    def test_unknown_languages_are_found_from_the_terms(
        self, entries: Entries, languages: tuple[str | None, str | None]
    ) -> None:
        found = where(self.source, self.target, entries, languages=languages)
        assert found == {"buch": {"book": 1}, "haus": {"home": 0.5, "house": 0.5}}

    @pytest.mark.parametrize("entries", [{"Buch": "book"}, {"book": "Buch"}], ids=str)
    def test_other_forms_settle_it_where_no_word_is_in_use_as_it_is(self, entries: Entries) -> None:
        assert where(["books"], ["bücher"], entries) == {"bücher": {"books": 1}}

    @pytest.mark.parametrize("turn", [False, True])
    def test_a_large_dictionary_without_languages(self, turn: bool) -> None:
        source, target = ([f"{side}{n:03}" for n in range(150)] for side in ("word", "wort"))
        pairs = tuple((theirs.title(), ours) for ours, theirs in zip(source, target, strict=True))
        dictionary = BilingualDictionary(pairs)
        found = where(source, target, dictionary.reversed() if turn else dictionary)
        assert found == {theirs: {ours: 1} for ours, theirs in zip(source, target, strict=True)}

    @pytest.mark.parametrize("turn", [False, True])
    def test_phrases_outweigh_a_few_words_that_are_written_the_same(self, turn: bool) -> None:
        source = ["art", *(f"word{n}" for n in range(9))]
        target = ["arm", *(f"wort{n}" for n in range(9))]
        pairs = (("art", "arm"), *((f"Wort{n}", f"the word{n}") for n in range(9)))
        dictionary = BilingualDictionary(pairs)
        found = where([*source, "the"], target, dictionary.reversed() if turn else dictionary)
        assert found["wort3"] == {"word3": 1.0}  # an article is no part of the word
        assert found["arm"] == {"arm": 1}

    @pytest.mark.parametrize("turn", [False, True])
    @pytest.mark.parametrize(
        "languages", [("english", "german"), ("english", None), (None, "german")]
    )
    def test_one_known_language_is_enough_and_counts_more_than_the_terms(
        self, languages: tuple[str | None, str | None], turn: bool
    ) -> None:
        # The terms alone would say the opposite: two pairs fit the other way.
        dictionary = BilingualDictionary(
            (("rot", "red"), ("bad", "arm"), ("tag", "art")), ("de", "en")
        )
        source, target = ["bad", "red", "tag"], ["arm", "art", "rot"]
        found = where(
            source, target, dictionary.reversed() if turn else dictionary, languages=languages
        )
        assert found == {"arm": {"arm": 1}, "art": {"art": 1}, "rot": {"red": 1}}

    @pytest.mark.parametrize(
        ("languages", "sides"),
        [
            (("english", "german"), "the source is en and the target de"),
            (("english", None), "the source is en and the target not named"),
            ((None, "german"), "the source is not named and the target de"),
        ],
    )
    def test_other_languages_are_an_error(
        self, languages: tuple[str | None, str | None], sides: str
    ) -> None:
        dictionary = BilingualDictionary((("livre", "libro"),), ("fr", "es"), "mine.tsv")
        message = (
            f"^The dictionary mine.tsv is of the languages fr and es, but {sides}: give .*[.]$"
        )
        with pytest.raises(ValueError, match=message):
            join(["book"], ["buch"], dictionary, languages=languages)

    def test_one_language_of_two_is_not_enough(self) -> None:
        dictionary = BilingualDictionary((("livre", "book"),), ("fr", "en"))
        with pytest.raises(ValueError, match="languages fr and en, but the source is en and the t"):
            join(["book"], ["buch"], dictionary)

    def test_a_language_that_is_not_treated_here(self) -> None:
        dictionary = BilingualDictionary((("book", "книга"),), ("en", "bg"))
        found = where(["book"], ["книга"], dictionary, languages=("english", None))
        assert found == {"книга": {"book": 1}}

    def test_several_dictionaries_each_its_own_way(self) -> None:
        one = BilingualDictionary.from_mapping({"Buch": "book"}, ("de", "en"))
        other = BilingualDictionary.from_mapping({"house": "Haus", "book": "Buch"}, ("en", "de"))
        bridge = join(self.source, self.target, one, other, {"home": "Haus"})
        assert shares(bridge, self.target) == {
            "buch": {"book": 1},
            "haus": {"home": 0.5, "house": 0.5},
        }
        assert bridge.coverage.n_pairs == 3

    def test_an_empty_dictionary_is_none(self) -> None:
        assert join(["book"], ["buch"], {}).coverage == join(["book"], ["buch"]).coverage
