"""The suites of PJNMF's table, and how the report describes their documents."""

from __future__ import annotations

from statistics import fmean

import pytest

from isthmus_bench.documents import corpora
from isthmus_bench.plan.reading import find_suite, parse_suite
from isthmus_bench.report.settings import _protocol
from made_reviews import SUITE, made_corpus
from tiny_suite import render_report, replace

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
            assert side == ({y: (f"{NAMES[letter]}.{y}",) for y in labels},)
        pools = {0: (f"{NAMES[source]}.pool",), -1: (f"{NAMES[target]}.pool",)}
        assert task.pools == pools
    assert (suite.text.min_df, suite.paired_with, suite.layout) == (3, ("svm",), "problems")


@pytest.mark.parametrize("name", BOTH)
def test_the_papers_numbers(name: str) -> None:
    (group,) = find_suite(name).sets
    columns = ["baseline", "SCL", "MCT", "SFA", "SDA", "CODA", "PJNMF"]
    papers = {task.name: task.paper["accuracy"] for task in group.tasks}
    assert papers["E to K"] == dict(
        zip(columns, [85.11, 85.08, 85.33, 85.91, 87.25, 86.08, 86.37], strict=True)
    )
    rows = list(papers.values())
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


def test_the_report_describes_the_documents() -> None:
    whole, splits = ("\n".join(_protocol(find_suite(name))) for name in BOTH)
    assert whole.startswith("pools of unlabeled documents take part in every fit")
    assert "folds" not in whole
    assert "5 folds of every class of every domain; the seed names the one" in splits
    assert "the scored documents are in no fit" in splits
    assert splits.count("(all problems)") == 3


def test_the_report_names_the_problems_with_their_own_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(corpora.CORPORA, "made", made_corpus())
    second = SUITE.partition("[[sets.problems]]")[2].partition("[[entries]]")[0]
    second = second.replace("s to t", "other").replace('source_pool = ["s.pool"]', "folds = 2")
    text = SUITE.replace("[[entries]]", f"[[sets.problems]]{second}[[entries]]")
    suite = parse_suite(text, "made.toml")
    assert [line.rpartition("(")[2] for line in _protocol(suite)] == [
        "other)", "all problems)"
    ]  # fmt: skip
    assert "target documents are scored (other)" in render_report([(suite, {})])
