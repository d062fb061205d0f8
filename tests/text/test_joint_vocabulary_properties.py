"""Properties of the joint vocabulary, and its coverage."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.text.dictionaries import BilingualDictionary
from isthmus.text.translation import JointVocabulary
from isthmus.text.translation.coverage import KINDS, Coverage
from vocabulary_pairs import join, joined_weights, term_weights


class TestCoverage:
    def test_kinds_of_words(self) -> None:
        vocabulary = join(
            ["book", "hotel", "taxi"],
            ["buch", "hotel", "oper", "taxi", "zug"],
            {"Buch": "book", "Oper": ["opera", "opus magnum"], "Taxi": "taxi"},
            use=[7, 5, 3, 2, 4],
        )
        coverage = vocabulary.coverage
        assert coverage.words == {"translated": 1, "shared": 2, "unknown": 2}
        assert coverage.tokens == {"translated": 7, "shared": 7, "unknown": 7}
        assert coverage.unused_translations == 1  # "oper"
        assert coverage.frequent_unknown == (("zug", 4),)  # not in the dictionary
        assert coverage.n_pairs == 4
        assert coverage.word_share("shared") == 0.4
        assert coverage.token_share("unknown") == pytest.approx(1 / 3)
        assert str(coverage) == (
            "translated 33.3 % of the tokens (20.0 % of the words), "
            "shared 33.3 % of the tokens (40.0 % of the words), "
            "unknown 33.3 % of the tokens (40.0 % of the words)"
        )

    def test_a_word_with_itself_and_another_translation_is_translated(self) -> None:
        assert join(["cab", "taxi"], ["taxi"], {"Taxi": ["taxi", "cab"]}).coverage.words == {
            "translated": 1,
            "shared": 0,
            "unknown": 0,
        }

    def test_most_frequent_unknown_words_with_ties(self) -> None:
        target = [f"wort{number:03}" for number in range(150)]
        use = [1] * 149 + [9]
        frequent = join(["book"], target, use=use).coverage.frequent_unknown
        assert frequent[:2] == (("wort149", 9), ("wort000", 1))
        assert len(frequent) == 100

    def test_unknown_kind(self) -> None:
        with pytest.raises(ValueError, match=r"'lost'.* translated, shared"):
            join(["book"], ["buch"]).coverage.word_share("lost")

    def test_coverage_without_words(self) -> None:
        zeros = dict.fromkeys(KINDS, 0)
        assert Coverage(zeros, zeros).token_share("shared") == 0


# Few letters, so that words coincide; "s" and "en" give words with the same stem.
WORDS = st.text("ab", min_size=2, max_size=3).flatmap(
    lambda word: st.sampled_from([word, word + "s", word + "en"])
)
PHRASES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
PAIRS = st.lists(st.tuples(PHRASES, PHRASES), max_size=12, unique=True)
VOCABULARIES = st.lists(WORDS | PHRASES, min_size=1, max_size=10, unique=True)


def same(one: JointVocabulary, other: JointVocabulary) -> bool:
    return (
        one.terms == other.terms
        and one.coverage == other.coverage
        and (one.source == other.source).all()
        and (one.target.toarray() == other.target.toarray()).all()
    )


@given(VOCABULARIES, VOCABULARIES, PAIRS, st.booleans())
def test_weights_of_every_term_sum_to_one(
    source: list[str], target: list[str], pairs: list[tuple[str, str]], named: bool
) -> None:
    dictionary = BilingualDictionary(tuple(pairs), ("de", "en") if named else None)
    vocabulary = join(source, target, dictionary)
    np.testing.assert_allclose(vocabulary.target.sum(axis=1), 1)
    assert (vocabulary.target.data > 0).all()
    assert vocabulary.target.has_canonical_format
    assert vocabulary.terms == sorted(set(vocabulary.terms))
    assert [vocabulary.terms[column] for column in vocabulary.source] == sorted(source)
    assert set(vocabulary.terms) <= {*source, *target}
    reached = {vocabulary.terms[column] for column in vocabulary.target.indices}
    assert set(vocabulary.terms) == {*source, *reached}


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


def test_rounding_does_not_depend_on_the_order_of_the_pairs() -> None:
    source, entries = ["aa", "bb", "cc"], ("aa", "aa bb", "aa bb cc")
    weights = [
        joined_weights(source, ["wort"], {"wort": list(order)})["wort"]
        for order in permutations(entries)
    ]
    assert all(one == weights[0] for one in weights)
    assert weights[0]["aa"] == pytest.approx(11 / 18)


@given(VOCABULARIES, VOCABULARIES, PAIRS)
def test_the_direction_of_a_dictionary_with_languages_does_not_matter(
    source: list[str], target: list[str], pairs: list[tuple[str, str]]
) -> None:
    dictionary = BilingualDictionary(tuple(pairs), ("de", "en"))
    assert same(join(source, target, dictionary), join(source, target, dictionary.reversed()))


@given(VOCABULARIES, VOCABULARIES, PAIRS, st.data())
def test_a_dictionary_split_into_parts_gives_the_same_result(
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
    vocabulary = join(source, target, dictionary, use=use)
    coverage = vocabulary.coverage
    assert sum(coverage.words.values()) == len(target)
    assert sum(coverage.tokens.values()) == sum(use)
    assert sum(coverage.word_share(kind) for kind in KINDS) == pytest.approx(1)
    assert coverage.words["unknown"] == len(vocabulary.terms) - len(source)
    n_missing = len(coverage.frequent_unknown)
    assert coverage.words["unknown"] - coverage.unused_translations == n_missing
    assert 0 <= coverage.unused_translations <= coverage.words["unknown"]
    assert coverage.n_pairs == len(pairs)
    unknown = {word for word, _ in coverage.frequent_unknown}
    assert unknown.isdisjoint(source)
    assert {
        word for word, to in term_weights(vocabulary, target).items() if to == {word: 1}
    } >= unknown
