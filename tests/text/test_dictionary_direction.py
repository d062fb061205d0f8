"""Direction of a dictionary: source to target or target to source."""

from __future__ import annotations

from typing import ClassVar

import pytest

from isthmus.text.dictionaries import BilingualDictionary
from vocabulary_pairs import Entries, join, joined_weights, term_weights


class TestDirection:
    words: ClassVar[Entries] = {"Buch": "book", "Haus": ["house", "home"]}
    reversed_words: ClassVar[Entries] = {"book": "Buch", "house": "Haus", "home": "Haus"}
    source, target = ("book", "home", "house"), ("buch", "haus")

    @pytest.mark.parametrize("languages", [("de", "en"), ("deu", "English"), ("german", "eng")])
    @pytest.mark.parametrize("reverse", [False, True])
    def test_known_languages_decide(self, languages: tuple[str, str], reverse: bool) -> None:
        dictionary = BilingualDictionary.from_mapping(self.words, languages)
        weights = joined_weights(
            self.source, self.target, dictionary.reversed() if reverse else dictionary
        )
        assert weights == {"buch": {"book": 1}, "haus": {"home": 0.5, "house": 0.5}}

    @pytest.mark.parametrize("entries", [words, reversed_words], ids=["to source", "to target"])
    @pytest.mark.parametrize("languages", [("english", "german"), (None, None)])
    def test_terms_decide_if_languages_are_unknown(
        self, entries: Entries, languages: tuple[str | None, str | None]
    ) -> None:
        weights = joined_weights(self.source, self.target, entries, languages=languages)
        assert weights == {"buch": {"book": 1}, "haus": {"home": 0.5, "house": 0.5}}

    @pytest.mark.parametrize("entries", [{"Buch": "book"}, {"book": "Buch"}], ids=str)
    def test_related_words_decide_if_no_word_occurs(self, entries: Entries) -> None:
        assert joined_weights(["books"], ["bücher"], entries) == {"bücher": {"books": 1}}

    @pytest.mark.parametrize("reverse", [False, True])
    def test_a_large_dictionary_without_languages(self, reverse: bool) -> None:
        source, target = ([f"{prefix}{n:03}" for n in range(150)] for prefix in ("word", "wort"))
        pairs = tuple(
            (target_word.title(), source_word)
            for source_word, target_word in zip(source, target, strict=True)
        )
        dictionary = BilingualDictionary(pairs)
        weights = joined_weights(source, target, dictionary.reversed() if reverse else dictionary)
        assert weights == {
            target_word: {source_word: 1}
            for source_word, target_word in zip(source, target, strict=True)
        }

    @pytest.mark.parametrize("reverse", [False, True])
    def test_phrases_outweigh_a_few_identical_words(self, reverse: bool) -> None:
        source = ["art", *(f"word{n}" for n in range(9))]
        target = ["arm", *(f"wort{n}" for n in range(9))]
        pairs = (("art", "arm"), *((f"Wort{n}", f"the word{n}") for n in range(9)))
        dictionary = BilingualDictionary(pairs)
        weights = joined_weights(
            [*source, "the"], target, dictionary.reversed() if reverse else dictionary
        )
        assert weights["wort3"] == {"word3": 1.0}  # articles are dropped
        assert weights["arm"] == {"arm": 1}

    @pytest.mark.parametrize("reverse", [False, True])
    @pytest.mark.parametrize(
        "languages", [("english", "german"), ("english", None), (None, "german")]
    )
    def test_one_known_language_takes_precedence_over_the_terms(
        self, languages: tuple[str | None, str | None], reverse: bool
    ) -> None:
        # The terms alone would give the opposite direction: two pairs match the other way.
        dictionary = BilingualDictionary(
            (("rot", "red"), ("bad", "arm"), ("tag", "art")), ("de", "en")
        )
        source, target = ["bad", "red", "tag"], ["arm", "art", "rot"]
        weights = joined_weights(
            source, target, dictionary.reversed() if reverse else dictionary, languages=languages
        )
        assert weights == {"arm": {"arm": 1}, "art": {"art": 1}, "rot": {"red": 1}}

    @pytest.mark.parametrize(
        ("languages", "key_words"),
        [
            (("english", "german"), "the source is en and the target de"),
            (("english", None), "the source is en and the target not named"),
            ((None, "german"), "the source is not named and the target de"),
        ],
    )
    def test_other_languages_are_an_error(
        self, languages: tuple[str | None, str | None], key_words: str
    ) -> None:
        dictionary = BilingualDictionary((("livre", "libro"),), ("fr", "es"), "mine.tsv")
        with pytest.raises(ValueError, match=rf"mine\.tsv are fr and es, .*{key_words}"):
            join(["book"], ["buch"], dictionary, languages=languages)

    def test_one_language_of_two_is_not_enough(self) -> None:
        dictionary = BilingualDictionary((("livre", "book"),), ("fr", "en"))
        with pytest.raises(ValueError, match=r"fr and en, .* source is en"):
            join(["book"], ["buch"], dictionary)

    def test_language_without_tokenizer(self) -> None:
        dictionary = BilingualDictionary((("book", "книга"),), ("en", "bg"))
        weights = joined_weights(["book"], ["книга"], dictionary, languages=("english", None))
        assert weights == {"книга": {"book": 1}}

    def test_dictionaries_of_both_directions(self) -> None:
        forward = BilingualDictionary.from_mapping({"Buch": "book"}, ("de", "en"))
        backward = BilingualDictionary.from_mapping({"house": "Haus", "book": "Buch"}, ("en", "de"))
        vocabulary = join(self.source, self.target, forward, backward, {"home": "Haus"})
        assert term_weights(vocabulary, self.target) == {
            "buch": {"book": 1},
            "haus": {"home": 0.5, "house": 0.5},
        }
        assert vocabulary.coverage.n_pairs == 3

    def test_an_empty_dictionary_equals_no_dictionary(self) -> None:
        assert join(["book"], ["buch"], {}).coverage == join(["book"], ["buch"]).coverage
