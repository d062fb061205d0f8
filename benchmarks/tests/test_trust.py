"""Calibration, estimates and verdicts: what results contain, and the tables of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fake_auto import FAKE
from isthmus_bench.peers import registry
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.plan.trust import (
    TRUST_FIELDS,
    calibration_error,
    calibration_fields,
    surest_accuracy,
    total_variation,
)
from isthmus_bench.report.build import build_report
from isthmus_bench.report.trust import TrustedRun
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import ResultFile, record_key
from isthmus_bench.run.worker import execute
from tiny_suite import TINY, table_rows

SUITE = (
    TINY.replace("[text]", 'source_only = ["lg"]\nmetrics = ["accuracy", "macro F1"]\n[text]')
    + """
[[entries]]
id = "auto"
label = "auto"
method = "fake-auto"
weighting = "log-tfidf"
"""
)


@pytest.fixture(autouse=True)
def fake_method(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.COMPETITORS, FAKE.name, FAKE)


def test_calibration_error_by_hand() -> None:
    confidence = np.array([0.95, 0.95, 0.95, 0.95, 0.55, 0.55])
    correct = np.array([True, True, True, False, True, False])
    # Two bins: |0.95 - 0.75| for four documents, |0.55 - 0.5| for two.
    assert calibration_error(confidence, correct) == pytest.approx((4 * 0.2 + 2 * 0.05) / 6)
    assert calibration_error(np.ones(3), np.ones(3, bool)) == 0.0
    assert calibration_error(np.ones(3), np.zeros(3, bool)) == 1.0


def test_surest_half() -> None:
    confidence = np.array([0.9, 0.8, 0.7, 0.6])
    correct = np.array([True, True, False, False])
    assert surest_accuracy(confidence, correct, 0.5) == 1.0
    assert surest_accuracy(confidence[::-1], correct, 0.5) == 0.0
    # The order of equal confidences does not matter.
    assert surest_accuracy(np.ones(4), correct, 0.5) == 0.5
    assert surest_accuracy(np.array([0.9, 0.5, 0.5, 0.5]), correct, 0.5) == pytest.approx(2 / 3)
    assert surest_accuracy(np.array([0.9]), np.array([True]), 0.5) == 1.0


def test_probabilities_that_are_not_finite_are_left_out() -> None:
    classes, labels = np.array([0, 1]), np.array([0, 1])
    assert calibration_fields(np.array([[np.nan, 1], [0, 1]]), classes, labels, labels) == {}
    fields = calibration_fields(np.eye(2), classes, labels, labels)
    assert fields == {
        "calibration_error": 0.0,
        "surest_quarter_accuracy": 1.0,
        "surest_half_accuracy": 1.0,
        "surest_three_quarters_accuracy": 1.0,
    }


def test_total_variation() -> None:
    assert total_variation({"a": 0.5, "b": 0.5}, {"a": 1.0}) == 0.5
    assert total_variation({"a": 1.0}, {"b": 1.0}) == 1.0


def records_of(suite: Suite, **changes: Any) -> dict[str, Any]:
    records = {}
    for run in plan_runs(suite, Choice()):
        record = execute(run)
        assert record["error"] is None
        if run.entry.id == "auto":
            record |= changes
        records[record_key(record)] = record
    return records


def test_a_result_has_the_estimates_of_a_verdict() -> None:
    run = plan_runs(parse_suite(SUITE, "t"), Choice(methods=("auto",)))[0]
    record = execute(run)
    # Half of the target documents belong to each class, and all get the first one.
    assert record["accuracy"] == 0.5
    estimates = {name: record[name] for name in TRUST_FIELDS}
    assert estimates == {
        "calibration_error": 0.25,
        "surest_quarter_accuracy": 0.5,
        "surest_half_accuracy": 0.5,
        "surest_three_quarters_accuracy": 0.5,
        "estimated_accuracy": 0.7,
        "estimated_low": 0.45,
        "estimated_high": 0.9,
        "source_only_estimate": 0.6,
        "verdict": "use",
        "prior_error": 0.0,
        "source_prior_error": 0.5,
    }


def test_every_classifier_has_its_calibration() -> None:
    run = plan_runs(parse_suite(SUITE, "t"), Choice(methods=("lg",)))[0]
    record = execute(run)
    assert 0 <= record["calibration_error"] <= 1
    assert record["surest_half_accuracy"] >= record["accuracy"]
    assert "verdict" not in record


def test_results_with_a_damaged_estimate_are_refused(tmp_path: Path) -> None:
    run = plan_runs(parse_suite(SUITE, "t"), Choice(methods=("auto",)))[0]
    record = execute(run)
    for name, value in (("verdict", "perhaps"), ("prior_error", "much")):
        file = ResultFile(tmp_path / f"{name}.jsonl")
        file.append({**record, name: value})
        with pytest.raises(ValueError, match="is not a result"):
            file.read()


def test_bad_problems() -> None:
    assert TrustedRun(0.7, 0.8, {}).is_bad
    assert TrustedRun(0.59, 0.5, {}).is_bad
    assert TrustedRun(0.59, None, {}).is_bad
    assert not TrustedRun(0.7, 0.7, {}).is_bad
    assert not TrustedRun(0.7, None, {}).is_bad


def blocks_after(suite: Suite, records: dict[str, Any], title: str) -> list[str]:
    section = build_report([(suite, records)]).sections[-1]
    texts = [block for block in section.blocks if isinstance(block, str)]
    start = texts.index(title)
    after = texts[start + 1 :]
    ends = [i for i, text in enumerate(after) if text.startswith("### ")]
    return after[: ends[0]] if ends else after


def test_table_of_verdicts() -> None:
    suite = parse_suite(SUITE, "t")
    blocks = blocks_after(suite, records_of(suite), "### Trust")
    assert "Bad" in blocks[0]
    assert blocks[1] == "Evidence, verdicts:"
    titles, row = table_rows(blocks[2])
    cells = dict(zip(titles, row, strict=True))
    # Three evidence problems with the accuracy 0.5, estimated as 0.7 (0.45 to 0.9).
    assert cells == {
        "method": "auto",
        "runs": "3",
        "mean error of the estimate": "20.00",
        "interval covers": "100.0 %",
        "use / check first / do not use": "3 / 0 / 0",
        'bad, not "use"': "0 of 3 (0 %)",
        'others, not "use"': "-",
        "error of the class proportions": "0.000",
        "error of the source's proportions": "0.500",
    }
    assert blocks[3] == "Evidence, probabilities:"
    titles, lg, auto = table_rows(blocks[4])
    assert titles[2:] == [
        "calibration error", "accuracy at 25 % coverage", "accuracy at 50 % coverage",
        "accuracy at 75 % coverage", "accuracy", "difference"
    ]  # fmt: skip
    means = ["50.00", "50.00", "50.00", "50.00"]
    assert (lg[0], auto) == ("LG", ["auto", "3", "0.250", *means, "+0.00"])
    assert blocks[5] == "Development, verdicts:"


def test_results_without_all_coverages() -> None:
    suite = parse_suite(SUITE, "t")
    records = records_of(suite)
    for record in records.values():
        del record["surest_quarter_accuracy"], record["surest_half_accuracy"]
    _, _, auto = table_rows(blocks_after(suite, records, "### Trust")[4])
    assert auto == ["auto", "3", "0.250", "-", "-", "50.00", "50.00", "-"]


def test_verdicts_of_bad_and_other_problems() -> None:
    suite = parse_suite(SUITE, "t")
    for accuracy, low, decision, bad, others, covered in (
        (0.5, 0.6, "do not use", "3 of 3 (100 %)", "-", "0.0 %"),
        (1.0, 0.6, "check first", "-", "3 of 3 (100 %)", "0.0 %"),
        (0.9, 0.6, "use", None, None, "100.0 %"),
    ):
        changes = {"accuracy": accuracy, "estimated_low": low, "verdict": decision}
        titles, row = table_rows(blocks_after(suite, records_of(suite, **changes), "### Trust")[2])
        cells = dict(zip(titles, row, strict=True))
        assert cells["interval covers"] == covered
        if bad is not None:
            assert (cells['bad, not "use"'], cells['others, not "use"']) == (bad, others)


def test_no_trust_without_a_source_only_entry() -> None:
    suite = parse_suite(SUITE.replace('source_only = ["lg"]', ""), "t")
    section = build_report([(suite, records_of(suite))]).sections[-1]
    assert "### Trust" not in section.blocks
