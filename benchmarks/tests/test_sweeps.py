"""Sweeps: one entry per value, selected together, and error messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.report.settings import settings_lines
from isthmus_bench.report.summary import collect
from isthmus_bench.run.planning import Choice, plan_runs, split_pending
from isthmus_bench.run.results import ResultFile, record_key
from tiny_suite import TINY

SWEPT = """
[[entries]]
id = "steps"
label = "MTrick"
method = "mtrick"
params = { beta = 2.0 }
weighting = "log-tfidf"
sweep = { parameter = "max_iter", values = [1, 10] }
"""


def test_a_sweep_has_one_entry_per_value() -> None:
    lg, first, second = parse_suite(TINY + SWEPT, "tiny.toml").entries
    assert lg.sweep is None
    assert (first.id, second.id) == ("steps@max_iter=1", "steps@max_iter=10")
    assert second.label == "MTrick, max_iter 10"
    assert second.params == {"beta": 2.0, "max_iter": 10}
    assert second.sweep is not None
    assert (second.family_id, second.family_label) == ("steps", "MTrick")
    assert (second.sweep.parameter, second.sweep_value) == ("max_iter", 10)
    # An estimator accepts only an integer number of iterations.
    assert isinstance(second.params["max_iter"], int)


def test_every_value_has_its_own_runs() -> None:
    suite = parse_suite(TINY + SWEPT, "tiny.toml")
    runs = plan_runs(suite, Choice(limit=1))
    assert len({record_key(run.identity()) for run in runs}) == 3
    assert [run.identity()["setup"]["params"]["max_iter"] for run in runs[1:]] == [1, 10]


@pytest.mark.parametrize(
    ("chosen", "ids"),
    [
        ("steps", ["steps@max_iter=1", "steps@max_iter=10"]),
        ("steps@max_iter=10", ["steps@max_iter=10"]),
        ("mtrick", ["steps@max_iter=1", "steps@max_iter=10"]),
    ],
)
def test_a_sweep_is_selected_by_its_id(chosen: str, ids: list[str]) -> None:
    suite = parse_suite(TINY + SWEPT, "tiny.toml")
    runs = plan_runs(suite, Choice(methods=(chosen,), limit=1))
    assert [run.entry.id for run in runs] == ids
    with pytest.raises(ValueError, match="no entry 'svm': choose from lg, steps"):
        plan_runs(suite, Choice(methods=("svm",)))


def test_equal_settings_of_two_sweeps_are_run_once(tmp_path: Path) -> None:
    other = SWEPT.replace('"steps"', '"beta"').replace("{ beta = 2.0 }", "{ max_iter = 10 }")
    other = other.replace('"max_iter", values = [1, 10]', '"beta", values = [1.0, 2.0]')
    runs = plan_runs(parse_suite(TINY + SWEPT + other, "tiny.toml"), Choice(limit=1))
    file = ResultFile(tmp_path / "r.jsonl")
    pending, done = split_pending(runs, file)
    assert (len(runs), len(pending), done) == (5, 4, 0)
    has = {"accuracy": 0.5, "seconds": 1.0, "versions": {}, "error": None}
    for run in pending:
        file.append({**run.identity(), **has, "entry": run.entry.id})
    assert split_pending(runs, file) == ([], 4)


def test_values_that_differ_in_a_late_digit_differ_in_their_ids() -> None:
    swept = SWEPT.replace("[1, 10]", "[1000000, 1000001]")
    ids = [entry.id for entry in parse_suite(TINY + swept, "tiny.toml").entries]
    assert ids[1:] == ["steps@max_iter=1000000", "steps@max_iter=1000001"]
    swept = SWEPT.replace("{ beta = 2.0 }", "{ max_iter = 1 }")
    swept = swept.replace('"max_iter", values = [1, 10]', '"beta", values = [1.0, 0.1234567]')
    ids = [entry.id for entry in parse_suite(TINY + swept, "tiny.toml").entries]
    assert ids[1:] == ["steps@beta=1", "steps@beta=0.1234567"]


def test_the_id_of_a_sweep_comes_before_the_name_of_a_method() -> None:
    suite = parse_suite(
        TINY + SWEPT.replace('"steps"', '"mtrick"') + SWEPT.replace('"steps"', '"other"'), "t"
    )
    runs = plan_runs(suite, Choice(methods=("mtrick",), limit=1))
    assert {run.entry.family_id for run in runs if run.entry.sweep} == {"mtrick"}


def test_entries_may_be_limited_to_some_sets() -> None:
    content = TINY.replace("[[entries]]", "SECOND\n[[entries]]")
    second = TINY[TINY.index("[[sets]]") : TINY.index("[[entries]]")].replace('"a"', '"b"')
    content = content.replace("SECOND", second) + SWEPT.replace("sweep", 'sets = ["b"]\nsweep')
    runs = plan_runs(parse_suite(content, "tiny.toml"), Choice())
    assert {run.task.set_name for run in runs if run.entry.id == "lg"} == {"a", "b"}
    assert {run.task.set_name for run in runs if run.entry.sweep} == {"b"}


def test_the_report_describes_a_sweep_in_one_line() -> None:
    suite = parse_suite(TINY + SWEPT.replace("sweep", 'sets = ["a"]\nsweep'), "tiny.toml")
    lines = settings_lines(suite, collect(suite, {}))
    assert lines[-1] == (
        "MTrick: method `mtrick`, weighting `log-tfidf`, beta=2.0, max_iter=1, 10, only on a"
    )
    assert lines[-2] == "LG: method `lg`, weighting `log-tfidf`"
