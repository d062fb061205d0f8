"""Evaluations with known answers, and what must hold for any labels."""

from __future__ import annotations

import json
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.evaluation.proportions import compare, measure
from isthmus.evaluation.report import Evaluation, evaluate_labels

NORMAL_QUANTILE = 1.959963984540054


def test_wilson_interval_of_8_out_of_10():
    accuracy = measure(8, 10)
    z2 = NORMAL_QUANTILE**2
    middle = (0.8 + z2 / 20) / (1 + z2 / 10)
    half = NORMAL_QUANTILE * sqrt(0.8 * 0.2 / 10 + z2 / 400) / (1 + z2 / 10)
    assert (accuracy.value, accuracy.right, accuracy.n_documents) == (0.8, 8, 10)
    assert accuracy.low == pytest.approx(middle - half)
    assert accuracy.high == pytest.approx(middle + half)
    assert (accuracy.low, accuracy.high) == pytest.approx((0.4902, 0.9433), abs=5e-5)


def test_mcnemar_of_1_against_9():
    # Two tails of the fair coin: 2 (1 + 10) / 2^10.
    comparison = compare(both=5, put_right=9, broken=1, n_documents=20)
    assert comparison.p_value == pytest.approx(22 / 1024)
    assert comparison.difference == pytest.approx(8 / 20)
    assert comparison.source_only.right == 6


@pytest.mark.parametrize("each", [0, 1, 4])
def test_mcnemar_of_an_even_count_is_sure_of_nothing(each: int):
    comparison = compare(both=1, put_right=each, broken=each, n_documents=10)
    assert (comparison.difference, comparison.p_value) == (0, pytest.approx(1))


def three_classes() -> Evaluation:
    truth = ["a"] * 4 + ["b"] * 3 + ["c"] * 3
    predicted = ["a", "a", "a", "b", "b", "b", "a", "b", "b", "a"]
    return evaluate_labels(truth, predicted)


def test_three_classes_one_of_them_never_predicted():
    found = three_classes()
    assert found.classes == ("a", "b", "c")
    assert found.confusion == ((3, 1, 0), (1, 2, 0), (1, 2, 0))
    assert (found.accuracy.right, found.n_documents, found.n_without_truth) == (5, 10, 0)
    a, b, c = found.per_class
    assert (a.support, a.n_predicted) == (4, 5)
    assert (a.precision, a.recall, a.f1) == pytest.approx((3 / 5, 3 / 4, 2 / 3))
    assert (b.precision, b.recall, b.f1) == pytest.approx((2 / 5, 2 / 3, 1 / 2))
    # Nothing was called c, so no share of that can be right.
    assert (c.precision, c.recall, c.f1) == (None, 0, 0)
    assert found.macro.precision is None
    assert found.macro.recall == pytest.approx((3 / 4 + 2 / 3 + 0) / 3)
    assert found.macro.f1 == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)


def test_a_class_that_is_never_true_has_no_recall_and_is_not_averaged():
    found = evaluate_labels(["a", "a", "b", "b"], ["a", "x", "b", "b"])
    x = found.per_class[-1]
    assert (x.label, x.support, x.precision, x.recall, x.f1) == ("x", 0, 0, None, 0)
    assert found.macro.precision == 1
    assert found.macro.recall == pytest.approx((1 / 2 + 1) / 2)


def test_all_right():
    found = evaluate_labels([0, 1, 1], [0, 1, 1])
    assert found.accuracy.value == found.accuracy.high == 1
    assert 0 < found.accuracy.low < 1
    assert found.macro.precision == found.macro.recall == found.macro.f1 == 1


def test_a_single_class():
    found = evaluate_labels(["a", "a"], ["a", "a"])
    assert found.classes == ("a",)
    assert found.confusion == ((2,),)


def test_documents_without_truth_are_left_out_of_everything():
    with_gaps = evaluate_labels(
        ["a", None, "b", "b", None],
        ["a", "b", "a", "b", None],
        source_only=["b", "a", "a", "b", "a"],
        confidence=[0.9, float("nan"), 0.6, 0.8, 2.0],
    )
    without = evaluate_labels(
        ["a", "b", "b"], ["a", "a", "b"], source_only=["b", "a", "b"], confidence=[0.9, 0.6, 0.8]
    )
    assert with_gaps.n_without_truth == 2
    assert with_gaps.to_dict() == without.to_dict() | {"n_without_truth": 2}


def test_comparison_with_the_source_alone():
    truth = ["a"] * 10
    predicted = ["a"] * 8 + ["b", "b"]
    source_only = ["b"] * 5 + ["a"] * 3 + ["a", "c"]
    comparison = evaluate_labels(truth, predicted, source_only).comparison
    assert comparison is not None
    assert (comparison.put_right, comparison.broken) == (5, 1)
    assert comparison.source_only == measure(4, 10)
    assert comparison.difference == pytest.approx(0.4)
    assert comparison.p_value == pytest.approx(2 * (1 + 6) / 2**6)


def test_confidence_is_cut_into_quarters():
    confidence = np.arange(1, 9) / 10
    predicted = ["b", "b", "b", "a", "b", "a", "a", "a"]
    bins = evaluate_labels(["a"] * 8, predicted, confidence=confidence).confidence_bins
    assert bins is not None
    assert [(part.lowest, part.highest) for part in bins] == [
        (0.1, 0.2),
        (0.3, 0.4),
        (0.5, 0.6),
        (0.7, 0.8),
    ]
    assert [part.accuracy.right for part in bins] == [0, 1, 1, 2]
    assert bins[0].mean_confidence == pytest.approx(0.15)


def test_equal_confidence_stays_together():
    confidence = [1.0] * 9 + [0.5]
    bins = evaluate_labels(["a"] * 10, ["a"] * 9 + ["b"], confidence=confidence).confidence_bins
    assert bins is not None
    assert [part.accuracy.n_documents for part in bins] == [1, 9]
    assert [part.accuracy.value for part in bins] == [0, 1]


def test_a_rounding_error_above_1_is_forgiven():
    bins = evaluate_labels(["a"], ["a"], confidence=[1 + 1e-9]).confidence_bins
    assert bins is not None
    assert bins[0].highest == 1


def test_arrays_and_numbers_come_back_as_plain_values():
    found = evaluate_labels(np.array([1, -1]), np.array([1, 1]), np.array([-1, 1]), np.ones(2))
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()
    assert found.to_dict()["classes"] == [-1, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], []), "None of the 0 documents has a true label"),
        (([None, None], ["a", "b"]), "None of the 2 documents has a true label"),
        ((["a", "b"], ["a"]), "predicted has 1 values and truth has 2"),
        ((["a"], ["a"], ["a", "b"]), "source_only has 2 values and truth has 1"),
        ((["a"], ["a"], None, [0.5, 0.5]), "confidence has 2 values and truth has 1"),
        ((["a", "b"], ["a", None]), "predicted has no label at position 1"),
        ((["a", "b"], ["a", "b"], ["a", None]), "source_only has no label at position 1"),
        ((["a", "b"], [1, 2]), "true labels are of the type str, the predicted ones .* type int"),
        ((["a", "b"], ["a", "b"], None, [0.5, 70.0]), "confidence is 70.0 at position 1"),
        ((["a", "b"], ["a", "b"], None, [0.5, float("nan")]), "confidence is nan at position 1"),
    ],
)
def test_wrong_input_is_refused_in_one_sentence(arguments: tuple[object, ...], message: str):
    with pytest.raises(ValueError, match=message):
        evaluate_labels(*arguments)  # type: ignore[arg-type]


Document = st.tuples(
    st.sampled_from("abc"),
    st.sampled_from("abcd"),
    st.sampled_from("abc"),
    st.floats(0, 1) | st.just(1.0),
)
Documents = st.lists(Document, min_size=1, max_size=40)


@given(Documents)
def test_counts_agree_with_each_other(documents):
    found = evaluate_labels(*zip(*documents, strict=True))
    confusion = np.array(found.confusion)
    n = found.n_documents
    assert n == len(documents) == confusion.sum()
    assert found.accuracy.value == pytest.approx(np.trace(confusion) / n)
    assert [scores.support for scores in found.per_class] == confusion.sum(axis=1).tolist()
    assert [scores.n_predicted for scores in found.per_class] == confusion.sum(axis=0).tolist()
    assert 0 <= found.accuracy.low <= found.accuracy.value <= found.accuracy.high <= 1
    comparison = found.comparison
    before = comparison.source_only
    assert found.accuracy.right - before.right == comparison.put_right - comparison.broken
    assert comparison.difference == pytest.approx(found.accuracy.value - before.value)
    assert 0 < comparison.p_value <= 1
    bins = found.confidence_bins
    assert 1 <= len(bins) <= 4
    assert sum(part.accuracy.n_documents for part in bins) == n
    assert sum(part.accuracy.right for part in bins) == found.accuracy.right
    ends = [end for part in bins for end in (part.lowest, part.highest)]
    assert ends == sorted(ends)


@given(Documents, st.randoms(use_true_random=False))
def test_the_order_of_the_documents_changes_nothing(documents, random):
    shuffled = random.sample(documents, len(documents))
    assert evaluate_labels(*zip(*shuffled, strict=True)) == evaluate_labels(
        *zip(*documents, strict=True)
    )


@given(Documents)
def test_the_names_of_the_classes_change_nothing_but_names(documents):
    truth, predicted, source_only, confidence = zip(*documents, strict=True)
    found = evaluate_labels(truth, predicted, source_only, confidence)
    renamed = evaluate_labels(*([ord(label) for label in labels] for labels in (truth, predicted)))
    assert renamed.confusion == found.confusion
    assert renamed.macro == found.macro
