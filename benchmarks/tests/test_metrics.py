"""Metrics: reading, printing and comparing values."""

from __future__ import annotations

import pytest

from isthmus_bench.plan.metrics import METRICS

ERROR, ACCURACY, NMI = (METRICS[name] for name in ("error", "accuracy", "NMI (geometric)"))


def test_the_error_is_one_minus_the_accuracy() -> None:
    # The field "error" of a result says why a run failed.
    record = {"accuracy": 0.929, "error": None}
    assert ERROR.read(record) == pytest.approx(0.071)
    assert ACCURACY.read(record) == pytest.approx(92.9)
    assert NMI.read(record) is None


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0708, ".071"), (0.0, ".000"), (1.0, "1.000"), (None, "-")]
)
def test_proportions_are_printed_as_in_papers(value: float | None, shown: str) -> None:
    assert ERROR.show(value) == NMI.show(value) == shown


def test_per_cent_have_two_digits() -> None:
    assert (ACCURACY.show(92.01), ACCURACY.show(None)) == ("92.01", "-")


def test_smaller_errors_are_better() -> None:
    assert ERROR.margin(0.1, 0.3) == pytest.approx(0.2)
    assert ACCURACY.margin(90, 70) == 20
    assert [ERROR.collapsed(value) for value in (0.4, 0.5, 0.6)] == [False, False, True]
    assert [ACCURACY.collapsed(value) for value in (40, 50, 60)] == [True, False, False]
    assert not NMI.collapsed(0.0)
    assert (ERROR.beyond_half, ACCURACY.beyond_half) == ("above .500", "below 50 %")
