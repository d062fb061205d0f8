"""The report, from generated results."""

from __future__ import annotations

from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, record_key
from tiny_suite import render_report

TEXT = """
name = "tiny"
title = "Tiny tasks"
citation = "Nobody, 2010"
seeds = [0, 1]
dtype = "float32"
[text]
min_df = 2
[tasks]
kind = "ordered-pairs"
corpus = "synthetic"
development_every = 4
[difficulty]
entry = "lg"
threshold = 65.0
[[sets]]
name = "a"
positive = ["books.positive", "kitchen.positive"]
negative = ["books.negative", "kitchen.negative"]
paper.total = { LG = 70.64, TSVM = 79.35, MTrick = 92.01 }
paper.L = { LG = 59.09, TSVM = 72.13, MTrick = 86.52 }
[[entries]]
id = "lg"
label = "LG"
method = "lg"
weighting = "log-tfidf"
paper = "LG"
[[entries]]
id = "mtrick"
label = "MTrick"
method = "mtrick"
params = { init = "plsa" }
weighting = "log-tfidf"
paper = "MTrick"
[[goals]]
set = "a"
entry = "mtrick"
split = "evidence"
mean = 70.0
collapsed = 0.0
"""
SUITE = parse_suite(TEXT, "tiny.toml")
LG = [0.7, 0.6, 0.66, 0.4]
MTRICK = [(0.9, 0.9), (0.99, 0.97), (0.95, 0.95), (0.8, 0.4)]


def make_records(suite: Suite) -> dict[str, Record]:
    numbers = {task.name: i for i, task in enumerate(suite.tasks)}
    records = {}
    for run in plan_runs(suite, Choice()):
        i = numbers[run.task.name]
        accuracy = LG[i] if run.seed is None else MTRICK[i][run.seed]
        record = {
            **run.identity(),
            "accuracy": accuracy,
            "seconds": 9.0,
            "cpu_seconds": 0.5,
            "error": None,
            "versions": {"numpy": "2.0"},
        }
        records[record_key(record)] = record
    return records


def cells(page: str, part: str, label: str) -> list[str]:
    """The row of an entry in the table after a heading."""
    section = page[page.index(part) :]
    row = next(line for line in section.splitlines() if line.startswith(f"| {label}"))
    return [cell.strip().replace("**", "") for cell in row.strip("|").split("|")]


def test_numbers() -> None:
    page = render_report([(SUITE, make_records(SUITE))])
    assert cells(page, "Evidence, 3 problems", "MTrick") == [
        "MTrick", "92.01", "84.33", "60.00", "0", "1 of 6", "79.00 (2)", "86.52", "95.00 (1)",
        "0.50", "-", "3", "2",
    ]  # fmt: skip
    assert cells(page, "Evidence, 3 problems", "LG")[2:6] == ["55.33", "40.00", "1", "1 of 3"]
    assert cells(page, "Development, 1 problems", "MTrick")[2] == "90.00"
    assert cells(page, "Evidence, 3 problems", "TSVM (paper only)")[1] == "79.35"
    assert "isthmus-bench run tiny" in page
    assert "numpy 2.0 (12 runs)" in page
    assert "incomplete" not in page


def test_a_swap_in_one_seed_misses_the_goal() -> None:
    page = render_report([(SUITE, make_records(SUITE))])
    assert "**missed** (mean 84.33, 0 of 3 problems and 1 of 6 runs below 50 %)" in page


def test_stale_results_are_not_shown() -> None:
    records = make_records(SUITE)
    stale = {}
    for record in records.values():
        old = {**record, "setup": {**record["setup"], "revision": 0}}
        stale[record_key(old)] = old
    page = render_report([(SUITE, stale)])
    assert cells(page, "Evidence", "LG (incomplete)")[2] == "-"
    assert "- MTrick: 0 of 8 runs done" in page
    assert "**not complete** (0 of 6 runs)" in page
    assert "numpy" not in page


def test_failures_are_listed() -> None:
    records = make_records(SUITE)
    key = next(k for k, r in records.items() if r["setup"]["method"] == "lg")
    records[key] = {**records[key], "error": "MemoryError: no room"}
    page = render_report([(SUITE, records)])
    assert "- LG: 3 of 4 runs done" in page
    assert "MemoryError: no room" in page


def test_the_best_are_bold_except_for_oracles() -> None:
    oracle = """
[[entries]]
id = "known"
label = "Known"
method = "svm"
weighting = "log-tfidf"
known_class_prior = true
"""
    suite = parse_suite(TEXT.replace("[[goals]]", f"{oracle}[[goals]]"), "tiny.toml")
    records = make_records(suite)
    for record in records.values():
        if record["setup"]["method"] == "svm":
            record["accuracy"] = 0.99
    page = render_report([(suite, records)])
    row = next(line for line in page.splitlines() if line.startswith("| Known (oracle)"))
    assert "**" not in row
    row = next(line for line in page.splitlines() if line.startswith("| MTrick |"))
    assert "| **84.33** |" in row
    assert "| **79.00 (2)** |" in row
