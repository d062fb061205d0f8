"""Fits that exceed their time limit are stopped, and the result says so."""

from __future__ import annotations

import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from isthmus.estimators.baselines.source_svm import SourceSVM
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.run import time_limit as limits
from isthmus_bench.run import worker
from isthmus_bench.run.planning import Choice, plan_runs, split_pending
from isthmus_bench.run.results import Record, ResultFile, record_key
from isthmus_bench.run.runner import run_pending
from isthmus_bench.run.time_limit import TimeExceededError, time_limit
from isthmus_bench.run.worker import execute
from tiny_suite import TINY, render_report

# A random method, so that every problem is run once per seed.
RANDOM = TINY.replace(
    'method = "lg"\n',
    'method = "mtrick"\n'
    'params = { init = "plsa", n_word_clusters = 4, plsa_iter = 1, max_iter = 1 }\n',
)


@pytest.fixture
def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every block under a time limit take one second of processor time."""
    ticks = itertools.count()
    clock = SimpleNamespace(process_time=lambda: float(next(ticks)))
    monkeypatch.setattr(limits, "time", clock)


def work(seconds: float) -> None:
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        sum(range(1000))


def test_sleep_is_not_counted() -> None:
    with time_limit(0.05):
        time.sleep(0.2)


def test_the_timer_stops_a_block_and_is_reset() -> None:
    def never_ends() -> None:
        with time_limit(0.05):
            while True:
                sum(range(1000))

    with pytest.raises(TimeExceededError, match=r"not done after 0\.05 seconds"):
        never_ends()
    with time_limit(0.05):
        pass
    work(0.1)
    with time_limit(None):
        work(0.01)


def test_without_a_timer_the_error_is_raised_at_the_end() -> None:
    def late() -> None:
        with time_limit(0.01):
            work(0.05)

    with ThreadPoolExecutor(1) as executor, pytest.raises(TimeExceededError, match=r"0\.01"):
        executor.submit(late).result()


@pytest.mark.usefixtures("slow_clock")
def test_a_run_that_exceeded_its_limit_is_repeated_only_with_a_higher_limit(tmp_path: Path) -> None:
    def planned(limit: str) -> tuple[int, int, str]:
        suite = parse_suite(RANDOM + f"time_limit = {limit}\n", "tiny.toml")
        file = ResultFile(tmp_path / "tiny.jsonl")
        runs = plan_runs(suite, Choice(limit=1, seeds=(0,)))
        pending, done = split_pending(runs, file)
        with ThreadPoolExecutor(1) as executor:
            run_pending(pending, file, executor=executor)
        return len(pending), done, render_report([(suite, file.read())])

    first = planned("0.001")
    assert first[:2] == (1, 0)
    assert "over 0.001 s" in first[2]
    assert "at most 0.001 seconds per fit" in first[2]
    assert "not done after 0.001 seconds" in first[2]
    assert planned("0.0005")[:2] == (0, 1)
    longer = planned("60.0")
    assert longer[:2] == (1, 0)
    assert "over 0.001 s" not in longer[2]


@pytest.mark.usefixtures("slow_clock")
def test_after_two_exceeded_limits_the_rest_of_the_set_is_skipped(
    tmp_path: Path,
) -> None:
    suite = parse_suite(RANDOM + "time_limit = 0.001\n", "tiny.toml")
    file = ResultFile(tmp_path / "tiny.jsonl")
    seen: list[Record] = []
    with ThreadPoolExecutor(1) as executor:
        run_pending(plan_runs(suite, Choice()), file, on_result=seen.append, executor=executor)
    errors = [record["error"] for record in seen]
    assert len(errors) == 8
    assert all("not done after 0.001 seconds" in error for error in errors)
    # Two seeds of two problems were run, and the pool may have started one more.
    assert sum(error.startswith("not tried") for error in errors) >= 3
    assert split_pending(plan_runs(suite, Choice()), file) == ([], 8)


def test_reports_apply_the_current_time_limit_to_stored_results() -> None:
    def shown(limit: str, **fields: object) -> str:
        suite = parse_suite(TINY + f"time_limit = {limit}\n", "tiny.toml")
        records = {}
        for run in plan_runs(suite, Choice(limit=1)):
            record = {**run.identity(), "versions": {}, "error": None, "seconds": 1.0, **fields}
            records[record_key(record)] = record
        return render_report([(suite, records)])

    slow = {"accuracy": 0.9, "cpu_seconds": 200.0}
    assert "90.00" in shown("300.0", **slow)
    assert "over 5 s" in shown("5.0", **slow)
    late = {"error": "not done after 60 seconds", "time_limit": 60.0}
    assert "over 60 s" in shown("60.0", **late)
    # The limit is higher now, so the run has to be repeated.
    assert "over 60 s" not in shown("300.0", **late)
    late["error"] = "not tried: not done after 60 seconds on other problems"
    assert "| not tried |" in shown("60.0", **late)


def test_a_small_fit_precedes_the_first_timed_fit_of_a_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fits = []

    class Recorder(SourceSVM):
        def fit(self, X: Any, *given: Any, **named: Any) -> Any:
            fits.append(X.shape[0])
            return super().fit(X, *given, **named)

    monkeypatch.setattr(worker, "_warm", set())
    monkeypatch.setattr(worker, "build", lambda entry, task, seed: Recorder())
    runs = plan_runs(parse_suite(TINY.replace('"lg"', '"svm"'), "tiny.toml"), Choice())
    assert [execute(run)["error"] for run in runs[:2]] == [None, None]
    few, first, second = fits
    assert few <= 120 < first == second
