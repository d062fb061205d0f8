"""The suites of CDSC, LSSTTC and LSSMTC: problems, samples, splits and the papers' numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from isthmus_bench.documents.counts import count_corpus
from isthmus_bench.documents.problems import BenchmarkProblem, cut_problem
from isthmus_bench.plan.reading import find_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.run.planning import Choice, plan_runs

UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")
PAGES = ("student", "faculty", "course", "project")


def development(suite: Suite) -> list[str]:
    return [task.name for task in suite.tasks if task.split == "development"]


def test_cdsc_table_2_draws_other_samples_for_the_evidence() -> None:
    suite = find_suite("cdsc-table2")
    assert [(group.name, len(group.tasks)) for group in suite.sets] == [
        ("six newsgroup tasks", 6),
        ("three Reuters tasks", 3),
    ]
    assert development(suite) == ["rec vs talk", "comp vs rec"]
    assert {task.sample for task in suite.tasks} == {250}
    seeds: dict[str, set[int | None]] = {"development": set(), "evidence": set()}
    for run in plan_runs(suite, Choice()):
        seeds[run.task.split].add(run.seed)
    assert seeds == {"development": {0, 1, 2, 3, 4}, "evidence": {5, 6, 7, 8, 9}}
    assert suite.text.identity() == {"stop_words": "english", "min_df": 3, "stemmer": "porter"}


def test_the_papers_means_of_cdsc_table_2() -> None:
    suite = find_suite("cdsc-table2")
    six, reuters = suite.sets
    means = six.paper_row(six.tasks, "error")
    assert {name: round(mean, 3) for name, mean in means.items()} == {
        "D_out-CV": 0.007, "D_in-CV": 0.006, "SVM": 0.228, "TSVM": 0.148, "SGT": 0.161,
        "SC": 0.230, "CoCC": 0.113, "KDE": 0.229, "CDSC": 0.071,
    }  # fmt: skip
    assert [task.paper["error"]["CDSC"] for task in reuters.tasks] == [
        0.232, 0.318, 0.202
    ]  # fmt: skip
    assert [(goal.metric, goal.mean) for goal in suite.goals] == [
        ("error", 0.085),
        ("error", 0.071),
        ("error", 0.071),
    ]
    assert suite.goals[-1].split == "evidence"


def test_no_newsgroup_is_in_source_and_target() -> None:
    for task in find_suite("cdsc-table2").sets[0].tasks:
        plus, minus = task.name.split(" vs ")
        assert task.classes == (plus, minus)
        for selection in (*task.sources, *task.targets):
            for name, groups in selection.items():
                assert all(group.startswith(f"{name}.") for group in groups)


def test_lssttc_runs_every_direction() -> None:
    suite = find_suite("lssttc-tables6-8")
    webkb, rec, comp = suite.sets
    directions = [(a, b) for a in range(4) for b in range(4) if a != b]
    assert [task.name for task in webkb.tasks] == [
        f"WebKB {a + 1} to {b + 1}" for a, b in directions
    ]
    for task, sides in zip(webkb.tasks, directions, strict=True):
        for (selection,), side in zip((task.sources, task.targets), sides, strict=True):
            assert selection == {p: (f"{UNIVERSITIES[side]}.{p}",) for p in PAGES}
    for group in (rec, comp):
        forward, back = group.tasks
        assert (forward.sources, forward.targets) == (back.targets, back.sources)
    assert development(suite) == [
        "WebKB 1 to 2", "WebKB 2 to 1", "WebKB 3 to 4", "RecvsTalk 1 to 2"
    ]  # fmt: skip
    means = [group.paper_row(group.tasks, "accuracy")["LSSTTC"] for group in suite.sets]
    assert means == pytest.approx([72.32, 90.06, 92.73], abs=0.01)
    expected = [("WebKB4", 77.0), ("RecvsTalk", 95.0), ("CompvsSci", 93.0)]
    assert [(goal.set, goal.mean) for goal in suite.goals] == expected * 2
    assert [goal.split for goal in suite.goals] == [None] * 3 + ["evidence"] * 3
    assert (suite.text.max_terms, suite.text.stemmer) == (2000, "porter")


def test_lssmtc_shows_all_tasks_and_scores_one() -> None:
    suite = find_suite("lssmtc-tables3-5")
    for group in suite.sets:
        assert [task.scored for task in group.tasks] == list(range(1, len(group.tasks) + 1))
        assert all(task.targets == group.tasks[0].targets for task in group.tasks)
        assert all(len(task.targets) == len(group.tasks) for task in group.tasks)
    students = [selection["student"] for selection in suite.sets[0].tasks[0].targets]
    assert students == [(f"{university}.student",) for university in UNIVERSITIES]
    assert development(suite) == [
        "WebKB4 task 1", "WebKB4 task 2", "WebKB4 task 4", "RecvsTalk task 2"
    ]  # fmt: skip
    papers = [task.paper for task in suite.tasks]
    assert [paper["accuracy"]["LSSMTC"] for paper in papers] == [
        62.47, 63.04, 66.77, 73.29, 84.33, 78.95, 88.01, 80.16
    ]  # fmt: skip
    assert [paper["NMI (geometric)"]["LSSMTC"] for paper in papers] == [
        0.3369, 0.3416, 0.3552, 0.4240, 0.4306, 0.3473, 0.5376, 0.3347
    ]  # fmt: skip
    assert {len(paper["accuracy"]) for paper in papers} == {9}
    assert not any("NMI (arithmetic)" in paper for paper in papers)


def test_goals_of_lssmtc_compare_with_the_paper_and_the_initial_clusters() -> None:
    suite = find_suite("lssmtc-tables3-5")
    assert {goal.entry for goal in suite.goals} == {"lssmtc"}
    assert all(goal.each_problem for goal in suite.goals)
    for group in suite.sets:
        goals = [goal for goal in suite.goals if goal.set == group.name]
        assert [goal.above_paper for goal in goals] == [True, False]
        assert [goal.not_below for goal in goals] == [None, "lssmtc-start"]
    clusters = {
        run.task.set_name: run.identity()["setup"]["params"]["n_clusters"]
        for run in plan_runs(suite, Choice(seeds=(0,)))
    }
    assert clusters == {"WebKB4": 4, "RecvsTalk": 2, "CompvsSci": 2}


def cut(suite: Suite, name: str, seed: int | None, corpora: Path) -> BenchmarkProblem:
    task = next(task for task in suite.tasks if task.name == name)
    text = suite.text
    groups = suite.groups(task.corpus)
    counted = count_corpus(task.corpus, groups, text.stop_words, str(corpora), text.stemmer)
    return cut_problem(counted, task, text.min_df or 1, suite.dtype, seed, text.max_terms)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("suite", "name", "seed", "shape"),
    [
        ("cdsc-table2", "rec vs talk", 0, (1000, 6740)),
        ("cdsc-table2", "comp vs rec", 1, (1000, 5399)),
        ("lssttc-tables6-8", "WebKB 1 to 2", None, (478, 2000)),
        ("lssmtc-tables3-5", "WebKB4 task 1", None, (1041, 2000)),
        ("lssmtc-tables3-5", "RecvsTalk task 2", None, (3834, 2000)),
    ],
)
def test_sizes(
    corpora: Path, suite: str, name: str, seed: int | None, shape: tuple[int, int]
) -> None:
    assert cut(find_suite(suite), name, seed, corpora).counts.shape == shape
