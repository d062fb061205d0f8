"""Suites: numbering of the problems, the papers' numbers, errors in suite files."""

from __future__ import annotations

from itertools import permutations

import pytest

from isthmus.bench.suite import find_suite, parse_suite, suites
from isthmus.estimators.registry import METHODS
from tiny_suite import TINY

SUITE = TINY.replace("development_every = 4", "development_every = 2")


def test_numbering_of_table_1() -> None:
    suite = find_suite("mtrick-table1")
    assert [group.name for group in suite.sets] == ["sci vs talk", "rec vs sci"]
    for group in suite.sets:
        assert len(group.tasks) == 144
        development = [i for i, task in enumerate(group.tasks) if task.split == "development"]
        assert development == list(range(0, 144, 9))
    first, last = suite.sets[0].tasks[0], suite.sets[0].tasks[-1]
    assert first.domains == {
        0: (("positive", ("sci.crypt",)), ("negative", ("talk.politics.guns",))),
        -1: (("positive", ("sci.electronics",)), ("negative", ("talk.politics.mideast",))),
    }
    assert (last.domains[0][0][1], last.domains[-1][0][1]) == (("sci.space",), ("sci.med",))
    assert suite.sets[1].tasks[0].domains == {
        0: (("positive", ("rec.autos",)), ("negative", ("sci.crypt",))),
        -1: (("positive", ("rec.motorcycles",)), ("negative", ("sci.electronics",))),
    }


def test_order_of_table_1_is_that_of_the_permutations() -> None:
    sci = ["sci.crypt", "sci.electronics", "sci.med", "sci.space"]
    pairs = [p for p in permutations(sci, 2) for _ in range(12)]
    tasks = find_suite("mtrick-table1").sets[0].tasks
    assert [(t.domains[0][0][1][0], t.domains[-1][0][1][0]) for t in tasks] == pairs


def test_table_3_is_three_tasks_and_their_reverse() -> None:
    suite = find_suite("mtrick-table3")
    assert [t.name for t in suite.tasks if t.split == "development"] == ["orgs vs people"]
    for forward, back in zip(suite.tasks[:3], suite.tasks[3:], strict=True):
        assert forward.corpus == back.corpus
        assert (forward.sources, forward.targets) == (back.targets, back.sources)
    totals = [group.paper["total"]["MTrick"] for group in suite.sets[:3]]
    assert totals == [80.80, 76.77, 69.02]


def test_paper_numbers_of_table_1() -> None:
    sci, rec = find_suite("mtrick-table1").sets
    assert sci.paper["total"] == {
        "LG": 70.64, "SVM": 69.62, "TSVM": 79.35, "CoCC": 90.50, "MTrick0": 87.88, "MTrick": 92.01
    }  # fmt: skip
    assert rec.paper["L"]["MTrick"] == 90.44
    assert rec.paper["R"]["MTrick0"] == 93.50


@pytest.mark.parametrize("name", list(suites()))
def test_entries_can_be_built(name: str) -> None:
    suite = find_suite(name)
    for entry in suite.entries:
        METHODS[entry.method].build(entry.preset, **entry.params)
    columns = {column for group in suite.sets for column in group.paper.get("total", {})}
    assert {entry.paper for entry in suite.entries if entry.paper} <= columns


def test_a_set_with_its_own_rule_counts_its_groups() -> None:
    suite = parse_suite(SUITE, "tiny.toml")
    assert len(suite.tasks) == 4
    assert suite.groups("synthetic") == (
        "books.negative",
        "books.positive",
        "kitchen.negative",
        "kitchen.positive",
    )


def test_unknown_suite_and_file() -> None:
    with pytest.raises(ValueError, match="choose among amazon, mtrick-table1, mtrick-table3"):
        find_suite("mtrick-table9")
    with pytest.raises(FileNotFoundError, match=r"no suite file 'x\.toml'"):
        find_suite("x.toml")
