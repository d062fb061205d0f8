"""The joining of two vocabularies."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.text.analysis import Analyzer
from isthmus.text.bridge import Bridge, Vocabulary, build_bridge
from isthmus.text.bridge.coverage import KINDS, Coverage
from isthmus.text.dictionaries import BilingualDictionary
from isthmus.text.tokenizers import make_tokenizer

Entries = Mapping[str, str | list[str]]


def vocabulary(terms: Iterable[str], language: str | None, **options: Any) -> Vocabulary:
    settings = {"stop_words": None, "stem": False, "lowercase": True, **options}
    words = Analyzer(language, ngram_range=(1, 1), html=False, **settings)
    return Vocabulary(sorted(terms), language, words)


def join(
    source: Iterable[str],
    target: Iterable[str],
    *dictionaries: Entries | BilingualDictionary,
    languages: tuple[str | None, str | None] = ("english", "german"),
    use: list[int] | None = None,
    **options: Any,
) -> Bridge:
    """The bridge of these terms; ``use`` goes by the alphabet."""
    ours, theirs = (
        vocabulary(terms, language, **options)
        for terms, language in zip((source, target), languages, strict=True)
    )
    read = [
        BilingualDictionary.from_mapping(one) if isinstance(one, Mapping) else one
        for one in dictionaries
    ]
    return build_bridge(ours, theirs, np.array(use or [1] * len(theirs.terms), float), read)


def shares(bridge: Bridge, target: Iterable[str]) -> dict[str, dict[str, float]]:
    """Every target term with the terms that its counts go to."""
    rows = bridge.target.toarray()
    return {
        word: {bridge.terms[column]: row[column].item() for column in np.flatnonzero(row)}
        for word, row in zip(sorted(target), rows, strict=True)
    }


def where(source: Iterable[str], target: Iterable[str], *rest: Any, **options: Any) -> Any:
    """Where the counts of every target term go."""
    return shares(join(source, target, *rest, **options), target)


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


class TestCoverage:
    def test_what_became_of_the_words(self) -> None:
        bridge = join(
            ["book", "hotel", "taxi"],
            ["buch", "hotel", "oper", "taxi", "zug"],
            {"Buch": "book", "Oper": ["opera", "opus magnum"], "Taxi": "taxi"},
            use=[7, 5, 3, 2, 4],
        )
        coverage = bridge.coverage
        assert coverage.words == {"translated": 1, "shared": 2, "unknown": 2}
        assert coverage.tokens == {"translated": 7, "shared": 7, "unknown": 7}
        assert coverage.unused_translations == 1  # "oper"
        assert coverage.frequent_unknown == (("zug", 4),)  # what the dictionary lacks
        assert coverage.n_pairs == 4
        assert coverage.word_share("shared") == 0.4
        assert coverage.token_share("unknown") == pytest.approx(1 / 3)
        assert str(coverage) == (
            "translated 33.3 % of the tokens (20.0 % of the words), "
            "shared 33.3 % of the tokens (40.0 % of the words), "
            "unknown 33.3 % of the tokens (40.0 % of the words)"
        )

    def test_a_word_translated_by_itself_and_another_is_translated(self) -> None:
        assert join(["cab", "taxi"], ["taxi"], {"Taxi": ["taxi", "cab"]}).coverage.words == {
            "translated": 1,
            "shared": 0,
            "unknown": 0,
        }

    def test_the_most_frequent_unknown_words_ties_by_the_alphabet(self) -> None:
        target = [f"wort{number:03}" for number in range(150)]
        use = [1] * 149 + [9]
        frequent = join(["book"], target, use=use).coverage.frequent_unknown
        assert frequent[:2] == (("wort149", 9), ("wort000", 1))
        assert len(frequent) == 100

    def test_a_kind_that_there_is_not(self) -> None:
        with pytest.raises(ValueError, match="no kind 'lost' of words: kinds are translated, sha"):
            join(["book"], ["buch"]).coverage.word_share("lost")

    def test_nothing_counted(self) -> None:
        nothing = dict.fromkeys(KINDS, 0)
        assert Coverage(nothing, nothing).token_share("shared") == 0


# Few letters, so that words meet; "s" and "en" make forms of one stem.
WORDS = st.text("ab", min_size=2, max_size=3).flatmap(
    lambda word: st.sampled_from([word, word + "s", word + "en"])
)
PHRASES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
PAIRS = st.lists(st.tuples(PHRASES, PHRASES), max_size=12, unique=True)
VOCABULARIES = st.lists(WORDS | PHRASES, min_size=1, max_size=10, unique=True)


def same(one: Bridge, other: Bridge) -> bool:
    return (
        one.terms == other.terms
        and one.coverage == other.coverage
        and (one.source == other.source).all()
        and (one.target.toarray() == other.target.toarray()).all()
    )


@given(VOCABULARIES, VOCABULARIES, PAIRS, st.booleans())
def test_every_count_is_kept(
    source: list[str], target: list[str], pairs: list[tuple[str, str]], named: bool
) -> None:
    dictionary = BilingualDictionary(tuple(pairs), ("de", "en") if named else None)
    bridge = join(source, target, dictionary)
    np.testing.assert_allclose(bridge.target.sum(axis=1), 1)
    assert (bridge.target.data > 0).all()
    assert bridge.target.has_canonical_format
    assert bridge.terms == sorted(set(bridge.terms))
    assert [bridge.terms[column] for column in bridge.source] == sorted(source)
    assert set(bridge.terms) <= {*source, *target}
    reached = {bridge.terms[column] for column in bridge.target.indices}
    assert set(bridge.terms) == {*source, *reached}


@given(VOCABULARIES, VOCABULARIES, PAIRS, st.data())
def test_the_order_of_the_pairs_does_not_matter(
    source: list[str], target: list[str], pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(pairs))
    languages = data.draw(st.sampled_from([None, ("de", "en")]))
    one, other = (
        join(source, target, BilingualDictionary(tuple(each), languages))
        for each in (pairs, shuffled)
    )
    assert same(one, other)


def test_the_order_of_the_pairs_does_not_matter_to_the_last_bit() -> None:
    source, entries = ["aa", "bb", "cc"], ("aa", "aa bb", "aa bb cc")
    found = [
        where(source, ["wort"], {"wort": list(order)})["wort"] for order in permutations(entries)
    ]
    assert all(one == found[0] for one in found)
    assert found[0]["aa"] == pytest.approx(11 / 18)


@given(VOCABULARIES, VOCABULARIES, PAIRS)
def test_the_direction_of_a_dictionary_with_languages_does_not_matter(
    source: list[str], target: list[str], pairs: list[tuple[str, str]]
) -> None:
    dictionary = BilingualDictionary(tuple(pairs), ("de", "en"))
    assert same(join(source, target, dictionary), join(source, target, dictionary.reversed()))


@given(VOCABULARIES, VOCABULARIES, PAIRS, st.data())
def test_a_dictionary_in_parts_is_the_same_dictionary(
    source: list[str], target: list[str], pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(pairs)))
    whole = BilingualDictionary(tuple(pairs), ("de", "en"))
    parts = [BilingualDictionary(tuple(part), ("de", "en")) for part in (pairs[cut:], pairs[:cut])]
    assert same(join(source, target, whole), join(source, target, parts[0], parts[1].reversed()))


@given(VOCABULARIES, VOCABULARIES, PAIRS, st.data())
def test_coverage_adds_up(
    source: list[str], target: list[str], pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    use = data.draw(
        st.lists(st.integers(1, 10**9), min_size=len(target), max_size=len(target)), label="use"
    )
    dictionary = BilingualDictionary(tuple(pairs), ("de", "en"))
    bridge = join(source, target, dictionary, use=use)
    coverage = bridge.coverage
    assert sum(coverage.words.values()) == len(target)
    assert sum(coverage.tokens.values()) == sum(use)
    assert sum(coverage.word_share(kind) for kind in KINDS) == pytest.approx(1)
    assert coverage.words["unknown"] == len(bridge.terms) - len(source)
    lacking = len(coverage.frequent_unknown)
    assert coverage.words["unknown"] - coverage.unused_translations == lacking
    assert 0 <= coverage.unused_translations <= coverage.words["unknown"]
    assert coverage.n_pairs == len(pairs)
    unknown = {word for word, _ in coverage.frequent_unknown}
    assert unknown.isdisjoint(source)
    assert {word for word, to in shares(bridge, target).items() if to == {word: 1}} >= unknown


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
