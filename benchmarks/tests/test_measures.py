"""Measures: known values, and what a result stores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from isthmus import MTrick
from isthmus.solvers.tri_factorization import _restarts
from isthmus.solvers.tri_factorization.plsa import Plsa, plsa
from isthmus_bench.documents.problems import BenchmarkProblem
from isthmus_bench.plan.measures import (
    convergence,
    domain_distance,
    overlap_shares,
    proxy_a_distance,
    start_topics,
    word_overlap,
)
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


def test_overlap_of_known_word_sets() -> None:
    source = [{1, 2, 3, 4}, {5, 6, 7, 8}]
    target = [{1, 2, 8, 9}, {5, 6, 7, 0}]
    topics = [{1, 3, 8, 7}, {5, 6, 7, 8}]
    # Shared words: 1, 2 and 5, 6, 7. Words of the topics in either domain: 1, 3, 8 and all four.
    assert overlap_shares(source, target, topics) == ((2 / 4 + 3 / 4) / 2, (3 / 4 + 4 / 4) / 2)


def test_topics_are_those_of_the_initialization(monkeypatch: pytest.MonkeyPatch) -> None:
    began: list[Plsa] = []

    def watched(*args: object, **kwargs: object) -> Plsa:
        began.append(plsa(*args, **kwargs))  # type: ignore[arg-type]
        return began[-1]

    for scaled in (False, True):
        with monkeypatch.context() as patch:
            patch.setattr(_restarts, "plsa", watched)
            model = fitted(unit_rows=scaled)
        np.testing.assert_allclose(start_topics(model, DRAWN, PROBLEM), began[-1].topics)


def test_overlap_of_a_fit() -> None:
    model = fitted()
    model.term_totals_ = {0: np.ones(30), -1: np.ones(30)}
    # Source clusters have the first 20 words, target clusters the last 20.
    share = np.where(np.arange(30)[:, None] < 20, 1.0, 0.1) * np.ones((30, 4))
    model.word_clusters_ = {0: share, -1: np.roll(share, 10, axis=0)}
    overlap = word_overlap(model, PROBLEM, DRAWN)
    assert overlap["r1"] == 0.5
    assert overlap["r2"] == 1.0  # both domains together have all words


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"init": "class_conditional", "n_word_clusters": 2},
            "starts from topics of all documents",
        ),
        ({"plsa_sample": 20}, "starts from topics of all documents"),
    ],
)
def test_overlap_needs_topics(params: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        word_overlap(fitted(**params), PROBLEM, DRAWN)


def test_distance_of_domains() -> None:
    generator = np.random.default_rng(0)
    is_target = np.repeat([False, True], [300, 100])
    noise = generator.normal(size=(400, 3))
    assert abs(proxy_a_distance(noise, is_target)) < 0.35
    apart = noise + 20 * is_target[:, None] - 10
    assert proxy_a_distance(apart, is_target) == 2.0
    # Half of the target looks like the source: an error of 1/2 there, 1/4 in the mean of both,
    # whichever rows are drawn, although only an eighth of all rows is misclassified.
    alike = np.where(is_target & (np.arange(400) % 2 > 0), 1.0, -1.0)
    seen = np.column_stack([alike, np.ones(400)])
    distances = [proxy_a_distance(seen, is_target, seed) for seed in range(20)]
    assert np.mean(distances) == pytest.approx(2 * (1 - 2 / 4), abs=0.05)


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
