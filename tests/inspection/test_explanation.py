"""Explanations: weights by removal, places of words in the original text, and what is printed."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import logsumexp

from isthmus.inspection import word_removal
from isthmus.inspection.explanation import Explanation, Span, WordWeight
from isthmus.inspection.word_positions import WordFinder, blank_html
from isthmus.inspection.word_removal import (
    Variants,
    log_odds,
    max_words,
    removal_weights,
    remove_spans,
)
from isthmus.text.tokenizers import make_tokenizer

EXPLANATION = Explanation(
    text="Good kettle, good lid, bad knob",
    domain="kitchen",
    label="positive",
    probabilities={"negative": 0.25, "positive": 0.75},
    source_only="negative",
    words=[
        WordWeight("good", (-0.5, 0.5), 2),
        WordWeight("bad", (0.25, -0.25), 1),
        WordWeight("lid", (-0.125, 0.125), 1),
        WordWeight("kettle", (0.0, 0.0), 1),
    ],
    spans=[Span(0, 4, 0), Span(5, 11, 3), Span(13, 17, 0), Span(18, 21, 2), Span(23, 26, 1)],
)


def found(text: str, language: str | None = "english", lowercase: bool = True) -> list[Any]:
    positions = WordFinder(language, lowercase).find(text)
    return [(text[start:end], word) for start, end, word in positions]


# Weights


def test_weights_of_a_linear_rule_are_its_terms() -> None:
    generator = np.random.default_rng(0)
    coef = [generator.normal(size=(n, 3)) for n in (4, 0, 2)]

    def predict(block: list[Variants]) -> Any:
        scores = []
        for document, start, stop in block:
            terms = coef[document]
            for variant in range(start, stop):
                kept = [row for row in range(len(terms)) if row != variant - 1]
                scores.append(terms[kept].sum(axis=0) + np.array([300.0, 0.0, -300.0]))
        exponentials = np.exp(scores - np.max(scores, axis=1, keepdims=True))
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    weights = removal_weights([4, 0, 2], [10, 10, 10], predict)
    offsets = np.array([300.0, 0.0, -300.0])
    for terms, weight in zip(coef, weights, strict=True):
        for word in range(len(terms)):
            whole, without = offsets + terms.sum(axis=0), offsets + np.delete(terms, word, 0).sum(0)
            for code in range(3):
                expected = [
                    scores[code] - logsumexp(np.delete(scores, code)) for scores in (whole, without)
                ]
                # Probabilities of 1e-260 are no obstacle.
                assert np.isclose(weight[word, code], expected[0] - expected[1])


def test_hard_labels_give_finite_weights() -> None:
    scores = log_odds(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]))
    large = np.log(1e30)
    np.testing.assert_allclose(scores, [[large, -large], [-large, large], [0, 0]], atol=1e-12)
    # A zero is not larger than a positive probability.
    scores = log_odds(np.array([[1.0, 1e-200], [1.0, 0.0]]))
    np.testing.assert_array_equal(scores[0], scores[1])


@given(st.lists(st.tuples(st.integers(0, 700), st.integers(0, 300_000)), min_size=1, max_size=6))
def test_blocks_are_bounded_and_have_every_variant_once(documents: list[tuple[int, int]]) -> None:
    n_words, lengths = zip(*documents, strict=True)
    variants = []
    for block in word_removal._blocks(n_words, lengths):
        sizes = [stop - start for _, start, stop in block]
        assert 0 < sum(sizes) <= word_removal._BLOCK_TEXTS
        long_text = word_removal._LONG_TEXT
        n_characters = [min(lengths[d], long_text) * (stop - start) for d, start, stop in block]
        assert sum(n_characters) <= word_removal._BLOCK_CHARACTERS + long_text
        variants += [(d, i) for d, start, stop in block for i in range(start, stop)]
    assert variants == [(d, i) for d, n in enumerate(n_words) for i in range(n + 1)]


def test_the_number_of_words_falls_with_the_length_of_the_text() -> None:
    assert max_words(0) == max_words(100_000) == 300
    assert max_words(300_000) == 100
    assert max_words(10**9) == 20


def test_removed_words_leave_a_space() -> None:
    assert remove_spans("so good😀bad", [(3, 7), (7, 8)]) == "so   bad"
    assert remove_spans("so good", []) == "so good"
    assert remove_spans("so", [(0, 2)]) == " "


# Places


def test_words_in_their_order() -> None:
    text = "The kettle, the KETTLE and a lid_2!"
    assert found(text) == [
        ("The", "the"), ("kettle", "kettle"), ("the", "the"), ("KETTLE", "kettle"), ("and", "and"),
        ("lid_2", "lid_2"),
    ]  # fmt: skip
    assert found("KETTLE kettle", lowercase=False) == [("KETTLE", "KETTLE"), ("kettle", "kettle")]
    # A single letter is no word, but part of one elsewhere.
    assert found("a b ab") == [("ab", "ab")]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        # In lower case, the dot is a character of its own, at which the tokenizer splits.
        ("İİ İstanbul güzel", "turkish", ["stanbul", "güzel"]),
        ("cafe\u0301s, cre\u0300me", "english", ["cafe\u0301s", "cre\u0300me"]),
        ("ΟΔΟΣ ΟΔΟΣ", "greek", ["ΟΔΟΣ", "ΟΔΟΣ"]),
        ("\uff23\uff24 ﾊﾞﾅﾅ", "chinese", ["\uff23\uff24", "ﾊﾞﾅﾅ"]),
        ("so good😀👍🏽 yes", "english", ["so", "good", "😀", "👍", "yes"]),
        ("क\u200dि कि", "hindi", ["क\u200dि", "कि"]),
        ("한국어", "korean", ["한국", "국어"]),
        ("喜我 我CD", "chinese", ["喜我", "我", "CD"]),
        ("กขค ขค", "thai", ["กขค", "ขค"]),
        ("aaaa aaaa 我我我", "chinese", ["aaaa", "aaaa", "我我", "我我"]),
        ("ﬁne", "english", ["ﬁne"]),
    ],
)
def test_places_are_those_of_the_original_text(
    text: str, language: str, expected: list[str]
) -> None:
    positions = WordFinder(language, lowercase=True).find(text)
    assert [text[start:end] for start, end, _ in positions] == expected


def test_overlapping_ngrams_are_in_their_places() -> None:
    positions = WordFinder("chinese", lowercase=True).find("我喜欢CD")
    assert [tuple(p) for p in positions] == [(0, 2, "我喜"), (1, 3, "喜欢"), (3, 5, "cd")]


LANGUAGES = [None, "english", "turkish", "greek", "hindi", "chinese", "korean", "thai"]
TEXTS = st.text(
    st.one_of(
        st.characters(),  # halves of surrogate pairs, too
        st.sampled_from(
            "aA 1_iİ\u0131ßẞΣ\u03c3ςéÉ\u0301\u0307\u3099\u1100\u1161\u11a8"
            "각我們กา\u200dﾊﾞﬁ😀👍🏽🇩🇪ǰJ\u030c"
        ),
    )
)


@given(TEXTS, st.sampled_from(LANGUAGES))
@example("J\u030c\u0301 ab", None)
@example("\u1100\u1161\u11a8 ab", "korean")
def test_random_text_has_places_inside_it(text: str, language: str | None) -> None:
    finder = WordFinder(language, lowercase=True)
    positions = finder.find(text)
    for start, end, _ in positions:
        assert 0 <= start < end <= len(text)
    starts = [start for start, _, _ in positions]
    assert starts == sorted(starts)
    # Every word is found.
    tokenize = make_tokenizer(language, lowercase=True)
    assert [word for _, _, word in positions] == tokenize(text)
    # What was found has the word in it.
    for start, end, word in positions:
        normalized = finder._lower(finder._normalize(text[start:end]))
        assert _without_final_sigma(word) in _without_final_sigma(normalized)


def _without_final_sigma(text: str) -> str:
    return text.replace("\u03c2", "\u03c3")


@given(st.text("abcXYZ ,.-!0\n", max_size=60))
def test_a_simple_text_has_its_words(text: str) -> None:
    positions = WordFinder("english", lowercase=True).find(text)
    assert [text[start:end].lower() for start, end, _ in positions] == [p.word for p in positions]
    ends = [0, *(end for _, end, _ in positions)]
    assert all(end <= start for end, (start, _, _) in zip(ends, positions, strict=False))


@pytest.mark.parametrize(
    ("page", "blanked"),
    [
        ('<p class="good">fine</p>', "fine"),
        ("<!-- good --> fine <script>good<b></script> a &lt; b &eacute; &amp;", "fine  a  b"),
        ("<style>good", ""),
        ("a < b and b > c", "a < b and b > c"),
        ("<!-- open", ""),
        ("AT&T", "AT&T"),
    ],
)
def test_markup_is_blanked_in_place(page: str, blanked: str) -> None:
    result = blank_html(page)
    assert len(result) == len(page)
    assert result.split() == blanked.split()
    assert all(a in (b, " ") for a, b in zip(result, page, strict=True))


# What is printed


def test_top_words() -> None:
    top = EXPLANATION.top_words("positive", 2)
    assert top.supporting == [("good", 0.5), ("lid", 0.125)]
    assert top.opposing == [("bad", -0.25)]
    assert EXPLANATION.top_words("negative", 1) == ([("bad", 0.25)], [("good", -0.5)])
    assert EXPLANATION.top_words() == EXPLANATION.top_words("positive", 10)
    assert EXPLANATION.top_words("positive", 0) == ([], [])
    with pytest.raises(ValueError, match=r"no class 'neutral': the classes are 'negative', 'pos"):
        EXPLANATION.top_words("neutral")
    with pytest.raises(ValueError, match=r"n_words=-1 must be 0 or more"):
        EXPLANATION.top_words("positive", -1)


def test_summary() -> None:
    assert str(EXPLANATION) == (
        "positive (0.75), by the source alone negative\n"
        "for positive: good +0.50, lid +0.12\n"
        "against positive: bad -0.25"
    )
    assert EXPLANATION.note == ""


def test_summary_of_three_classes_and_a_long_text() -> None:
    explanation = Explanation(
        "x yy", "d", 1, {0: 0.2, 1: 0.5, 2: 0.3}, 1, [WordWeight("yy", (-1.0, 1.5, -0.5), 1)], [], 7
    )
    assert str(explanation).splitlines()[1:] == [
        *("for 0: no word", "against 0: yy -1.00"),
        *("for 1: yy +1.50", "against 1: no word"),
        *("for 2: no word", "against 2: yy -0.50"),
        "The text is long: weights were computed for 1 of its words, and 7 were left out.",
    ]


def test_notes_instead_of_words() -> None:
    empty = Explanation("", "d", "a", {"a": 0.5, "b": 0.5}, "a", [], [])
    assert str(empty) == (
        "a (0.50), by the source alone a\n"
        "The text has no word that the model knows: its label is meaningless."
    )
    flat = Explanation("xx", "d", "a", {"a": 1, "b": 0}, "a", [WordWeight("xx", (0.0, 0.0), 1)], [])
    assert str(flat).endswith("\nNo single word changes the probabilities if it is removed.")


def test_as_json() -> None:
    record = json.loads(json.dumps(EXPLANATION.to_dict()))
    assert record["words"][0] == {
        "word": "good",
        "n_occurrences": 2,
        "weights": {"negative": -0.5, "positive": 0.5},
    }
    assert record["spans"][0] == {"start": 0, "end": 4, "word": 0}
    assert record["probabilities"] == {"negative": 0.25, "positive": 0.75}
    rest = {key: record[key] for key in ("text", "domain", "label", "source_only", "n_left_out")}
    assert rest == {
        "text": EXPLANATION.text,
        "domain": "kitchen",
        "label": "positive",
        "source_only": "negative",
        "n_left_out": 0,
    }


def test_as_data_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = EXPLANATION.to_frame()
    assert frame.columns.tolist() == ["n_occurrences", "negative", "positive"]
    assert frame.index.tolist() == ["good", "bad", "lid", "kettle"]
    assert frame.loc["good"].tolist() == [2, -0.5, 0.5]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_frame\(\) needs pandas, which is not installed: "):
        EXPLANATION.to_frame()
