"""What the joining of two vocabularies promises, and how it is counted."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridges import join, shares, where
from isthmus.text.bridge import Bridge
from isthmus.text.bridge.coverage import KINDS, Coverage
from isthmus.text.dictionaries import BilingualDictionary


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
