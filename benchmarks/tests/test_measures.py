"""Measures: known values, and what a result stores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from isthmus import MTrick
from isthmus_bench.documents.problems import BenchmarkProblem
from isthmus_bench.plan.measures import convergence, domain_distance, word_overlap
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.report.summary import collect
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import ResultFile, record_key
from isthmus_bench.run.runner import run_pending
from tiny_suite import TINY

DRAWN = np.random.default_rng(0).poisson(1.0, (40, 30)).astype(np.float64)
DOMAIN = np.repeat([0, -1], 20)
LABELS = np.tile([0, 1], 20)
PROBLEM = BenchmarkProblem(DRAWN, LABELS, DOMAIN, ("a", "b"))
ROWS = DOMAIN < 0


def fitted(**params: object) -> MTrick:
    labels = LABELS.astype(object)
    labels[ROWS] = None
    settings = {
        "init": "plsa",
        "max_iter": 5,
        "tol": 0.0,
        "random_state": 3,
        "n_word_clusters": 4,
        **params,
    }
    return MTrick(**settings).fit(DRAWN, labels, sample_domain=DOMAIN)


def test_overlap_of_a_fit() -> None:
    model = fitted()
    model.term_totals_ = {0: np.ones(30), -1: np.ones(30)}
    # Source clusters have the first 20 words, target clusters the last 20.
    share = np.where(np.arange(30)[:, None] < 20, 1.0, 0.1) * np.ones((30, 4))
    model.word_clusters_ = {0: share, -1: np.roll(share, 10, axis=0)}
    overlap = word_overlap(model, PROBLEM, DRAWN)
    assert overlap["r1"] == 0.5
    assert overlap["r2"] == 1.0  # both domains together have all words


def test_distance_uses_features_if_available() -> None:
    telling = np.column_stack([DOMAIN < 0, DOMAIN >= 0]).astype(float)
    problem = BenchmarkProblem(telling, LABELS, DOMAIN, ("a", "b"))
    assert domain_distance(object(), problem, telling) == {"a_distance": 2.0}
    blind = SimpleNamespace(transform=lambda X, sample_domain: np.ones((len(X), 1)))
    assert domain_distance(blind, problem, telling) == {"a_distance": 0.0}


def test_which_iterations_of_the_objective_are_kept() -> None:
    model = SimpleNamespace(objective_=np.arange(24.0, 0, -1))
    curve = convergence(model, PROBLEM, DRAWN)["objective"]
    assert [step for step, _ in curve] == [0, 1, 2, 3, 5, 7, 10, 15, 20, 23]
    assert [value for _, value in curve] == [24 - step for step, _ in curve]


MEASURED = """
[[entries]]
id = "topics"
label = "MTrick"
method = "mtrick"
params = { max_iter = 4, tol = 0.0, init = "plsa", n_word_clusters = 4, plsa_iter = 2 }
weighting = "log-tfidf"
measures = ["word overlap", "convergence"]
"""


def test_results_keep_measures(tmp_path: Path) -> None:
    suite = parse_suite(TINY + MEASURED, "tiny.toml")
    runs = plan_runs(suite, Choice(methods=("topics",), seeds=(0,), limit=1))
    file = ResultFile(tmp_path / "r.jsonl")
    with ThreadPoolExecutor(1) as executor:
        run_pending(runs, file, executor=executor)
    (record,) = file.read().values()
    assert record["error"] is None
    results = collect(suite, file.read())["topics"]
    (task,) = results.objectives
    assert results.mean(task, "r1") == record["r1"] > 0
    assert list(results.objectives[task][0]) == [0, 1, 2, 3, 4]
    assert results.mean(task, "proxy A-distance") is None


def test_measures_are_part_of_the_key() -> None:
    with_measures = parse_suite(TINY + MEASURED, "tiny.toml")
    without = parse_suite(TINY + MEASURED.replace("measures = [", "# ["), "tiny.toml")
    keys = [
        [record_key(run.identity()) for run in plan_runs(suite, Choice(limit=1))]
        for suite in (with_measures, without)
    ]
    assert keys[0][0] == keys[1][0]  # the entry without measures
    assert not set(keys[0][1:]) & set(keys[1][1:])


def test_unknown_measure() -> None:
    with pytest.raises(ValueError, match=r"'r3' is unknown: choose from convergence, proxy"):
        parse_suite(TINY + MEASURED.replace("word overlap", "r3"), "tiny.toml")
