"""Figures of incomplete results, and of objectives without a logarithm."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus_bench.documents.rows import draw_share
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Difficulty, Suite
from isthmus_bench.report import figures
from isthmus_bench.report.blocks import Block, Chart, Panels
from isthmus_bench.report.figure_points import training_size
from isthmus_bench.report.figures import difficulty_charts, figure_blocks
from isthmus_bench.report.summary import collect
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, record_key
from tiny_suite import TINY, make_task, replace, table_rows

# Problems a 000 (development) to a 003; LG has one run of each, "curve" one per seed.
ENTRIES = """
[[entries]]
id = "curve"
label = "Curve"
method = "mtrick"
weighting = "log-tfidf"
params = { init = "plsa", n_word_clusters = 4 }
measures = ["convergence"]
[[entries]]
id = "other"
label = "Other"
method = "cocc"
weighting = "log-tfidf"
measures = ["convergence"]
"""
OVER_PROBLEMS = """
[[figures]]
title = "t"
entries = ["lg", "curve"]
x = "problems"
variance = true
"""
OBJECTIVES = '[[figures]]\ntitle = "t"\nentries = ["curve", "other"]\nx = "iterations"\n'


def records(suite: Suite, **fields: object) -> dict[tuple[str, str, int | None], Record]:
    """By entry, number of the problem and seed."""
    return {
        (run.entry.id, run.task.name[:5], run.seed): {
            **run.identity(), "accuracy": 0.5, "seconds": 1.0, "versions": {}, "error": None,
            **fields,
        }
        for run in plan_runs(suite, Choice())
    }  # fmt: skip


def drawn(suite: Suite, by_run: dict[tuple[str, str, int | None], Record]) -> list[Block]:
    by_key = {record_key(record): record for record in by_run.values()}
    return figure_blocks(suite, collect(suite, by_key))


def rows(block: Block) -> list[list[str]]:
    assert isinstance(block, str)
    return table_rows(block)[1:]


def charts(block: Block) -> tuple[Chart, ...]:
    assert isinstance(block, Panels)
    return block.charts


def test_incomplete_problems_and_means_are_not_drawn() -> None:
    suite = parse_suite(TINY + ENTRIES + OVER_PROBLEMS, "tiny.toml")
    by_run = records(suite)
    *_, table = drawn(suite, by_run)
    assert rows(table)[3][1:] == ["50.00", "50.00", "50.00", "0.000"]
    assert rows(table)[-1][1:] == ["50.00", "50.00", "", ""]
    del by_run["curve", "a 002", 1]
    *_, panels, table = drawn(suite, by_run)
    evidence = charts(panels)[1]
    assert [len(series.x) for series in evidence.series] == [3, 2]
    assert rows(table)[3][1:] == ["50.00", "-", "-", "-"]
    assert rows(table)[-1][1:] == ["50.00", "-", "", ""]


def test_a_range_needs_results_of_all_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "_MOST_NAMED", 2)
    suite = parse_suite(TINY + ENTRIES + OVER_PROBLEMS, "tiny.toml")
    by_run = records(suite)
    del by_run["curve", "a 002", 1]
    *_, table = drawn(suite, by_run)
    assert rows(table)[2:] == [
        ["evidence (3 problems)", "LG", "3", "50.00", "50.00", "50.00"],
        ["evidence (3 problems)", "Curve", "2", "-", "-", "-"],
    ]


def test_a_metric_that_some_seeds_do_not_have_is_not_complete() -> None:
    suite = parse_suite(TINY + ENTRIES, "tiny.toml")
    by_run = records(suite, macro_f1=0.4)
    del by_run["curve", "a 001", 0]["macro_f1"]
    results = collect(suite, {record_key(r): r for r in by_run.values()})["curve"]
    first, second = (task.name for task in suite.tasks[:2])
    assert results.complete_mean(first, "macro F1") == pytest.approx(40)
    assert results.complete_mean(second, "macro F1") is None
    assert results.complete_mean(second) == pytest.approx(50)


def test_objectives_need_every_fit() -> None:
    suite = parse_suite(TINY + ENTRIES + OBJECTIVES, "tiny.toml")
    by_run = records(suite, objective=[[0, 100.0], [1, 10.0]])
    *_, panels, _ = drawn(suite, by_run)
    assert [len(chart.series) for chart in charts(panels)] == [2, 2]
    del by_run["curve", "a 002", 1]
    *_, panels, _ = drawn(suite, by_run)
    assert [len(chart.series) for chart in charts(panels)] == [2, 1]


@pytest.mark.parametrize("least", [0.0, -4.0])
def test_an_objective_without_a_logarithm_is_drawn_unchanged(least: float) -> None:
    suite = parse_suite(TINY + ENTRIES + OBJECTIVES, "tiny.toml")
    by_run = records(suite, objective=[[0, 100.0], [1, 10.0]])
    (*before, panels, _) = drawn(suite, by_run)
    assert (len(before), charts(panels)[0].y_label) == (1, "log10 of the objective")
    # One value in one problem is enough: the lines of a figure share their axis.
    by_run["other", "a 003", None]["objective"] = [[0, 1.0], [1, least]]
    (*_, note, panels, table) = drawn(suite, by_run)
    assert isinstance(note, str)
    assert "without logarithm" in note
    development, evidence = charts(panels)
    assert development.y_label == evidence.y_label == "objective"
    assert development.series[0].y == (100.0, 10.0)
    assert evidence.series[1].y == pytest.approx(((100 + 100 + 1) / 3, (10 + 10 + least) / 3))
    assert rows(table)[0][2:] == ["100.000", "10.000"]


DIFFICULTY = '[difficulty]\nentry = "{entry}"\nthreshold = 65.0\n'


def test_difficulty_includes_problems_without_a_correct_document() -> None:
    suite = parse_suite(TINY + ENTRIES + DIFFICULTY.format(entry="lg"), "tiny.toml")
    by_run = records(suite)
    by_run["lg", "a 002", None]["accuracy"] = 0.0
    (chart,) = difficulty_charts(suite, collect(suite, {record_key(r): r for r in by_run.values()}))
    assert isinstance(chart, Chart)
    assert chart.series[0].y == (0.0, 50.0, 50.0)


def test_difficulty_needs_every_seed() -> None:
    suite = parse_suite(TINY + ENTRIES + DIFFICULTY.format(entry="lg"), "tiny.toml")
    by_run = records(suite)
    del by_run["curve", "a 002", 1]
    (chart,) = difficulty_charts(suite, collect(suite, {record_key(r): r for r in by_run.values()}))
    assert isinstance(chart, Chart)
    assert [len(series.x) for series in chart.series] == [3, 2, 3]
    by_curve = replace(suite, difficulty=Difficulty(entry="curve", threshold=65.0))
    (chart,) = difficulty_charts(
        by_curve, collect(suite, {record_key(r): r for r in by_run.values()})
    )
    assert isinstance(chart, Chart)
    assert [len(series.x) for series in chart.series] == [2, 2, 2]


@pytest.mark.parametrize("share", [1.0, 0.2, 0.25, 0.001])
def test_a_training_size_counts_the_labels_that_are_drawn(share: float) -> None:
    side = (("good", ("a",)), ("bad", ("b",)))
    other = (("good", ("c",)), ("bad", ("d",)))
    task = make_task(
        "t", "s", "evidence", "c", (side,), (other,), labeled_source=share, sample_source=50
    )
    assert training_size(task) == 2 * len(draw_share(np.arange(50), share, [0]))
