"""Entries that are trained on the target alone, or cross-validated within one side."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from isthmus.text.weighting import make_weighting
from isthmus_bench.documents.problems import draw_labeled
from isthmus_bench.peers.registry import COMPETITORS
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.ranking import rank_methods
from isthmus_bench.report.summary import collect
from isthmus_bench.run.inputs import problem_of
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, record_key
from isthmus_bench.run.runs import Run
from isthmus_bench.run.worker import execute
from tiny_suite import CLUSTERS, render_report, table_rows

PROBLEM = """
[[sets.problems]]
name = "{}"
split = "{}"
source = {{ x = ["books.positive"], y = ["books.negative"] }}
target = {{ x = ["kitchen.positive"], y = ["kitchen.negative"] }}
"""
TEXT = (
    """
name = "tiny"
title = "Tiny"
citation = "Nobody"
seeds = [0]
dtype = "float64"
table = "problems"
paired_with = "lg"
[text]
min_df = 2
[tasks]
kind = "listed"
corpus = "synthetic"
[[sets]]
name = "a"
"""
    + PROBLEM.format("none", "evidence")
    + PROBLEM.format("some", "evidence")
    + """labeled_target = 0.2
paper.accuracy = { LG_T = 60.0 }
[[entries]]
id = "lg"
label = "LG"
method = "lg"
weighting = "tfidf"
[[entries]]
id = "target"
label = "LG_T"
method = "lg"
weighting = "tfidf"
trained_on = "target"
paper = "LG_T"
[[entries]]
id = "in"
label = "LG, folds of the source"
method = "lg"
weighting = "tfidf"
trained_on = "source folds"
[[entries]]
id = "out"
label = "LG, folds of the target"
method = "lg"
weighting = "tfidf"
trained_on = "target folds"
"""
)
SUITE = parse_suite(TEXT, "tiny.toml")


def runs_of(entry: str, suite: Suite = SUITE) -> dict[str, Run]:
    return {run.task.name: run for run in plan_runs(suite, Choice(methods=(entry,)))}


def test_the_target_alone() -> None:
    # It needs labeled documents of the target.
    (run,) = runs_of("target").values()
    assert run.task.name == "some"
    record = execute(run)
    problem = problem_of(run)
    is_target = problem.sample_domain < 0
    shown = draw_labeled(problem, run.task, run.seed)[is_target]
    X = make_weighting("tfidf").fit_transform(problem.counts[is_target])
    labels = problem.labels[is_target]
    estimator = COMPETITORS["lg"].build()
    estimator.fit(X[shown], labels[shown])
    right = estimator.predict(X[~shown]) == labels[~shown]
    assert record["accuracy"] == pytest.approx(right.mean(), abs=1e-6)
    assert 0 < right.mean() < 1
    sizes = {"n_source": shown.sum(), "n_target": (~shown).sum(), "n_labeled_target": 0}
    assert record["sizes"].items() >= sizes.items()
    assert record["sizes"]["n_scored"] == (~shown).sum()


@pytest.mark.parametrize(("entry", "of_target"), [("in", False), ("out", True)])
def test_folds(entry: str, of_target: bool) -> None:
    run = runs_of(entry)["none"]
    record = execute(run)
    problem = problem_of(run)
    side = (problem.sample_domain < 0) == of_target
    X = make_weighting("tfidf").fit_transform(problem.counts[side])
    labels = problem.labels[side]
    right = np.zeros(len(labels), bool)
    for known, held_out in StratifiedKFold(10, shuffle=True, random_state=0).split(X, labels):
        estimator = COMPETITORS["lg"].build()
        estimator.fit(X[known], labels[known])
        right[held_out] = estimator.predict(X[held_out]) == labels[held_out]
    assert record["error"] is None
    assert record["accuracy"] == pytest.approx(right.mean(), abs=1e-6)
    assert 0 < right.mean() < 1
    assert record["sizes"]["n_scored"] == len(labels)
    assert record["sizes"]["n_target" if of_target else "n_source"] == len(labels)
    assert record["seconds"] > 0


def test_the_other_results_keep_their_keys() -> None:
    for entry in ("lg", "target", "in", "out"):
        run = runs_of(entry)["some"]
        setup = run.identity()["setup"]
        assert setup.get("trained_on", "all") == run.entry.trained_on
        plain = dataclasses.replace(
            run, entry=run.entry.model_copy(update={"trained_on": "all"})
        ).identity()["setup"]
        assert plain == {name: value for name, value in setup.items() if name != "trained_on"}
        assert "trained_on" not in plain


def make_records(suite: Suite) -> dict[str, Record]:
    accuracy = {"lg": 0.5, "target": 0.75, "in": 0.9, "out": 0.8}
    records = {}
    for run in plan_runs(suite, Choice()):
        record = {
            **run.identity(), "accuracy": accuracy[run.entry.id], "seconds": 1.0, "error": None,
            "versions": {},
        }  # fmt: skip
        records[record_key(record)] = record
    return records


def test_their_columns_are_no_competitors() -> None:
    records = make_records(SUITE)
    page = render_report([(SUITE, records)])
    table = table_rows(page[page.index("| problem |") :].split("\n\n")[0])
    assert table[:4] == [
        ["problem", "split", "LG", "LG_T", "LG, folds of the source",
         "LG, folds of the target (oracle)"],
        ["none", "evidence", "50.00", "-", "90.00", "80.00"],
        ["some", "evidence", "50.00", "75.00 (paper 60.00)", "90.00", "80.00"],
        # A mean over one of two problems would not be comparable.
        ["mean of evidence (2)", "", "50.00", "-", "90.00", "80.00"],
    ]  # fmt: skip
    assert "**" not in page[page.index("| problem |") :]
    # There is nobody left to compare with.
    assert "### Against LG" not in page
    assert rank_methods([(SUITE, collect(SUITE, records))], "classifier", "evidence") is None
    assert "10-fold cross-validation within the target, with its true labels" in page
    assert "trained on the labeled documents of the target, without the source" in page
    assert "Not complete" not in page


def test_an_oracle_is_marked_once() -> None:
    text = TEXT.replace('folds of the target"', 'folds of the target (oracle)"')
    assert parse_suite(text, "t").entries == SUITE.entries


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("labeled_target = 0.2\n", "", "'target' runs on no problem: none has 'labeled_target'"),
        ('"source folds"', '"source"', "entries 'in', trained_on: .*'target folds'"),
        ('"source folds"', '"source folds"\nranked = true', "'ranked' is not for an entry with"),
        ('"source folds"', '"source folds"\nknown_class_prior = true', "'known_class_prior' is no"),
        ('with = "lg"', 'with = "in"', "'in' has 'grid' or 'trained_on': it can be in no goal"),
        (
            'name = "none"',
            'name = "none"\ntarget_pool = ["p"]\nnew_documents = true',
            "'in' has 'trained_on', .* the problem 'none' has 'new_documents'",
        ),
    ],
)
def test_what_does_not_go_together(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(ValueError, match=message):
        parse_suite(TEXT.replace(old, new), "tiny.toml")


def test_clusterers_have_no_training() -> None:
    with pytest.raises(ValueError, match="entries 'all': 'trained_on' is for classifiers"):
        parse_suite(f'{CLUSTERS}trained_on = "target folds"', "tiny.toml")


def test_a_default_at_other_settings_need_not_be_ranked() -> None:
    first, second = parse_suite(
        TEXT.replace('label = "LG"\n', 'label = "LG"\nranked = false\n')
        + '[[entries]]\nid = "lg-2"\nlabel = "LG"\nmethod = "lg"\nweighting = "log-tfidf"\n',
        "tiny.toml",
    ).entries[::4]
    assert (first.is_default, first.represents_method) == (True, False)
    assert second.represents_method
