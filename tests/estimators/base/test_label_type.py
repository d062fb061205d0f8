"""The check of the labels reads a few rows, with the result for all rows."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.multiclass import check_classification_targets

from isthmus.domains.parse import make_problem
from isthmus.estimators.base.classifier import _check_label_type


def outcome(check, *arguments):
    """The error and the warnings of a check."""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        try:
            check(*arguments)
        except (TypeError, ValueError) as error:
            return type(error), str(error), []
    return None, "", [str(warning.message) for warning in raised]


@given(st.integers(2, 30), st.integers(0, 40), st.sampled_from([str, int, float, "half", "bytes"]))
def test_the_outcome_is_that_for_all_labels(n_classes, n_more, kind):
    numbers = np.arange(n_classes + n_more) % n_classes
    conversions = {"half": lambda: numbers + 0.5, "bytes": lambda: numbers.astype("S2")}
    y = conversions[kind]() if kind in conversions else numbers.astype(kind)
    problem = make_problem(np.ones((len(y), 1)), y, np.zeros(len(y), int), labels_required=False)
    assert outcome(_check_label_type, problem) == outcome(check_classification_targets, y)
