"""The paired test of labels, against values computed by hand."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from isthmus import paired_test

TRUTH = np.array(["x"] * 20)


def labels(correct: str) -> np.ndarray:
    """Return labels that are correct where there is a 1."""
    return np.array(["x" if bit == "1" else "y" for bit in correct])


def test_mcnemar() -> None:
    first = labels("11111111" + "00" + "1111100000")
    second = labels("00000000" + "11" + "1111100000")
    result = paired_test(TRUTH, first, second)
    assert (result.first_only, result.second_only, result.n_documents) == (8, 2, 20)
    assert result.difference == pytest.approx(6 / 20)
    assert result.p_value == pytest.approx(2 * sum(comb(10, k) for k in range(3)) / 2**10)
    swapped = paired_test(TRUTH, second, first)
    assert (swapped.difference, swapped.p_value) == (-result.difference, result.p_value)


def test_different_errors_are_equal() -> None:
    result = paired_test([0, 1, 2], [1, 1, 2], [2, 1, 2])
    assert (result.difference, result.first_only, result.second_only, result.p_value) == (
        0,
        0,
        0,
        1,
    )


def test_labels_of_different_types_are_different() -> None:
    assert paired_test(["0", "1"], [0, 1], ["0", "1"]).second_only == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([], [], []), "0, 0, 0 labels"),
        (([1, 2], [1, 2], [1]), "2, 2, 1 labels"),
        (([1, 2], [[1, 2]], [1, 2]), r"first has the shape \(1, 2\)"),
    ],
)
def test_invalid_labels(given: tuple[list[int], ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        paired_test(*given)
