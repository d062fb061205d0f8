"""Labeled rows and the encoding of classes."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from isthmus.domains.labels import code_labels, distinct, with_labels
from isthmus.domains.model import count_classes
from isthmus.domains.parse import make_problem, read_sample_domain

U = -1  # the code of an unlabeled row


@pytest.mark.parametrize(
    ("y", "missing", "codes", "classes"),
    [
        ([0, 1, -1], -1, [0, 1, U], [0, 1]),
        (["a", "b", -1], -1, [0, 1, U], ["a", "b"]),
        (np.array(["a", "b", "-1"]), -1, [0, 1, U], ["a", "b"]),
        (["a", "b", None], -1, [0, 1, U], ["a", "b"]),
        (["a", "?", "b"], "?", [0, U, 1], ["a", "b"]),
        ([1, -1, 1], -1, [1, 0, 1], [-1, 1]),
        ([1, -1, None], -1, [1, 0, U], [-1, 1]),
        ([1.0, -1.0, np.nan], -1, [1, 0, U], [-1, 1]),
        ([-1, 0, 1], None, [0, 1, 2], [-1, 0, 1]),
        ([-1, 0, 1, None], None, [0, 1, 2, U], [-1, 0, 1]),
        ([0, 1, 9], 9, [0, 1, U], [0, 1]),
        ([True, False, None], -1, [1, 0, U], [False, True]),
        (pd.Series(["a", pd.NA, "b"], dtype="string"), -1, [0, U, 1], ["a", "b"]),
        (pd.Series(["a", None, "b"], dtype="category"), -1, [0, U, 1], ["a", "b"]),
        (pd.Series([1, pd.NA, 0], dtype="Int64"), -1, [1, U, 0], [0, 1]),
    ],
)
def test_codes_and_classes(y, missing, codes, classes):
    actual_codes, actual_classes = code_labels(y, missing, None)
    assert actual_codes.tolist() == codes
    assert actual_classes.tolist() == classes


def test_two_values_are_classes_unless_the_mark_is_exactly_the_target():
    y = np.array([1, 1, -1, -1])
    exactly = np.array([False, False, True, True])
    with pytest.raises(ValueError, match="missing_label=None"):
        code_labels(y, -1, exactly)
    assert code_labels(y, None, exactly)[0].tolist() == [1, 1, 0, 0]
    partly = np.array([False, False, False, True])
    assert code_labels(y, -1, partly)[0].tolist() == [1, 1, 0, 0]


def test_domains_are_split_and_gathered():
    X = np.arange(12.0).reshape(6, 2)
    numbers = [3, -2, 0, -1, 3, 0]
    problem = make_problem(X, [0, None, 1, None, 1, None], numbers)
    assert [domain.number for domain in problem.domains] == [0, 3, -1, -2]
    assert [domain.is_target for domain in problem.domains] == [False, False, True, True]
    parts = [domain.documents.times(np.eye(2)) for domain in problem.domains]
    np.testing.assert_array_equal(problem.gather(parts), X)
    np.testing.assert_allclose(problem.class_prior(), [1 / 3, 2 / 3])


@pytest.mark.parametrize("mark", [-1, -1.0, np.int64(-1)])
def test_the_rule_for_minus_one_does_not_depend_on_the_type_of_the_mark(mark):
    assert code_labels([1, -1, 1], mark, None)[0].tolist() == [1, 0, 1]


@pytest.mark.parametrize("value", [date(2026, 1, 1), ("a", 1)])
def test_labels_of_other_types_are_rejected(value):
    with pytest.raises(ValueError, match=rf"type {type(value).__name__}, .* text or all numbers"):
        code_labels([value, value], -1, None)


@pytest.mark.parametrize("numbers", [[0.0, -np.inf], [0, None], ["0", "-1"], [0, -0.5]])
def test_domains_that_are_not_integers(numbers):
    with pytest.raises(ValueError, match="not integers"):
        read_sample_domain(numbers, 2)


def test_integers_of_any_type():
    for numbers in (np.array([0, -1], object), [0.0, -1.0], np.array([0, -1], np.int8)):
        assert read_sample_domain(numbers, 2).tolist() == [0, -1]


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_minus_one_and_none_together_warn(missing):
    with pytest.warns(UserWarning, match="missing_label=None"):
        codes, classes = code_labels([-1, 0, 1, missing], -1, None)
    assert codes.tolist() == [U, 0, 1, U]
    assert classes.tolist() == [0, 1]


def assert_same_as_numpy(values):
    expected = np.unique(values, return_inverse=True)
    for ours, theirs in zip(distinct(values), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


@given(
    npst.arrays(
        st.sampled_from([np.bool_, np.int8, np.uint8, np.int64, np.uint64, np.float64, "U2"]),
        st.integers(0, 40),
    )
)
def test_distinct_values_are_those_of_numpy(values):
    values = values[values == values]  # NaN is no label
    assert_same_as_numpy(values)


@pytest.mark.parametrize("dtype", [np.int8, np.int64])
@pytest.mark.parametrize("limit", ["min", "max"])
def test_distinct_integers_at_the_limits_of_their_type(dtype, limit):
    end = getattr(np.iinfo(dtype), limit)
    step = 1 if limit == "min" else -1
    values = np.array([end, end + 3 * step] * 300, dtype)
    assert_same_as_numpy(values)


@pytest.mark.parametrize("codes", [[0, 1, 0], [U, U, U], [1, U, 0]])
def test_labeled_rows_get_the_memberships_of_their_class(codes):
    memberships = np.full((3, 2), 0.25, np.float32)
    of_class = np.array([[0.9, 0.1], [0.2, 0.8]])
    expected = [[0.25, 0.25] if code == U else of_class[code] for code in codes]
    result = with_labels(memberships, np.array(codes), of_class)
    np.testing.assert_array_equal(result, np.array(expected, np.float32), strict=True)
    result[:] = 0
    assert (memberships == 0.25).all()


def test_unlabeled_rows_are_not_counted():
    assert count_classes(np.array([2, U, 0, 2]), 4).tolist() == [1, 0, 2, 0]
    assert count_classes(np.array([U, U]), 2).tolist() == [0, 0]


@pytest.mark.parametrize("numbers", [[0, 0, -1, -1], [-1, 0, 0, -1], [0, -1, 0, -1]])
def test_consecutive_rows_are_a_slice(numbers):
    problem = make_problem(np.eye(4), [0 if n < 0 else i for i, n in enumerate(numbers)], numbers)
    for domain in problem.domains:
        positions = np.flatnonzero(np.array(numbers) == domain.number)
        assert np.arange(4)[domain.rows].tolist() == positions.tolist()
        assert isinstance(domain.rows, slice) == (np.ptp(positions) == 1)


def test_the_mask_of_labeled_rows_is_shared_and_cannot_be_changed():
    problem = make_problem(np.eye(3), [0, 1, None], [0, 0, -1])
    labeled = problem.domains[0].labeled
    assert labeled is problem.domains[0].labeled
    with pytest.raises(ValueError, match="read-only"):
        labeled[0] = False
