"""Grids: every combination is run, and the report has one row with the best of them."""

from __future__ import annotations

import pytest

from isthmus_bench.plan.entries import value_text
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.ranking import rank_methods
from isthmus_bench.report.summary import collect
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, record_key
from tiny_suite import render_report, table_rows

TEXT = """
name = "tiny"
title = "Tiny"
citation = "Nobody"
seeds = [0, 1]
dtype = "float32"
metrics = ["error", "macro F1"]
table = "problems"
spread = true
paired_with = "lg"
source_only = ["lg"]
[text]
min_df = 2
[tasks]
kind = "listed"
corpus = "synthetic"
[[sets]]
name = "a"
[[sets.problems]]
name = "one"
split = "evidence"
source = { x = ["books.positive"], y = ["books.negative"] }
target = { x = ["kitchen.positive"], y = ["kitchen.negative"] }
paper.error = { MTrick = [0.25, 0.01] }
[[sets.problems]]
name = "two"
split = "evidence"
source = { x = ["kitchen.positive"], y = ["kitchen.negative"] }
target = { x = ["books.positive"], y = ["books.negative"] }
[[entries]]
id = "lg"
label = "LG"
method = "lg"
weighting = "log-tfidf"
[[entries]]
id = "svm"
label = "SVM"
method = "svm"
weighting = "log-tfidf"
[[entries]]
id = "steps"
label = "MTrick"
method = "mtrick"
preset = "paper"
params = { max_iter = 5 }
weighting = "log-tfidf"
paper = "MTrick"
grid = { init = ["plsa", "two_stage"], beta = [1.0, 2] }
"""
IDS = [
    "steps@beta=1,init=plsa",
    "steps@beta=1,init=two_stage",
    "steps@beta=2,init=plsa",
    "steps@beta=2,init=two_stage",
]
# Accuracies of both seeds by problem and setting: the best one differs between problems.
ACCURACY = {
    "one": [(0.6, 0.6), (0.9, 0.1), (0.7, 0.8), (0.5, 0.5)],
    "two": [(0.9, 1.0), (0.5, 0.5), (0.5, 0.5), (0.5, 0.6)],
}


def make_records(suite: Suite) -> dict[str, Record]:
    records = {}
    for run in plan_runs(suite, Choice()):
        accuracy, f1 = 0.6, 0.4
        if run.entry.id in IDS:
            number = IDS.index(run.entry.id)
            accuracy, f1 = ACCURACY[run.task.name][number][run.seed or 0], number / 10
        record = {
            **run.identity(), "accuracy": accuracy, "macro_f1": f1, "seconds": 1.0, "error": None,
            "cpu_seconds": 2.0 if run.entry.id in IDS else 1.0, "versions": {},
        }  # fmt: skip
        records[record_key(record)] = record
    return records


def rows(page: str, heading: str) -> list[list[str]]:
    return table_rows(page.split(f"{heading}\n\n")[1].split("\n\n")[0])


def test_every_combination_is_run() -> None:
    suite = parse_suite(TEXT, "tiny.toml")
    assert [entry.id for entry in suite.entries] == ["lg", "svm", "steps"]
    grid = suite.entries[-1]
    assert grid.label == "MTrick, best of 4 settings (oracle)"
    assert [entry.id for entry in grid.settings()] == IDS
    runs = plan_runs(suite, Choice(methods=("steps",), limit=1))
    assert list(dict.fromkeys(run.entry.id for run in runs)) == IDS
    assert len({record_key(run.identity()) for run in runs}) == len(runs) == 8
    params = [run.identity()["setup"]["params"] for run in runs[::2]]
    assert [(p["beta"], p["init"]) for p in params] == [
        (1.0, "plsa"), (1.0, "two_stage"), (2, "plsa"), (2, "two_stage")
    ]  # fmt: skip
    assert {p["max_iter"] for p in params} == {5}


def test_a_setting_has_the_results_of_an_entry_with_its_parameters() -> None:
    alone = TEXT.replace("max_iter = 5", 'max_iter = 5, beta = 2, init = "two_stage"')
    (run, *_) = plan_runs(parse_suite(alone[: alone.index("grid =")], "t"), Choice(("steps",)))
    settings = plan_runs(parse_suite(TEXT, "t"), Choice(("steps",), limit=1))
    assert record_key(run.identity()) == record_key(settings[-2].identity())


def test_the_row_has_the_best_setting_of_every_problem_and_metric() -> None:
    suite = parse_suite(TEXT, "tiny.toml")
    page = render_report([(suite, make_records(suite))])
    error, f1 = rows(page, "Error:"), rows(page, "Macro F1:")
    assert error[0][-1] == "MTrick, best of 4 settings (oracle)"
    # The third setting (.3 and .2) and the first (.1 and 0); the smallest error is of neither.
    assert [row[-1] for row in error[1:4]] == [
        ".250 ± .071 (paper .250 ± .010)", ".050 ± .071", ".150 ± .071"
    ]  # fmt: skip
    # By macro F1, the last setting is the best everywhere.
    assert [row[-1] for row in f1[1:4]] == ["30.00 ± 0.00", "30.00 ± 0.00", "30.00 ± 0.00"]
    assert error[4][-1] == "2.00"
    assert "- MTrick, best of 4 settings (oracle): method `mtrick`, preset `paper`" in page
    assert "max_iter=5, init='plsa', 'two_stage', beta=1.0, 2" in page


def test_it_is_no_competitor() -> None:
    suite = parse_suite(TEXT, "tiny.toml")
    records = make_records(suite)
    page = render_report([(suite, records)])
    assert "**.400**" in page
    assert "**.150" not in page
    for heading in ("### Against LG", "### Below the source-only classifier"):
        section = page[page.index(heading) :].partition("\n\n### ")[0]
        assert "| SVM" in section
        assert "best of" not in section
    ranking = rank_methods([(suite, collect(suite, records))], "classifier", "evidence")
    assert ranking is not None
    assert {standing.label for standing in ranking.standings} == {"LG", "SVM"}


def test_it_is_complete_only_if_all_settings_are() -> None:
    suite = parse_suite(TEXT, "tiny.toml")
    records = make_records(suite)
    lost = next(
        key
        for key, record in records.items()
        if (record["setup"]["params"].get("init"), record["problem"]["task"])
        == ("two_stage", "two")
    )
    records[lost] = {**records[lost], "error": "ValueError: no"}
    page = render_report([(suite, records)])
    assert rows(page, "Error:")[2][-1] == ".050 ± .071 (incomplete)"
    assert rows(page, "Error:")[1][-1].startswith(".250 ± .071 (paper")
    assert "settings (oracle) on two, seed 0: ValueError: no" in page
    page = render_report([(suite, {})])
    assert rows(page, "Error:")[2][-1] == "-"
    assert "settings (oracle): 0 of 16 runs done" in page


def test_texts_of_values() -> None:
    assert [value_text(v) for v in (1.0, 0.25, 3, "all")] == ["1", "0.25", "3", "all"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("beta = [1.0, 2]", "beta = [1.0, 1]", "grid, beta: a value is listed twice"),
        ("beta = [1.0, 2]", "beta = []", "grid, beta: this must have 1 or more values"),
        ("beta = [1.0, 2]", "beta = [[1.0]]", "grid, beta: .* finite numbers or texts"),
        ("beta = [1.0, 2]", "beta = [-1.0]", "entries 'steps': beta"),
        ("beta = [1.0, 2]", "bet = [1.0]", "'mtrick' has no parameter 'bet'"),
        ("beta = [1.0, 2]", "max_iter = [1]", "'max_iter' is in 'params' and in 'grid'"),
        ("grid =", 'sweep = { parameter = "k", values = [1] }\ngrid =', "'sweep' and 'grid'"),
        ("grid =", "ranked = true\ngrid =", "'ranked' is not for an entry with 'grid'"),
        ("grid =", 'measures = ["convergence"]\ngrid =', "'measures' is not for an entry"),
        ('source_only = ["lg"]', 'source_only = ["steps"]', "'steps' has 'grid' or 'trained_on'"),
        ('"lg"\nsource', '["lg", "steps"]\nsource', "it can be in no goal, difficulty or compar"),
    ],
)
def test_wrong_grids(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(ValueError, match=message):
        parse_suite(TEXT.replace(old, new), "tiny.toml")
