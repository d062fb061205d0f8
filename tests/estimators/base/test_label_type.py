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


def problem_with(y):
    return make_problem(np.ones((len(y), 1)), y, np.zeros(len(y), int), labels_required=False)


@given(st.integers(2, 30), st.integers(0, 40), st.sampled_from([str, int, float, "S2"]))
def test_the_outcome_is_that_for_all_labels(n_classes, n_more, kind):
    y = (np.arange(n_classes + n_more) % n_classes).astype(kind)
    assert outcome(_check_label_type, problem_with(y)) == outcome(check_classification_targets, y)


@given(st.integers(2, 30), st.integers(0, 40))
def test_fractions_are_refused_as_in_scikit_learn_and_the_message_says_what_to_do(n_classes, more):
    y = np.arange(n_classes + more) % n_classes + 0.5
    kind, message, _ = outcome(_check_label_type, problem_with(y))
    assert kind is outcome(check_classification_targets, y)[0] is ValueError
    assert message == (
        "Unknown label type: numbers with fractions, such as 0.5. If they are classes, pass them "
        "as text, for example with .astype(str)."
    )
