"""Suites with an entry for the rest of the methods, and entries for some problems only."""

from __future__ import annotations

from isthmus_bench.peers.registry import COMPETITORS, LABORATORY
from isthmus_bench.plan.reading import parse_suite, suites
from isthmus_bench.run.planning import Choice, plan_runs
from tiny_suite import TINY

REST = '[rest]\nweighting = "log-tfidf"\n'
NAMED = TINY.replace('name = "a"\n', 'name = "a"\nnamed = [1, 3]\n')


def test_the_rest_has_every_classifier_once() -> None:
    suite = parse_suite(TINY + REST, "tiny.toml")
    classifiers = {name for name, method in COMPETITORS.items() if method.kind == "classifier"} - {
        *LABORATORY
    }
    methods = [entry.method for entry in suite.entries]
    assert sorted(methods) == sorted(classifiers)
    assert suite.entries[0].id == "lg"
    labels = {entry.id: entry.label for entry in suite.entries}
    assert (labels["mtrick"], labels["self-training"]) == ("MTrick", "self-training")


def test_an_entry_with_parameters_does_not_replace_the_default() -> None:
    text = TINY.replace('weighting = "log-tfidf"\n', 'weighting = "counts"\nparams = { C = 2.0 }\n')
    suite = parse_suite(text + REST + 'without = ["svm"]\n', "tiny.toml")
    by_id = {entry.id: entry for entry in suite.entries}
    assert by_id["lg-default"].is_default
    assert by_id["lg-default"].weighting == "log-tfidf"
    assert not by_id["lg"].is_default
    assert "svm" not in {entry.method for entry in suite.entries}


def test_named_entries_run_on_named_problems() -> None:
    suite = parse_suite(NAMED + REST + 'problems = "named"\n', "tiny.toml")
    tasks: dict[str, list[str]] = {}
    for run in plan_runs(suite, Choice(methods=("lg", "svm"))):
        tasks.setdefault(run.entry.id, []).append(run.task.name)
    assert len(tasks["lg"]) == 4
    assert [name[:5] for name in tasks["svm"]] == ["a 001", "a 003"]


def test_an_entry_may_have_some_of_the_seeds() -> None:
    text = TINY.replace('method = "lg"', 'method = "mtrick"\nparams = { init = "plsa" }')
    few = parse_suite(text + "seeds = [1]\n", "tiny.toml")
    assert {run.seed for run in plan_runs(parse_suite(text, "tiny.toml"), Choice())} == {0, 1}
    assert {run.seed for run in plan_runs(few, Choice())} == {1}


def test_named_problems_of_table_1_are_evidence_with_every_pair_once() -> None:
    for group in suites()["mtrick-table1"].sets:
        named = [task for task in group.tasks if task.named]
        assert len(named) == 12
        assert {task.split for task in named} == {"evidence"}
        for label in ("positive", "negative"):
            pairs = {(t.sources[0][label], t.targets[0][label]) for t in named}
            assert len(pairs) == 12
