"""On which side words are in the source and in the target."""

from __future__ import annotations

from math import log

import numpy as np
from scipy import sparse

from isthmus.inspection.word_sides import WordPoint, word_sides

NAMES = ["same", "changed", "source", "target", "neutral"]


def _documents(
    n: int, parts: dict[int, list[tuple[int, int]]]
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """``n`` documents of class 0, then ``n`` of class 1; ``parts`` says how many have a word."""
    X = np.zeros((2 * n, len(NAMES)))
    for column, counts in parts.items():
        for code, count in counts:
            X[code * n : code * n + count, column] = 0.7
    return sparse.csr_matrix(X), np.repeat([0, 1], n)


def _points(classes: list[str] | None = None, n_words: int = 10) -> list[WordPoint]:
    source, source_codes = _documents(
        40,
        {0: [(0, 2), (1, 30)], 1: [(0, 2), (1, 30)], 2: [(0, 1), (1, 20)], 4: [(0, 20), (1, 20)]},
    )
    target, target_codes = _documents(
        40,
        {0: [(0, 3), (1, 25)], 1: [(0, 25), (1, 3)], 3: [(0, 1), (1, 20)], 4: [(0, 20), (1, 20)]},
    )
    (words,) = word_sides(
        source,
        source_codes,
        target,
        target_codes,
        classes or ["no", "yes"],
        (NAMES, NAMES),
        n_words,
    )
    assert words.label == "yes"
    return words.points


def test_words_are_of_the_right_kind() -> None:
    kinds = {point.word: point.kind for point in _points()}
    assert kinds == {"same": "same", "changed": "changed", "source": "source", "target": "target"}


def test_weights_are_log_odds_ratios() -> None:
    (point,) = (point for point in _points() if point.word == "same")
    assert point.source_weight is not None
    assert np.isclose(point.source_weight, log(30.5 * 38.5 / (10.5 * 2.5)))
    assert point.n_source, point.n_target == (32, 28)
    (only,) = (point for point in _points() if point.word == "source")
    assert only.target_weight is None
    assert (only.n_source, only.n_target) == (21, 0)


def test_every_kind_gets_a_place() -> None:
    assert {point.kind for point in _points(n_words=4)} == {"same", "changed", "source", "target"}
    strengths = [point.strength for point in _points()]
    assert strengths == sorted(strengths, reverse=True)


def test_unlabelled_documents_do_not_count() -> None:
    source, codes = _documents(40, {0: [(0, 2), (1, 30)], 4: [(0, 20), (1, 20)]})
    more = sparse.vstack([source, sparse.csr_matrix(np.ones((50, len(NAMES))))], format="csr")
    known = np.concatenate([codes, np.full(50, -1)])
    first, second = (
        word_sides(X, y, source, codes, ["no", "yes"], (NAMES, NAMES), 10)[0].points
        for X, y in ((source, codes), (more, known))
    )
    assert first == second


def test_several_classes_have_one_entry_each_and_a_class_without_documents_none() -> None:
    source, codes = _documents(30, {0: [(0, 2), (1, 25)]})
    codes = np.where(np.arange(60) % 3 == 2, 2, codes)
    found = word_sides(source, codes, source, codes, list("abcd"), (NAMES, NAMES), 10)
    assert [words.label for words in found] == ["a", "b", "c"]


def test_a_target_of_one_class_takes_no_side() -> None:
    source, codes = _documents(30, {0: [(0, 2), (1, 25)]})
    (words,) = word_sides(source, codes, source, np.zeros(60, int), ["a", "b"], (NAMES, NAMES), 10)
    assert [point.kind for point in words.points] == ["one"]


def test_two_spellings_are_shown_once() -> None:
    point = _points()[0]
    fields = {name: getattr(point, name) for name in point.__dataclass_fields__}
    assert (
        WordPoint(**{**fields, "word": "good", "target_word": "gut (good)"}).shown == "good / gut"
    )
    assert WordPoint(**{**fields, "word": "good", "target_word": "good"}).shown == "good"
    assert WordPoint(**{**fields, "word": "gut", "target_word": ""}).shown == "gut"
