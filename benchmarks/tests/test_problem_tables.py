"""Reports with one row per problem, with several metrics, and goals on a single problem."""

from __future__ import annotations

import pytest

from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, record_key
from tiny_suite import CLUSTERS, render_report

HEAD = """
name = "tiny"
title = "Tiny tasks"
citation = "Nobody, 2010"
seeds = [0, 1]
dtype = "float32"
metrics = ["accuracy", "macro F1"]
table = "problems"
[text]
min_df = 2
[tasks]
kind = "listed"
corpus = "synthetic"
[[sets]]
name = "a"
"""
PROBLEM = """
[[sets.problems]]
name = "{name}"
split = "{split}"
source = {{ x = ["books.positive"], y = ["books.negative"] }}
target = {{ x = ["kitchen.positive"], y = ["kitchen.negative"] }}
labeled_source = 0.5
{paper}
"""
ENTRIES = """
[[entries]]
id = "lg"
label = "LG"
method = "lg"
weighting = "log-tfidf"
paper = "LR"
[[entries]]
id = "svm"
label = "SVM"
method = "svm"
weighting = "counts"
[[goals]]
set = "a"
entry = "lg"
task = "two"
mean = 75.0
[[goals]]
set = "a"
entry = "lg"
mean = 85.0
[[goals]]
set = "a"
entry = "lg"
task = "one"
above_paper = true
"""
TEXT = "".join(
    [
        HEAD,
        PROBLEM.format(
            name="one",
            split="development",
            paper="paper.accuracy = { LR = 60.0, KTW = 59.0 }",
        ),
        PROBLEM.format(
            name="two",
            split="evidence",
            paper="paper.accuracy = { LR = 70.0, IB = 71.0, KTW = 72.0 }\n"
            'paper."macro F1" = { LR = 50.0 }',
        ),
        PROBLEM.format(
            name="three", split="evidence", paper="paper.accuracy = { LR = 62.0, KTW = 63.0 }"
        ),
        ENTRIES,
    ]
)
SUITE = parse_suite(TEXT, "tiny.toml")
ACCURACY = {"one": (0.9, 0.92), "two": (0.8, 0.7), "three": (0.6, 0.6)}


def make_records(suite: Suite) -> dict[str, Record]:
    records = {}
    for run in plan_runs(suite, Choice()):
        accuracy = ACCURACY[run.task.name][run.seed or 0]
        scores = {"accuracy": accuracy, "macro_precision": 1.0, "macro_f1": accuracy / 2}
        rest = {"seconds": 9.0, "cpu_seconds": 0.5, "error": None, "versions": {"numpy": "2.0"}}
        record = {**run.identity(), **scores, **rest}
        records[record_key(record)] = record
    return records


def table(page: str, caption: str) -> list[list[str]]:
    lines = page.split(f"\n\n{caption}\n\n")[1].split("\n\n")[0].splitlines()
    return [
        [cell.strip().replace("**", "") for cell in line.strip("|").split("|")] for line in lines
    ]


def test_one_row_per_problem_and_the_means_of_the_splits() -> None:
    page = render_report([(SUITE, make_records(SUITE))])
    assert table(page, "Accuracy:") == [
        ["problem", "split", "LG", "SVM", "IB (paper only)", "KTW (paper only)"],
        ["---", "---", *["---:"] * 4],
        ["one", "development", "91.00 (paper 60.00)", "91.00", "-", "59.00"],
        ["two", "evidence", "75.00 (paper 70.00)", "75.00", "71.00", "72.00"],
        ["three", "evidence", "60.00 (paper 62.00)", "60.00", "-", "63.00"],
        ["mean of development (1)", "", "91.00 (paper 60.00)", "91.00", "-", "59.00"],
        ["mean of evidence (2)", "", "67.50 (paper 66.00)", "67.50", "-", "67.50"],
        ["mean of all (3)", "", "75.33 (paper 64.00)", "75.33", "-", "64.67"],
        ["seconds per fit (median)", "", "0.50", "0.50", "-", "-"],
        ["MiB per fit (median)", "", "-", "-", "-", "-"],
    ]
    assert table(page, "Macro F1:") == [
        ["problem", "split", "LG", "SVM"],
        ["---", "---", "---:", "---:"],
        ["one", "development", "45.50", "45.50"],
        ["two", "evidence", "37.50 (paper 50.00)", "37.50"],
        ["three", "evidence", "30.00", "30.00"],
        ["mean of development (1)", "", "45.50", "45.50"],
        ["mean of evidence (2)", "", "33.75", "33.75"],
        ["mean of all (3)", "", "37.67", "37.67"],
    ]
    assert "precision" not in page


def test_the_papers_own_mean_comes_first_and_one_split_has_one_mean() -> None:
    text = TEXT.replace("development", "evidence").replace(
        'name = "a"\n', 'name = "a"\npaper.total.LR = 63.0\n'
    )
    rows = table(render_report([(parse_suite(text, "t.toml"), {})]), "Accuracy:")
    assert [row[0] for row in rows[5:7]] == ["mean of evidence (3)", "seconds per fit (median)"]
    assert rows[5][2] == "- (paper 63.00)"


def test_goals_on_a_problem() -> None:
    page = render_report([(SUITE, make_records(SUITE))])
    assert "- LG on a, two: mean ≥ 75: **met** (mean 75.00, 0 of 1 problems and 0 of 2" in page
    assert "- LG on a, all problems: mean ≥ 85: **missed** (mean 75.33" in page
    assert "- LG on a, one: above the paper: **met** (mean 91.00" in page


def test_results_without_a_newer_metric_show_a_dash() -> None:
    records = make_records(SUITE)
    for record in records.values():
        if record["setup"]["method"] == "lg":
            del record["macro_f1"], record["macro_precision"]
    page = render_report([(SUITE, records)])
    rows = table(page, "Macro F1:")
    assert [row[2] for row in rows[2:]] == ["-", "- (paper 50.00)", "-", "-", "-", "-"]
    assert [row[3] for row in rows[2:5]] == ["45.50", "37.50", "30.00"]
    assert table(page, "Accuracy:")[2][2] == "91.00 (paper 60.00)"
    assert "Not complete" not in page


def test_missing_results_are_marked() -> None:
    records = make_records(SUITE)
    lost = next(
        key
        for key, record in records.items()
        if (record["setup"]["method"], record["problem"]["task"]) == ("lg", "two")
    )
    del records[lost]
    rows = table(render_report([(SUITE, records)]), "Accuracy:")
    assert rows[2][2] == "91.00 (paper 60.00)"
    assert rows[3][2] == "70.00 (incomplete) (paper 70.00)"
    assert rows[6][2].startswith("65.00 (incomplete)")


@pytest.mark.parametrize("single", [False, True], ids=["sets", "single problems"])
def test_metrics_in_the_other_layouts(single: bool) -> None:
    text = TEXT.replace('table = "problems"\n', "")
    if single:
        text = text.replace(TEXT[TEXT.index(PROBLEM[:18], TEXT.index('"one"')) : -len(ENTRIES)], "")
        text = text.replace('task = "two"\n', "")
    suite = parse_suite(text, "tiny.toml")
    page = render_report([(suite, make_records(suite))])
    if single:
        assert table(page, "Macro F1:")[2] == ["a", "development", "45.50", "45.50"]
        assert len(table(page, "Accuracy:")) == 5
    else:
        # The paper has no value for the set, so there is no column for it.
        assert table(page, "Evidence, 2 problems, macro F1:")[2][:3] == ["LG", "33.75", "30.00"]
        accuracies = table(page, "Evidence, 2 problems, accuracy:")
        assert accuracies[2][accuracies[0].index("mean")] == "67.50"


def test_the_report_describes_terms_of_two_languages() -> None:
    text = TEXT.replace("synthetic", "webis").replace("books", "en.books")
    text = text.replace("kitchen", "fr.books").replace("[text]\nmin_df = 2\n", "")
    text = text.replace("labeled_source = 0.5", 'vocabulary = "identical"')
    page = render_report([(parse_suite(text, "tiny.toml"), {})])
    assert "terms in at least 2 and at most half of the documents of a language, stop" in page


def test_errors_are_proportions_next_to_the_errors_of_the_paper() -> None:
    text = TEXT.replace('["accuracy", "macro F1"]', '["error"]').replace("labeled_source = 0.5", "")
    text = text.replace("paper.accuracy = { LR = 60.0, KTW = 59.0 }", "paper.error.LR = 0.25")
    text = text.replace("paper.accuracy = { LR = 62.0, KTW = 63.0 }", "paper.error.KTW = 0.3")
    text = text.replace("above_paper = true", "mean = 50")
    for name, sampled in (("one", "sample = 9\nseeds = [0]"), ("two", "sample = 9\nseeds = [1]")):
        head, tail = text.split(f'name = "{name}"\n')
        text = f'{head}name = "{name}"\n{sampled}\n{tail}'
    suite = parse_suite(text.replace('name = "three"', 'name = "three"\nsample = 8'), "tiny.toml")
    page = render_report([(suite, make_records(suite))])
    assert table(page, "Error:") == [
        ["problem", "split", "LG", "SVM", "KTW (paper only)"],
        ["---", "---", *["---:"] * 3],
        ["one", "development", ".100 (paper .250)", ".100", "-"],
        ["two", "evidence", ".300", ".300", "-"],
        ["three", "evidence", ".400", ".400", ".300"],
        ["mean of development (1)", "", ".100 (paper .250)", ".100", "-"],
        ["mean of evidence (2)", "", ".350", ".350", "-"],
        ["mean of all (3)", "", ".267", ".267", "-"],
        ["seconds per fit (median)", "", "0.50", "0.50", "-"],
        ["MiB per fit (median)", "", "-", "-", "-"],
    ]
    assert "seeds 0 (development problems) and 1 (two) and 0, 1 (three) for random methods" in page
    assert "- 9 documents of every class of every domain, drawn by the seed (one, two)" in page
    assert "- 8 documents of every class of every domain, drawn by the seed (three)" in page


def test_errors_and_nmi_in_the_layout_of_sets() -> None:
    text = TEXT.replace('table = "problems"\n', "").replace('"macro F1"]', '"error"]')
    suite = parse_suite(text, "tiny.toml")
    rows = table(render_report([(suite, make_records(suite))]), "Evidence, 2 problems, error:")
    assert rows[0][1:5] == ["mean", "worst problem", "problems above .500", "runs above .500"]
    assert rows[2][:5] == ["LG", ".325", ".400", "0", "0 of 4"]
    clusters = parse_suite(CLUSTERS.replace('table = "problems"\n', ""), "tiny.toml")
    records = {}
    for run in plan_runs(clusters, Choice()):
        scores = {"accuracy": 0.4, "nmi_geometric": 0.25, "nmi_arithmetic": 0.2}
        record = {**run.identity(), **scores, "seconds": 1.0, "error": None, "versions": {}}
        records[record_key(record)] = record
    page = render_report([(clusters, records)])
    rows = table(page, "Evidence, 1 problems, NMI (geometric):")
    assert rows[2][:5] == ["KM", ".250", ".250", "-", "-"]
    assert table(page, "Evidence, 1 problems, accuracy:")[2][1:5] == [
        "40.00",
        "40.00",
        "1",
        "2 of 2",
    ]


def test_the_report_describes_terms_and_stems() -> None:
    def text_line(settings: str) -> str:
        suite = parse_suite(TEXT.replace("min_df = 2", settings), "tiny.toml")
        return render_report([(suite, {})])

    assert "- float32, terms in at least 2 documents, stop words: none, seeds" in text_line(
        "min_df = 2"
    )
    stems = 'min_df = 2\nmax_terms = 2000\nstemmer = "porter"'
    most = "the 2,000 terms of a problem that occur in the most documents, stop words: none"
    assert f"- float32, terms in at least 2 documents, {most}, stems: porter, seeds" in text_line(
        stems
    )
    assert f"- float32, {most}, seeds 0, 1" in text_line("min_df = 1\nmax_terms = 2000")
