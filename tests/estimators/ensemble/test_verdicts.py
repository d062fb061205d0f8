"""Decisions from the evidence."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus.estimators.base.verdict import CHECK_FIRST, USE
from isthmus.estimators.ensemble._verdicts import decide


@pytest.mark.parametrize(
    ("agreement", "cross_validation", "n_classes", "expected"),
    [
        (0.75, 0.99, 2, CHECK_FIRST),  # two classes that may be swapped
        (0.75, 0.9, 2, USE),  # the classes are hard to tell apart in the source too
        (0.9, 0.99, 2, USE),
        (0.75, 0.99, 3, USE),
        (0.75, np.nan, 2, USE),
    ],
)
def test_a_large_loss_of_agreement_between_two_classes_is_a_doubt(
    agreement, cross_validation, n_classes, expected
):
    decision = decide(
        0.8,
        np.full(n_classes, 1 / n_classes),
        agreement=agreement,
        cross_validation=cross_validation,
        may_be_swapped=False,
    )
    assert decision == expected
