"""Tables of all sets in columns, and of the problems below the source-only classifier."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.build import build_report
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import record_key
from tiny_suite import TINY, table_rows

HEAD = 'source_only = ["lg", "svm"]\nmetrics = ["accuracy", "macro F1"]\ntable = "columns"\n[text]'
SUITE = (
    TINY.replace("[text]", HEAD).replace("development_every = 4", "development_every = 1")
    + """
[[entries]]
id = "svm"
label = "SVM"
method = "svm"
weighting = "log-tfidf"
[[entries]]
id = "cocc"
label = "CoCC"
method = "cocc"
weighting = "log-tfidf"
"""
)
# (accuracy, macro F1) of the four problems.
SCORES = {
    "lg": [(0.8, 0.7), (0.7, 0.6), (0.6, 0.5), (0.5, 0.4)],
    "svm": [(0.8, 0.8), (0.7, 0.7), (0.6, 0.6), (0.5, 0.5)],
    "cocc": [(0.7, 0.75), (0.68, 0.65), (0.6, 0.5), (0.9, 0.9)],
}


def records_of(suite: Suite, scores: dict[str, list[tuple[float, float]]]) -> dict[str, Any]:
    records = {}
    numbers = {task.name: number for number, task in enumerate(suite.tasks)}
    for run in plan_runs(suite, Choice()):
        of_entry = scores.get(run.entry.id, [])
        number = numbers[run.task.name]
        if number < len(of_entry):
            accuracy, f1 = of_entry[number]
            fields = {"accuracy": accuracy, "macro_f1": f1, "cpu_seconds": 1.0, "memory": 2**20}
            record = {**run.identity(), "error": None, "versions": {}, "sizes": {}, **fields}
            records[record_key(record)] = record
    return records


def tables_of(scores: dict[str, list[tuple[float, float]]]) -> dict[str, list[list[str]]]:
    """The tables of the report by the text before them."""
    suite = parse_suite(SUITE, "t")
    (section,) = build_report([(suite, records_of(suite, scores))]).sections[-1:]
    texts = [block for block in section.blocks if isinstance(block, str)]
    return {before: table_rows(text) for before, text in pairwise(texts) if text.startswith("| ")}


def test_metrics_are_beside_each_other() -> None:
    tables = tables_of(SCORES)
    titles, *rows = tables["Means over the problems of each set: accuracy / macro F1."]
    assert titles == ["method", "a (4)", "seconds per fit (median)", "MiB per fit (median)"]
    assert rows == [
        ["LG", "65.00 / 55.00", "1.00", "1"],
        ["SVM", "65.00 / 65.00", "1.00", "1"],
        ["CoCC", "72.00 / 70.00", "1.00", "1"],
    ]


def test_problems_below_the_source_only_classifiers() -> None:
    titles, lg, svm, cocc = tables_of(SCORES)["Development, 4 problems:"]
    assert titles == [
        "method", "mean accuracy", "mean macro F1",
        "below LG, accuracy", "worst loss against LG, accuracy",
        "below LG, macro F1", "worst loss against LG, macro F1",
        "below SVM, accuracy", "worst loss against SVM, accuracy",
        "below SVM, macro F1", "worst loss against SVM, macro F1",
    ]  # fmt: skip
    assert lg[3:] == ["-"] * 4 + ["0", "0.00", "4", "10.00"]
    assert svm[3:] == ["0", "0.00", "0", "0.00"] + ["-"] * 4
    assert cocc[3:] == ["2", "10.00", "0", "0.00", "2", "10.00", "3", "10.00"]


def test_incomplete_results_are_compared_on_what_both_have() -> None:
    tables = tables_of({**SCORES, "cocc": SCORES["cocc"][:3]})
    cells = tables["Means over the problems of each set: accuracy / macro F1."][-1]
    assert cells[1] == "66.00 / 63.33 (incomplete)"
    assert tables["Development, 4 problems:"][-1][3:5] == ["2 of 3", "10.00"]
    without = tables_of({"lg": SCORES["lg"]})
    assert [row[0] for row in without["Development, 4 problems:"]] == ["method", "LG"]


def test_no_table_without_results_or_without_the_field() -> None:
    assert "Development, 4 problems:" not in tables_of({})
    suite = parse_suite(SUITE.replace('source_only = ["lg", "svm"]', ""), "t")
    (section,) = build_report([(suite, records_of(suite, SCORES))]).sections[-1:]
    assert "### Below the source-only classifier" not in section.blocks


def test_source_only_must_name_entries() -> None:
    with pytest.raises(ValueError, match="there is no entry 'tsvm'"):
        parse_suite(SUITE.replace('["lg", "svm"]', '["lg", "tsvm"]'), "t")
