"""Verdicts as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from isthmus.estimators.base.verdict import Interval, Verdict
from verdicts import make_verdict


@pytest.mark.parametrize("classes", [["a", "b", "c"], [1, 2], [0.5, 1.5], [False, True]])
def test_round_trip_through_json(classes: list[Any]) -> None:
    verdict = make_verdict("check first", classes)
    record = json.loads(json.dumps(verdict.to_dict(), allow_nan=False))
    assert Verdict.from_dict(record, classes) == verdict
    assert all(type(label) is type(classes[0]) for label in verdict.class_prior)


def test_rounding_errors_of_a_sum_are_accepted() -> None:
    for interval in (
        Interval(1 + 1e-12, -1e-12, 1 + 1e-12),
        Interval(0.3, 0.3 + 1e-12, 0.3 + 1e-12),
        Interval(0.3, 0.3 + 1e-12, 0.3 - 1e-12),
    ):
        record = interval.to_dict()
        assert Interval.from_dict(record).to_dict() == record


def change(*keys: str, to: Any) -> Callable[[dict[str, Any]], None]:
    def edit(record: dict[str, Any]) -> None:
        for key in keys[:-1]:
            record = record[key]
        record[keys[-1]] = to

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (change("decision", to="Use"), "decision"),
        (change("decision", to=["use"]), "decision"),
        (change("evil", to=1), "verdict has other fields"),
        (lambda record: record.pop("reasons"), "verdict has other fields"),
        (change("accuracy", to=None), "interval has other fields"),
        (change("accuracy", "evil", to=1), "interval has other fields"),
        (change("accuracy", "value", to=1.5), "'1.5' where a number from 0 to 1"),
        (change("accuracy", "value", to=True), "number from 0 to 1"),
        (change("accuracy", "value", to="0.5"), "number from 0 to 1"),
        (change("accuracy", "low", to=float("nan")), "number from 0 to 1"),
        (change("accuracy", "low", to=float("-inf")), "number from 0 to 1"),
        (change("accuracy", "low", to=0.9), "begins at 0.9 and ends at 0.66"),
        (change("accuracy", "value", to=0.4), "estimate 0.4 .* outside its interval, 0.5 to 0.66"),
        (change("accuracy", "value", to=0.7), "estimate 0.7 .* outside its interval, 0.5 to 0.66"),
        (change("class_prior", "positive", "value", to=0.9), "outside its interval"),
        (change("source_only_accuracy", to=[]), "interval has other fields"),
        (change("class_prior", to=[]), "class proportions"),
        (change("class_prior", "other", to={}), "class proportions"),
        (change("class_prior", to={}), "class proportions"),
        (lambda record: record["class_prior"].pop("positive"), "class proportions"),
        (change("source_prior", to={}), "class proportions"),
        (lambda record: record["source_prior"].pop("negative"), "class proportions"),
        (change("class_prior", "positive", to=0.5), "interval has other fields"),
        (change("source_prior", "other", to=0.1), "class proportions"),
        (change("source_prior", "positive", to=-1), "number from 0 to 1"),
        (change("source_prior", "positive", to=10**400), "number from 0 to 1"),
        (change("reasons", to="one"), "reasons"),
        (change("reasons", to=[1]), "reasons"),
        (change("reasons", to=["x"] * 101), "reasons"),
        (change("reasons", to=["x" * 2001]), "reasons"),
    ],
)
def test_other_records_are_refused(edit: Callable[[dict[str, Any]], None], message: str) -> None:
    record = make_verdict().to_dict()
    edit(record)
    with pytest.raises(ValueError, match=message):
        Verdict.from_dict(record, ["negative", "positive"])


@pytest.mark.parametrize("record", [None, [], "use", 1, {}])
def test_records_that_are_no_dict_are_refused(record: Any) -> None:
    with pytest.raises(ValueError, match="verdict has other fields"):
        Verdict.from_dict(record, ["negative", "positive"])
