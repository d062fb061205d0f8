"""On which side words are in the source and in the target."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from isthmus.inspection.word_sides import (
    ClassWords,
    LabeledDocuments,
    WordPoint,
    word_sides,
)

NAMES = ["same", "changed", "source", "target", "neutral"]


def documents(sizes: tuple[int, int], counts: dict[int, tuple[int, int]]) -> LabeledDocuments:
    """Documents of two classes; ``counts`` says how many of each class have a word."""
    codes = np.repeat([0, 1], sizes)
    X = np.zeros((len(codes), len(NAMES)))
    for column, pair in counts.items():
        for code, count in enumerate(pair):
            X[np.flatnonzero(codes == code)[:count], column] = 0.7
    return LabeledDocuments(sparse.csr_matrix(X), codes, NAMES, X.any(axis=0))


SOURCE = documents((40, 40), {0: (2, 30), 1: (2, 30), 2: (1, 20), 4: (20, 20)})
TARGET = documents((40, 40), {0: (3, 25), 1: (25, 3), 3: (1, 20), 4: (20, 20)})


def sides(
    source: LabeledDocuments = SOURCE,
    target: LabeledDocuments = TARGET,
    classes: Any = ("no", "yes"),
    n_words: int = 10,
) -> list[ClassWords]:
    return word_sides(source, target, classes, range(len(classes)), n_words)


def test_words_are_of_the_right_kind() -> None:
    (words,) = sides()
    assert words.label == "yes"
    kinds = {point.word: point.kind for point in words.points}
    assert kinds == {"same": "same", "changed": "changed", "source": "source", "target": "target"}


def test_weights_are_log_odds_ratios() -> None:
    points = {point.word: point for point in sides()[0].points}
    weight = points["same"].source_weight
    assert weight is not None
    assert np.isclose(weight, log(30.5 * 38.5 / (10.5 * 2.5)))
    assert (points["same"].n_source, points["same"].n_target) == (32, 28)
    assert points["source"].target_weight is None
    assert (points["source"].n_source, points["source"].n_target) == (21, 0)


@given(st.integers(2, 60), st.integers(2, 300), st.integers(0, 60), st.integers(0, 300))
def test_the_sign_is_that_of_the_proportions(n: int, m: int, inside: int, others: int) -> None:
    inside, others = min(inside, n), min(others, m)
    domain = documents((m, n), {0: (others, inside)})
    for words in sides(domain, domain):
        for point in words.points:
            assert point.source_weight is not None
            assert np.sign(point.source_weight) == np.sign(inside * m - others * n)


def test_words_that_never_occur_in_a_small_class_do_not_speak_for_it() -> None:
    rare = documents((2_992, 8), {0: (3, 0), 1: (1, 0), 2: (40, 0), 4: (20, 6)})
    (words,) = sides(rare, rare)
    assert [point.word for point in words.points] == ["neutral"]


def test_every_kind_gets_a_place() -> None:
    points = sides(n_words=4)[0].points
    assert {point.kind for point in points} == {"same", "changed", "source", "target"}
    scores = [point.z_score for point in points]
    assert scores == sorted(scores, reverse=True)


def test_a_word_of_the_domain_that_its_sample_lacks_is_not_called_absent() -> None:
    everywhere = replace(TARGET, is_used=np.ones(len(NAMES), bool))
    kinds = {point.word: point.kind for point in sides(SOURCE, everywhere)[0].points}
    assert "source" not in kinds
    assert "source" not in kinds.values()


def test_unlabeled_documents_do_not_count() -> None:
    more = replace(
        SOURCE,
        X=sparse.vstack([SOURCE.X, sparse.csr_matrix(np.ones((50, len(NAMES))))], format="csr"),
        codes=np.concatenate([SOURCE.codes, np.full(50, -1)]),
    )
    assert sides(more) == sides()


def test_several_classes_have_one_entry_each_and_a_class_without_documents_none() -> None:
    codes = np.where(np.arange(80) % 3 == 2, 2, SOURCE.codes)
    domain = replace(SOURCE, codes=codes)
    found = sides(domain, domain, classes="abcd")
    assert [words.label for words in found] == ["a", "b", "c"]
    (only,) = word_sides(domain, domain, "abcd", [2], 10)
    assert only == found[2]


def test_a_target_of_one_class_takes_no_side() -> None:
    (words,) = sides(SOURCE, replace(SOURCE, codes=np.zeros(80, int)))
    assert {point.kind for point in words.points} == {"one"}


def test_two_spellings_are_shown_once() -> None:
    point: WordPoint = sides()[0].points[0]
    assert replace(point, word="good", target_word="gut (good)").shown == "good / gut"
    assert replace(point, word="good", target_word="good").shown == "good"
    assert replace(point, word="gut", target_word="").shown == "gut"
