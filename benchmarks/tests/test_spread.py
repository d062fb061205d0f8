"""Means with their standard deviations: those of papers, and ours over the seeds."""

from __future__ import annotations

import pickle

import pytest

from isthmus_bench.fields import Mean
from isthmus_bench.plan.metrics import METRICS
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, record_key
from tiny_suite import render_report, table_rows

PROBLEM = """
[[sets.problems]]
name = "{}"
split = "evidence"
source = {{ x = ["books.positive"], y = ["books.negative"] }}
target = {{ x = ["kitchen.positive"], y = ["kitchen.negative"] }}
labeled_source = 0.5
paper.accuracy = {{ LR = {}, KTW = [55, 0.25] }}
"""
TEXT = (
    """
name = "tiny"
title = "Tiny"
citation = "Nobody"
seeds = [0, 1, 2]
dtype = "float32"
table = "problems"
spread = true
[text]
min_df = 2
[tasks]
kind = "listed"
corpus = "synthetic"
[[sets]]
name = "a"
"""
    + PROBLEM.format("one", "[70.0, 1.5]")
    + PROBLEM.format("two", "60.0")
    + """
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
"""
)
ACCURACY = {"one": (0.9, 0.8, 0.7), "two": (0.6, 0.7, 0.5)}


def make_records(suite: Suite) -> dict[str, Record]:
    records = {}
    for run in plan_runs(suite, Choice()):
        accuracy = ACCURACY[run.task.name][run.seed or 0]
        # The best mean, and a standard deviation that differs from the other one.
        accuracy = 0.8 if run.entry.id == "svm" and run.task.name == "one" else accuracy
        record = {**run.identity(), "accuracy": accuracy, "seconds": 1.0, "error": None}
        records[record_key(record)] = {**record, "versions": {}}
    return records


def rows(text: str, records: dict[str, Record] | None = None) -> list[list[str]]:
    suite = parse_suite(text, "tiny.toml")
    page = render_report([(suite, make_records(suite) if records is None else records)])
    return table_rows(page[page.index("| problem |") :].split("\n\n")[0])


def test_the_standard_deviation_is_that_of_the_mean_over_the_problems() -> None:
    first, second, mean = rows(TEXT)[1:4]
    assert first[2:] == ["80.00 ± 10.00 (paper 70.00 ± 1.50)", "80.00 ± 0.00", "55.00 ± 0.25"]
    assert second[2] == "60.00 ± 10.00 (paper 60.00)"
    # Seed by seed: 75, 75 and 60. A mean of the paper's means has no standard deviation.
    assert mean[2:] == ["70.00 ± 8.66 (paper 65.00)", "70.00 ± 5.00", "55.00"]


def test_equal_means_are_equally_good() -> None:
    suite = parse_suite(TEXT, "tiny.toml")
    page = render_report([(suite, make_records(suite))])
    assert "| **80.00 ± 10.00** (paper 70.00 ± 1.50) | **80.00 ± 0.00** |" in page
    assert "- after ±: the sample standard deviation over the seeds" in page


def test_no_standard_deviation_without_the_option_or_with_one_seed() -> None:
    assert rows(TEXT.replace("spread = true\n", ""))[1][2] == "80.00 (paper 70.00 ± 1.50)"
    assert rows(TEXT.replace("[0, 1, 2]", "[0]"))[1][2] == "90.00 (paper 70.00 ± 1.50)"
    other = TEXT.replace('name = "two"', 'name = "two"\nseeds = [1, 2]')
    assert [row[2][:13] for row in rows(other)[1:4]] == [
        "80.00 ± 10.00",
        "60.00 ± 14.14",
        "70.00 (paper ",
    ]


def test_results_stay_valid() -> None:
    plain = parse_suite(TEXT.replace("spread = true\n", ""), "tiny.toml")
    assert rows(TEXT, make_records(plain)) == rows(TEXT)


def test_the_other_tables() -> None:
    for layout, heading in (("sets", "Evidence, 2"), ("means", "### a"), ("columns", "### Ev")):
        suite = parse_suite(TEXT.replace('"problems"', f'"{layout}"'), "tiny.toml")
        page = render_report([(suite, make_records(suite))])
        assert "| LG | " in page[page.index(heading) :]
        assert "**70.00 ± 8.66** |" in page


def test_numbers_with_a_standard_deviation() -> None:
    mean = pickle.loads(pickle.dumps(Mean(0.5, 0.25)))
    assert (mean, mean.deviation, mean + 1) == (0.5, 0.25, 1.5)
    assert METRICS["error"].show(mean) == ".500 ± .250"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("[70.0]", "give a number, or a list of the mean and the standard deviation"),
        ("[70.0, -1.0]", "the standard deviation -1 is negative"),
        ('[70.0, "1"]', "valid number"),
    ],
)
def test_wrong_lists(value: str, message: str) -> None:
    with pytest.raises(ValueError, match=rf"problems 'one', paper, accuracy, LR.*{message}"):
        parse_suite(TEXT.replace("[70.0, 1.5]", value), "tiny.toml")
