"""Ranks over suites, from generated results."""

from __future__ import annotations

import math

import pytest

from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.overview import overview
from isthmus_bench.report.ranking import rank_methods
from isthmus_bench.report.summary import EntryResults, collect
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, record_key
from tiny_suite import TINY, render_report

ENTRY = '[[entries]]\nid = "{0}"\nlabel = "{0}"\nmethod = "{1}"\nweighting = "log-tfidf"\n'
WIDE = TINY + ENTRY.format("svm", "svm") + ENTRY.format("mine", "mtrick")
NARROW = (TINY + ENTRY.format("svm", "svm")).replace('name = "tiny"', 'name = "narrow"')


def results(
    text: str, scores: dict[str, list[float]], **extra: object
) -> tuple[Suite, dict[str, Record]]:
    """Accuracies by entry and problem; nan is a failure, missing values are runs not done."""
    suite = parse_suite(text, "tiny.toml")
    numbers = {task.name: number for number, task in enumerate(suite.tasks)}
    records: dict[str, Record] = {}
    for run in plan_runs(suite, Choice()):
        of_entry = scores[run.entry.id]
        if numbers[run.task.name] >= len(of_entry):
            continue
        value = of_entry[numbers[run.task.name]]
        failed = {"error": "ValueError: no"} if math.isnan(value) else {"error": None}
        measured = {"accuracy": value, "seconds": 2.0, "cpu_seconds": 1.0, "versions": {}}
        record = {**run.identity(), **measured, **failed, **extra}
        records[record_key(record)] = record
    return suite, records


def collect_all(
    *parts: tuple[Suite, dict[str, Record]],
) -> list[tuple[Suite, dict[str, EntryResults]]]:
    return [(suite, collect(suite, records)) for suite, records in parts]


# Problem 0 is for development.
FIRST = results(
    WIDE,
    {"lg": [0.9, 0.5, 0.6, 0.7], "svm": [0.1, 0.6, 0.6, 0.8], "mine": [0.1, 0.9, math.nan, 0.9]},
)
SECOND = results(NARROW, {"lg": [0.5, 0.9, 0.9, 0.9], "svm": [0.6, 0.8, 0.8, 0.8]})


def test_common_problems_ranks_and_failures() -> None:
    ranking = rank_methods(collect_all(FIRST, SECOND), "classifier", "evidence")
    assert ranking is not None
    assert (ranking.n_problems, len(ranking.common)) == (6, 6)
    standings = {standing.label: standing for standing in ranking.standings}
    # MTrick did not run on the narrow suite, so it is listed without a rank.
    assert standings["MTrick"].rank is None
    assert standings["MTrick"].n_problems == 3
    assert standings["MTrick"].failed == 1
    assert standings["MTrick"].place == pytest.approx((0 + 1 + 0) / 3)
    assert standings["MTrick"].best == 2
    # Two methods share the first place on problem 2 of the first suite.
    assert (standings["LG"].best, standings["SVM"].best) == (4, 1)
    assert standings["LG"].rank == pytest.approx((2 + 1.5 + 2 + 1 + 1 + 1) / 6)
    assert standings["LG"].score == pytest.approx(100 * (0.5 + 0.6 + 0.7 + 2.7) / 6)
    assert standings["SVM"].place == pytest.approx((0.5 + 0.25 + 0.5 + 1 + 1 + 1) / 6)
    assert standings["SVM"].seconds == 1.0
    assert ranking.standings[-1].label == "MTrick"
    development = rank_methods(collect_all(FIRST, SECOND), "classifier", "development")
    assert development is not None
    assert development.n_problems == 2
    assert rank_methods(collect_all(FIRST), "clusterer", "evidence") is None


def test_a_method_that_failed_has_no_mean_accuracy() -> None:
    ranking = rank_methods(collect_all(FIRST), "classifier", "evidence")
    assert ranking is not None
    mine = next(s for s in ranking.standings if s.label == "MTrick")
    assert mine.rank == pytest.approx((1 + 3 + 1) / 3)
    assert mine.score is None


def test_entries_that_are_not_ranked() -> None:
    text = WIDE.replace("dtype =", "ranked = false\ndtype =")
    ours = results(text, {"lg": [0.9] * 4, "svm": [0.1] * 4, "mine": [0.2] * 4})
    assert overview(collect_all(ours)) is None
    preset = WIDE + 'preset = "paper"\n'
    ours = results(preset, {"lg": [0.9] * 4, "svm": [0.1] * 4, "mine": [0.2] * 4})
    ranking = rank_methods(collect_all(ours), "classifier", "evidence")
    assert ranking is not None
    assert {standing.label for standing in ranking.standings} == {"LG", "SVM"}
    # An incomplete method would be ranked on the easier half only.
    ours = results(WIDE, {"lg": [0.9] * 4, "svm": [0.1] * 4, "mine": [0.2]})
    ranking = rank_methods(collect_all(ours), "classifier", "evidence")
    assert ranking is not None
    assert {standing.label for standing in ranking.standings} == {"LG", "SVM"}


def test_the_report_begins_with_the_ranks() -> None:
    page = render_report([FIRST, SECOND])
    assert page.index("## Which method?") < page.index("## Tiny")
    assert "6 problems, 6 of them common to most methods: 3 of tiny, 3 of narrow." in page
    assert "| MTrick | - | 0.333 | 2 | 3 | 1 | - | - |" in page
