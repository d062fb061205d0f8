"""The suites of PJNMF's table, and what the report says of their documents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from isthmus.bench.plan.reading import find_suite, parse_suite
from isthmus.bench.report.build import render_report
from isthmus.bench.report.protocol_lines import protocol_lines
from isthmus.bench.run.planning import Choice, plan_runs
from isthmus.bench.run.worker import execute
from made_reviews import SUITE

NAMES = {"B": "books", "D": "dvd", "E": "electronics", "K": "kitchen"}
BOTH = ("pjnmf-table1", "pjnmf-table1-splits")


@pytest.mark.parametrize("name", BOTH)
def test_twelve_pairs(name: str) -> None:
    suite = find_suite(name)
    (group,) = suite.sets
    pairs = [tuple(task.name.split(" to ")) for task in group.tasks]
    assert sorted(pairs) == sorted((s, t) for s in NAMES for t in NAMES if s != t)
    development = {task.name for task in group.tasks if task.split == "development"}
    assert development == {"B to D", "D to B", "E to K", "K to E"}
    for (source, target), task in zip(pairs, group.tasks, strict=True):
        labels = ("positive", "negative")
        for side, letter in ((task.sources, source), (task.targets, target)):
            assert side == (tuple((y, (f"{NAMES[letter]}.{y}",)) for y in labels),)
        pools = {0: (f"{NAMES[source]}.pool",), -1: (f"{NAMES[target]}.pool",)}
        assert task.pools == pools
    assert (suite.text.min_df, suite.paired_with, suite.layout) == (3, "svm", "problems")


@pytest.mark.parametrize("name", BOTH)
def test_the_papers_numbers(name: str) -> None:
    (group,) = find_suite(name).sets
    columns = ["baseline", "SCL", "MCT", "SFA", "SDA", "CODA", "PJNMF"]
    assert group.problem_papers["E to K"]["accuracy"] == dict(
        zip(columns, [85.11, 85.08, 85.33, 85.91, 87.25, 86.08, 86.37], strict=True)
    )
    rows = [group.problem_papers[task.name]["accuracy"] for task in group.tasks]
    for column in columns:
        mean = fmean(row[column] for row in rows)
        assert mean == pytest.approx(group.paper["total"][column], abs=0.0051)


def test_the_suites_differ_by_their_protocol() -> None:
    whole, splits = map(find_suite, BOTH)
    assert [(task.folds, task.new_documents) for task in whole.tasks] == [(None, False)] * 12
    for task, other in zip(whole.tasks, splits.tasks, strict=True):
        protocol = {"folds": 5, "new_documents": True, "set_name": other.set_name}
        assert replace(task, **protocol) == other
    assert splits.seeds == (0, 1, 2, 3, 4)


def test_the_report_tells_which_documents_there_are() -> None:
    whole, splits = ("\n".join(protocol_lines(find_suite(name))) for name in BOTH)
    assert whole.startswith("pools of documents without a label take part in every fit")
    assert "folds" not in whole
    assert "5 folds of every class of every domain, of which the seed names one" in splits
    assert "the scored documents are in no fit" in splits
    assert splits.count("(all problems)") == 3


def test_rules_of_some_problems_name_them() -> None:
    second = SUITE.partition("[[sets.problems]]")[2].partition("[[entries]]")[0]
    second = second.replace("s to t", "other").replace('source_pool = ["s.pool"]', "folds = 2")
    text = SUITE.replace("[[entries]]", f"[[sets.problems]]{second}[[entries]]")
    suite = parse_suite(text, "made.toml")
    assert [line.rpartition("(")[2] for line in protocol_lines(suite)] == [
        "other)", "all problems)"
    ]  # fmt: skip
    assert "it alone is scored (other)" in render_report([(suite, {})])


@pytest.mark.corpus
@pytest.mark.xdist_group("corpora")
def test_the_svm_is_where_it_was_measured(
    corpora: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISTHMUS_DATA", str(corpora))
    monkeypatch.setenv("ISTHMUS_CACHE", str(tmp_path))
    choice = Choice(methods=("svm",), split="development")
    records = [execute(run) for run in plan_runs(find_suite("pjnmf-table1"), choice)]
    assert [record["error"] for record in records] == [None] * 4
    assert {record["n_scored"] for record in records} == {2000}
    assert all(140 < record["n_duplicates"] < 220 for record in records)
    assert 82.5 < 100 * fmean(record["accuracy"] for record in records) < 84
