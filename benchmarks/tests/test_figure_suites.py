"""Suites of the papers' figures: their problems are those of the tables."""

from __future__ import annotations

import pytest

from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.plan.reading import find_suite, suites
from isthmus_bench.plan.suite import Suite


def content(task: BenchmarkTask) -> tuple[object, ...]:
    parts = (task.sources, task.targets, task.pools, task.scored)
    return (task.corpus, task.split, task.vocabulary, *parts)


@pytest.mark.parametrize(("name", "size"), [("mtrick-table4", 10), ("mtrick-figure4", 9)])
def test_problems_of_mtrick_have_the_numbers_of_table_1(name: str, size: int) -> None:
    suite, whole = find_suite(name), find_suite("mtrick-table1")
    assert len(suite.tasks) == size
    for task in suite.tasks:
        number = int(task.name.split()[0])
        assert content(task) == content(whole.sets[0].tasks[number])
        assert task.split == "evidence"
    assert (suite.text, suite.dtype) == (whole.text, whole.dtype)


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("cdsc-figures2-5", "cdsc-table2"),
        ("lssmtc-figures", "lssmtc-tables3-5"),
        ("lssttc-figures", "lssttc-tables6-8"),
        ("pjnmf-figures1-2", "pjnmf-table1"),
        ("pjnmf-sensitivity", "pjnmf-table1"),
        ("dkt-figures3-4", "dkt-table3"),
        ("mtrick-figure3", "mtrick-table1"),
    ],
)
def test_problems_with_the_name_of_a_table_problem_are_equal_to_it(name: str, whole: str) -> None:
    suite, table = find_suite(name), find_suite(whole)
    known = {task.name: task for task in table.tasks}
    shared = [task for task in suite.tasks if task.name in known]
    assert len(shared) >= 4
    for task in shared:
        assert content(task) == content(known[task.name])
        assert (task.sample, task.labeled_target) == (
            known[task.name].sample,
            known[task.name].labeled_target,
        )
        # The same rows are drawn for the figure and for the table.
        assert {*(task.seeds or suite.seeds)} <= {*(known[task.name].seeds or table.seeds)}
    assert (suite.text, suite.dtype) == (table.text, table.dtype)


def test_training_sizes_are_nested_in_a_task_of_the_table() -> None:
    suite = find_suite("cdsc-figures2-5")
    (whole,) = [task for task in suite.tasks if task.name == "comp vs sci"]
    sizes = [task for task in suite.tasks if task.sample_source is not None]
    assert [task.sample_source for task in sizes] == [50, 100, 150, 200, 250]
    for task in sizes:
        assert content(task) == content(whole)
        assert task.sample == whole.sample == 250


def test_ten_settings_of_table_4() -> None:
    suite = find_suite("mtrick-table4")
    settings = [tuple(entry.params.values()) for entry in suite.entries[:10]]
    assert settings[0] == (2.44, 2.39, 58)
    assert settings[9] == (7.95, 1.18, 92)
    assert sorted(beta for _, beta, _ in settings) == [
        entry.params["beta"] for entry in suite.entries if entry.sweep is not None
    ]
    paper = suite.sets[0].paper["total"]
    assert (paper["setting 5"], paper["the paper's setting"]) == (93.10, 93.80)


def drawn() -> list[Suite]:
    return [suite for suite in suites().values() if suite.figures]


@pytest.mark.parametrize("suite", drawn(), ids=lambda suite: suite.name)
def test_figures_have_a_description_and_problems_are_counted_once(suite: Suite) -> None:
    assert suite.notes
    assert all(figure.note for figure in suite.figures)
    # All have their problems from suites that are ranked already.
    assert not suite.ranked
