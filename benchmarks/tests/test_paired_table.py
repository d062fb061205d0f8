"""Tables that compare entries with another one, over all problems and on each."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, pack_mask, record_key
from tiny_suite import render_report

HEAD = """
name = "tiny"
title = "Tiny tasks"
citation = "Nobody, 2010"
seeds = [0, 1]
dtype = "float32"
table = "problems"
paired_with = "svm"
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
"""
ENTRIES = """
[[entries]]
id = "svm"
label = "SVM"
method = "svm"
weighting = "log-tfidf"
[[entries]]
id = "mtrick"
label = "MTrick"
method = "mtrick"
params = { init = "plsa" }
weighting = "log-tfidf"
"""
SPLITS = {"one": "development", "two": "evidence", "three": "evidence"}
TEXT = HEAD + "".join(PROBLEM.format(name=n, split=s) for n, s in SPLITS.items()) + ENTRIES
SUITE = parse_suite(TEXT, "tiny.toml")
FOLDED = parse_suite(
    TEXT.replace('kitchen.negative"] }', 'kitchen.negative"] }\nfolds = 2'), "tiny.toml"
)
# Ten documents per problem; 1 is correct.
SVM = {"one": "1111100000", "two": "1111110000", "three": "1111111000"}
MTRICK = {
    "one": ["1111111110", "1111111000"],
    "two": ["1111110000", "1111110000"],
    "three": ["1111110110", "0000000000"],
}


def make_records(suite: Suite) -> dict[str, Record]:
    records = {}
    for run in plan_runs(suite, Choice()):
        seed = run.seed or 0
        bits = SVM[run.task.name] if run.entry.id == "svm" else MTRICK[run.task.name][seed]
        if run.task.folds is not None:
            bits = bits[:5] if seed == 0 else bits[5:]
        right = np.array([bit == "1" for bit in bits])
        record = {
            **run.identity(), "accuracy": float(right.mean()), "sizes": {"n_scored": len(right)},
            "correct_mask": pack_mask(right), "seconds": 0.5, "error": None, "versions": {},
        }  # fmt: skip
        records[record_key(record)] = record
    return records


def rows(page: str, heading: str = "### Against SVM", start: str = "MTrick") -> list[list[str]]:
    section = page[page.index(heading) :].partition("\n\n### ")[0]
    lines = [line for line in section.splitlines() if line.startswith(f"| {start}")]
    return [
        [cell.strip().replace("**", "") for cell in line.strip("|").split("|")] for line in lines
    ]


def test_differences_and_documents() -> None:
    page = render_report([(SUITE, make_records(SUITE))])
    assert rows(page) == [
        # Means of the seeds: 80 and 50, 60 and 60, 40 and 70; documents of seed 0.
        ["MTrick", "development (1)", "+30.00", "1 / 0 / 0", "1.0000", "4 / 0", "0.1250"],
        ["MTrick", "evidence (2)", "-15.00", "0 / 1 / 1", "1.0000", "2 / 1", "1.0000"],
        ["MTrick", "all (3)", "+0.00", "1 / 1 / 1", "1.0000", "6 / 1", "0.1250"],
    ]
    assert 2 * (1 + comb(7, 1)) / 2**7 == 0.125
    assert "independent, although problems share sources and targets" in page
    assert "uses the first seed" in page
    assert "| SVM" not in page[page.index("### Against SVM") :]


def test_folds_are_combined_into_all_documents() -> None:
    page = render_report([(FOLDED, make_records(FOLDED))])
    table_rows = rows(page)
    # "three": the first five documents of seed 0, the last five of seed 1, all wrong.
    assert [row[5] for row in table_rows] == ["2 / 0", "0 / 2", "2 / 2"]
    assert [row[2] for row in table_rows] == ["+20.00", "-10.00", "+0.00"]
    assert "uses the first seed" not in page
    assert "2 folds of every class of every domain" in page


def test_older_results_have_only_scores() -> None:
    records = make_records(SUITE)
    for key, record in records.items():
        if record["problem"]["task"] == "two" and record["setup"]["method"] == "mtrick":
            records[key] = {name: value for name, value in record.items() if name != "correct_mask"}
    table_rows = rows(render_report([(SUITE, records)]))
    assert [row[5:] for row in table_rows] == [["4 / 0", "0.1250"], ["-", "-"], ["-", "-"]]
    assert [row[2] for row in table_rows] == ["+30.00", "-15.00", "+0.00"]


def test_only_problems_that_both_have_run_are_compared() -> None:
    records = {
        key: record
        for key, record in make_records(SUITE).items()
        if not (record["problem"]["task"] == "three" and record["seed"] == 1)
        and not (record["problem"]["task"] == "one" and record["setup"]["method"] == "svm")
    }
    table_rows = rows(render_report([(SUITE, records)]))
    assert [row[1:3] for row in table_rows] == [
        ["development (1), 0 of them run", "-"],
        ["evidence (2), 1 of them run", "+0.00"],
        ["all (3), 1 of them run", "+0.00"],
    ]


def test_small_p_values() -> None:
    suite = parse_suite(HEAD + PROBLEM.format(name="one", split="evidence") + ENTRIES, "t.toml")
    records = make_records(suite)
    for key, record in records.items():
        right = np.full(400, record["setup"]["method"] == "mtrick")
        records[key] = {**record, "correct_mask": pack_mask(right), "sizes": {"n_scored": 400}}
    assert rows(render_report([(suite, records)]))[0][5:] == ["400 / 0", "< 0.0001"]


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace('paired_with = "svm"\n', ""),
        TEXT.partition('[[entries]]\nid = "mtrick"')[0],
    ],
    ids=["no entry named", "no other entry"],
)
def test_no_table_without_something_to_compare(text: str) -> None:
    suite = parse_suite(text, "tiny.toml")
    assert "Against" not in render_report([(suite, make_records(suite))])


def test_several_entries_to_compare_with() -> None:
    suite = parse_suite(TEXT.replace('"svm"\n[text]', '["svm", "mtrick"]\n[text]'), "tiny.toml")
    page = render_report([(suite, make_records(suite))])
    alone = render_report([(SUITE, make_records(SUITE))])
    assert rows(page) == rows(alone)
    assert rows(page, "### Against MTrick", "SVM")[0] == [
        "SVM", "development (1)", "-30.00", "0 / 0 / 1", "1.0000", "0 / 4", "0.1250",
    ]  # fmt: skip
    assert "compares the method with MTrick over the problems" in page


def test_a_pair_on_every_problem() -> None:
    text = TEXT.replace('paired_with = "svm"', 'paired_tests = [["mtrick", "svm"]]')
    suite = parse_suite(text, "tiny.toml")
    page = render_report([(suite, make_records(suite))])
    heading = "### MTrick against SVM on each problem"
    assert "Against SVM" not in page
    assert f"{heading}\n\n| problem | mean difference | only MTrick correct / only SVM |" in page
    # 4 and 0 of 10 documents: 2 / 2**4; 0 and 0; 2 and 1: 1.
    assert rows(page, heading, "")[2:] == [
        ["one (development)", "+30.00", "4 / 0", "0.1250"],
        ["two (evidence)", "+0.00", "0 / 0", "1.0000"],
        ["three (evidence)", "-30.00", "2 / 1", "1.0000"],
        ["development (1)", "+30.00", "4 / 0", "0.1250"],
        ["evidence (2)", "-15.00", "2 / 1", "1.0000"],
        ["all (3)", "+0.00", "6 / 1", "0.1250"],
    ]
    assert "Wilcoxon" not in page


def test_a_pair_on_folds() -> None:
    text = TEXT.replace('kitchen.negative"] }', 'kitchen.negative"] }\nfolds = 2')
    text = text.replace('paired_with = "svm"', 'paired_tests = [["mtrick", "svm"]]')
    suite = parse_suite(text, "tiny.toml")
    page = render_report([(suite, make_records(suite))])
    # The first five documents of seed 0 and the last five of seed 1.
    found = rows(page, "### MTrick against SVM", "")[2:]
    assert [row[2] for row in found] == ["2 / 0", "0 / 0", "0 / 2", "2 / 0", "0 / 2", "2 / 2"]
