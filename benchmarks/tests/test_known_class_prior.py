"""Oracles: only these entries know the true class prior."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from isthmus_bench.documents import corpora
from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.reading import find_suite, parse_suite
from isthmus_bench.run import worker
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import record_key
from isthmus_bench.run.runs import _setup, build
from isthmus_bench.run.worker import execute
from made_reviews import SUITE, forget, made_corpus
from tiny_suite import render_report, replace

ORACLE = """
[[entries]]
id = "known"
label = "SVM, true class prior"
method = "svm"
weighting = "tfidf"
known_class_prior = true
"""
TARGET = 'target = { x = ["t.x"], y = ["t.y"] }'
# The same documents, all of one class.
OTHER_TRUTH = 'target = { x = ["t.x", "t.y"] }'
PRIORS = [find_suite(name) for name in ("amazon-priors", "amazon-priors-skewed")]


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(corpora.CORPORA, "made", made_corpus())
    forget()
    yield
    forget()


class Recorder:
    """Records its input and parameters, and predicts class 0."""

    is_random = False

    def __init__(self, **params: Any) -> None:
        self.params = params

    def set_params(self, **params: Any) -> None:
        self.params.update(params)

    def fit(self, X: Any, y: Any, sample_domain: Any) -> Recorder:
        self.seen = (X.toarray().tolist(), list(y), sample_domain.tolist())
        self.transduction_ = np.zeros(len(y), object)
        return self


def fit_recorder(entry: Entry, problem: str, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """Input and parameters of the fit of an entry on the only problem of a suite."""
    recorders = []

    def record(entry: Entry, task: BenchmarkTask, seed: int | None) -> Recorder:
        recorders.append(Recorder(**build(entry, task, seed).get_params(deep=False)))
        return recorders[-1]

    monkeypatch.setattr(worker, "_warm_up", lambda *given: None)
    monkeypatch.setattr(worker, "build", record)
    forget()
    run = plan_runs(parse_suite(problem, "made.toml"), Choice())[0]
    assert execute(replace(run, entry=entry))["error"] is None
    (recorder,) = recorders
    return recorder


@pytest.mark.parametrize(
    "entry",
    [entry for suite in PRIORS for entry in suite.entries],
    ids=[f"{suite.name}-{entry.id}" for suite in PRIORS for entry in suite.entries],
)
def test_only_oracles_depend_on_the_target_labels(
    entry: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = fit_recorder(entry, SUITE, monkeypatch)
    second = fit_recorder(entry, SUITE.replace(TARGET, OTHER_TRUTH), monkeypatch)
    assert first.seen == second.seen
    assert (first.params == second.params) is not entry.known_class_prior
    assert entry.known_class_prior is entry.label.endswith("(oracle)")


def test_an_oracle_gets_the_class_prior_of_the_scored_documents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = parse_suite(SUITE + ORACLE, "made.toml").entries[1]
    assert fit_recorder(entry, SUITE, monkeypatch).params["class_prior"] == {0: 0.5, 1: 0.5}
    skewed = SUITE.replace(TARGET, f"{TARGET}\nkeep_target = {{ y = 0.2 }}")
    prior = fit_recorder(entry, skewed, monkeypatch).params["class_prior"]
    assert prior == pytest.approx({0: 10 / 12, 1: 2 / 12})
    other = SUITE.replace(TARGET, OTHER_TRUTH)
    assert fit_recorder(entry, other, monkeypatch).params["class_prior"] == {0: 1.0, 1: 0.0}
    # Labeled rows are not scored.
    shown = SUITE.replace(TARGET, f"{TARGET}\nkeep_target = {{ y = 0.4 }}\nlabeled_target = 0.5")
    prior = fit_recorder(entry, shown, monkeypatch).params["class_prior"]
    assert prior == pytest.approx({0: 5 / 7, 1: 2 / 7})


def test_the_result_stores_that_an_oracle_knows_the_class_prior() -> None:
    skewed = SUITE.replace(TARGET, f"{TARGET}\nkeep_target = {{ y = 0.2 }}")
    suite = parse_suite(skewed + ORACLE, "made.toml")
    records = [execute(run) for run in plan_runs(suite, Choice(seeds=(0,)))]
    assert [record["error"] for record in records] == [None, None]
    assert records[1]["setup"]["params"]["class_prior"] == "known"
    assert len({record_key(record) for record in records}) == 2
    page = render_report([(suite, {record_key(record): record for record in records})])
    line = (
        "- SVM, true class prior (oracle): method `svm`, weighting `tfidf`, given the true class "
        "proportions of the scored documents"
    )
    assert line in page
    assert "| SVM | SVM, true class prior (oracle) |" in page


def test_newer_fields_are_in_the_key_only_if_used() -> None:
    suite = parse_suite(SUITE, "made.toml")
    (task,) = suite.tasks
    (entry,) = suite.entries
    assert build(entry, task).get_params()["class_prior"] is None
    assert "class_prior" not in _setup(entry, 2)["params"]
    asked = Entry(
        id="s", label="S", method="svm", weighting="tfidf", params={"class_prior": "source"}
    )
    assert _setup(asked, 2)["params"]["class_prior"] == "source"
    plain = Entry(
        id="m", label="M", method="mtrick", weighting="tfidf", params={"check_class_swap": False}
    )
    assert "check_class_swap" not in _setup(plain, 2)["params"]
    checked = Entry(
        id="m", label="M", method="mtrick", weighting="tfidf", params={"check_class_swap": True}
    )
    assert _setup(checked, 2)["params"]["check_class_swap"] is True


@pytest.mark.parametrize(
    "entry",
    [entry for suite in PRIORS for entry in suite.entries],
    ids=[f"{suite.name}-{entry.id}" for suite in PRIORS for entry in suite.entries],
)
def test_the_parameters_of_a_key_are_plain_data(entry: Entry) -> None:
    params = _setup(entry, 2)["params"]
    assert json.loads(json.dumps(params)) == params
    # The text of an object would contain its address, which differs between processes.
    assert " object at 0x" not in json.dumps(params)
    for name, value in entry.params.items():
        assert params[name] == value


def test_an_oracle_has_one_target() -> None:
    several = SUITE.replace(TARGET, 'targets = [{ x = ["t.x"] }, { y = ["t.y"] }]')
    several = several.replace('target_pool = ["t.pool"]\n', "")
    assert len(parse_suite(several, "made.toml").tasks[0].targets) == 2
    with pytest.raises(ValueError, match=r"'known' .* 's to t' has several"):
        parse_suite(several + ORACLE, "made.toml")
