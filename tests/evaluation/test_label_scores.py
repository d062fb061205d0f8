"""evaluate_labels, the Wilson interval and the McNemar test."""

from __future__ import annotations

import json
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.evaluation.accuracy import accuracy_with_interval, mcnemar_test
from isthmus.evaluation.label_scores import Evaluation, evaluate_labels

NORMAL_QUANTILE = 1.959963984540054


def test_wilson_interval_of_8_out_of_10():
    accuracy = accuracy_with_interval(8, 10)
    z2 = NORMAL_QUANTILE**2
    middle = (0.8 + z2 / 20) / (1 + z2 / 10)
    half = NORMAL_QUANTILE * sqrt(0.8 * 0.2 / 10 + z2 / 400) / (1 + z2 / 10)
    assert (accuracy.value, accuracy.n_correct, accuracy.n_documents) == (0.8, 8, 10)
    assert accuracy.low == pytest.approx(middle - half)
    assert accuracy.high == pytest.approx(middle + half)
    assert (accuracy.low, accuracy.high) == pytest.approx((0.4902, 0.9433), abs=5e-5)


def test_mcnemar_of_1_against_9():
    # Both tails of the binomial distribution: 2 (1 + 10) / 2^10.
    comparison = mcnemar_test(n_both=5, n_corrected=9, n_broken=1, n_documents=20)
    assert comparison.p_value == pytest.approx(22 / 1024)
    assert comparison.difference == pytest.approx(8 / 20)
    assert comparison.source_only.n_correct == 6


@pytest.mark.parametrize("each", [0, 1, 4])
def test_mcnemar_of_equal_counts_is_not_significant(each: int):
    comparison = mcnemar_test(n_both=1, n_corrected=each, n_broken=each, n_documents=10)
    assert (comparison.difference, comparison.p_value) == (0, pytest.approx(1))


def three_classes() -> Evaluation:
    truth = ["a"] * 4 + ["b"] * 3 + ["c"] * 3
    predicted = ["a", "a", "a", "b", "b", "b", "a", "b", "b", "a"]
    return evaluate_labels(truth, predicted)


def test_three_classes_one_of_them_never_predicted():
    evaluation = three_classes()
    assert evaluation.classes == ("a", "b", "c")
    assert evaluation.confusion == ((3, 1, 0), (1, 2, 0), (1, 2, 0))
    assert (evaluation.accuracy.n_correct, evaluation.n_documents, evaluation.n_without_truth) == (
        5,
        10,
        0,
    )
    a, b, c = evaluation.per_class
    assert (a.support, a.n_predicted) == (4, 5)
    assert (a.precision, a.recall, a.f1) == pytest.approx((3 / 5, 3 / 4, 2 / 3))
    assert (b.precision, b.recall, b.f1) == pytest.approx((2 / 5, 2 / 3, 1 / 2))
    # c was never predicted, so its precision is undefined.
    assert (c.precision, c.recall, c.f1) == (None, 0, 0)
    assert evaluation.macro.precision is None
    assert evaluation.macro.recall == pytest.approx((3 / 4 + 2 / 3 + 0) / 3)
    assert evaluation.macro.f1 == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)


def test_a_class_that_is_never_true_has_no_recall_and_is_excluded_from_averages():
    evaluation = evaluate_labels(["a", "a", "b", "b"], ["a", "x", "b", "b"])
    x = evaluation.per_class[-1]
    assert (x.label, x.support, x.precision, x.recall, x.f1) == ("x", 0, 0, None, 0)
    assert evaluation.macro.precision == 1
    assert evaluation.macro.recall == pytest.approx((1 / 2 + 1) / 2)


def test_all_correct():
    evaluation = evaluate_labels([0, 1, 1], [0, 1, 1])
    assert evaluation.accuracy.value == evaluation.accuracy.high == 1
    assert 0 < evaluation.accuracy.low < 1
    assert evaluation.macro.precision == evaluation.macro.recall == evaluation.macro.f1 == 1


def test_a_single_class():
    evaluation = evaluate_labels(["a", "a"], ["a", "a"])
    assert evaluation.classes == ("a",)
    assert evaluation.confusion == ((2,),)


def test_documents_without_true_label_are_excluded():
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


def test_comparison_with_source_only():
    truth = ["a"] * 10
    predicted = ["a"] * 8 + ["b", "b"]
    source_only = ["b"] * 5 + ["a"] * 3 + ["a", "c"]
    comparison = evaluate_labels(truth, predicted, source_only).comparison
    assert comparison is not None
    assert (comparison.n_corrected, comparison.n_broken) == (5, 1)
    assert comparison.source_only == accuracy_with_interval(4, 10)
    assert comparison.difference == pytest.approx(0.4)
    assert comparison.p_value == pytest.approx(2 * (1 + 6) / 2**6)


def test_confidence_is_divided_into_quarters():
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
    assert [part.accuracy.n_correct for part in bins] == [0, 1, 1, 2]
    assert bins[0].mean_confidence == pytest.approx(0.15)


def test_equal_confidence_is_in_one_bin():
    confidence = [1.0] * 9 + [0.5]
    bins = evaluate_labels(["a"] * 10, ["a"] * 9 + ["b"], confidence=confidence).confidence_bins
    assert bins is not None
    assert [part.accuracy.n_documents for part in bins] == [1, 9]
    assert [part.accuracy.value for part in bins] == [0, 1]


def test_confidence_above_1_by_rounding():
    bins = evaluate_labels(["a"], ["a"], confidence=[1 + 1e-9]).confidence_bins
    assert bins is not None
    assert bins[0].highest == 1


def test_documents_without_a_predicted_label_count_as_abstentions():
    truth = ["a", "a", "b", "b", None]
    predicted = ["a", None, "a", "b", None]
    source_only, confidence = ["a"] * 5, [0.9, 0.5, 0.8, 0.7, 0.6]
    evaluation = evaluate_labels(truth, predicted, source_only, confidence)
    counts = evaluation.n_documents, evaluation.n_abstained, evaluation.n_without_truth
    assert counts == (3, 1, 1)
    assert evaluation.coverage == 0.75
    labeled = evaluate_labels(
        *([values[k] for k in (0, 2, 3)] for values in (truth, predicted, source_only, confidence))
    )
    assert evaluation.accuracy == labeled.accuracy
    assert evaluation.per_class == labeled.per_class
    assert evaluation.comparison == labeled.comparison
    assert evaluation.confidence_bins == labeled.confidence_bins
    assert (labeled.n_abstained, labeled.coverage) == (0, 1.0)


def test_to_dict_returns_python_values():
    evaluation = evaluate_labels(np.array([1, -1]), np.array([1, 1]), np.array([-1, 1]), np.ones(2))
    assert json.loads(json.dumps(evaluation.to_dict(), allow_nan=False)) == evaluation.to_dict()
    assert evaluation.to_dict()["classes"] == [-1, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], []), "None of the 0 documents has a true label"),
        (([None, None], ["a", "b"]), "None of the 2 documents has a true label"),
        ((["a", "b"], ["a"]), "predicted has 1 values but truth has 2"),
        ((["a"], ["a"], ["a", "b"]), "source_only has 2 values but truth has 1"),
        ((["a"], ["a"], None, [0.5, 0.5]), "confidence has 2 values but truth has 1"),
        ((["a", "b", None], [None, None, "a"]), "None of the 2 documents with a true label"),
        ((["a", "b"], ["a", "b"], ["a", None]), "source_only has no label at position 1"),
        ((["a", "b"], [1, 2]), "true labels .* type str, .* type int"),
        ((["a", "b"], ["a", "b"], None, [0.5, 70.0]), "confidence is 70.0 at position 1"),
        ((["a", "b"], ["a", "b"], None, [0.5, float("nan")]), "confidence is nan at position 1"),
    ],
)
def test_invalid_arguments(arguments: tuple[object, ...], message: str):
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
def test_counts_are_consistent(documents):
    evaluation = evaluate_labels(*zip(*documents, strict=True))
    confusion = np.array(evaluation.confusion)
    n = evaluation.n_documents
    assert n == len(documents) == confusion.sum()
    assert evaluation.accuracy.value == pytest.approx(np.trace(confusion) / n)
    assert [scores.support for scores in evaluation.per_class] == confusion.sum(axis=1).tolist()
    assert [scores.n_predicted for scores in evaluation.per_class] == confusion.sum(axis=0).tolist()
    assert (
        0 <= evaluation.accuracy.low <= evaluation.accuracy.value <= evaluation.accuracy.high <= 1
    )
    comparison = evaluation.comparison
    source_only = comparison.source_only
    n_gained = evaluation.accuracy.n_correct - source_only.n_correct
    assert n_gained == comparison.n_corrected - comparison.n_broken
    assert comparison.difference == pytest.approx(evaluation.accuracy.value - source_only.value)
    assert 0 < comparison.p_value <= 1
    bins = evaluation.confidence_bins
    assert 1 <= len(bins) <= 4
    assert sum(part.accuracy.n_documents for part in bins) == n
    assert sum(part.accuracy.n_correct for part in bins) == evaluation.accuracy.n_correct
    ends = [end for part in bins for end in (part.lowest, part.highest)]
    assert ends == sorted(ends)


@given(Documents, st.randoms(use_true_random=False))
def test_the_order_of_the_documents_has_no_influence(documents, random):
    shuffled = random.sample(documents, len(documents))
    assert evaluate_labels(*zip(*shuffled, strict=True)) == evaluate_labels(
        *zip(*documents, strict=True)
    )


@given(Documents)
def test_the_names_of_the_classes_have_no_influence(documents):
    truth, predicted, source_only, confidence = zip(*documents, strict=True)
    evaluation = evaluate_labels(truth, predicted, source_only, confidence)
    renamed = evaluate_labels(*([ord(label) for label in labels] for labels in (truth, predicted)))
    assert renamed.confusion == evaluation.confusion
    assert renamed.macro == evaluation.macro
