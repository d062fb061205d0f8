"""A run that ends its process is recorded as failed, and the others continue."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.run import runner
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, ResultFile
from isthmus_bench.run.runner import run_pending
from isthmus_bench.run.runs import Run
from tiny_suite import TINY

DEADLY = '[[entries]]\nid = "dies"\nlabel = "D"\nmethod = "svm"\nweighting = "log-tfidf"\n'


class Pool:
    """Executor in this process; after a fatal run, all later runs fail too."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self._broken = False

    def submit(self, work: Callable[[Run], Record], run: Run) -> Future[Record]:
        future: Future[Record] = Future()
        self._broken = self._broken or run.entry.id == "dies"
        if self._broken:
            future.set_exception(BrokenProcessPool("gone"))
        else:
            future.set_result(work(run))
        return future

    def shutdown(self, cancel_futures: bool) -> None:
        pass


@pytest.mark.parametrize("jobs", [1, 2, 20])
def test_other_runs_continue(jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "ProcessPoolExecutor", Pool)
    suite = parse_suite(TINY + DEADLY, "tiny.toml")
    file = ResultFile(tmp_path / "tiny.jsonl")
    run_pending(plan_runs(suite, Choice()), file, jobs)
    records = file.read().values()
    assert sorted(record["entry"] for record in records) == ["dies"] * 4 + ["lg"] * 4
    for record in records:
        died = record["entry"] == "dies"
        assert (record["error"] or "").startswith("its process died") is died


def test_a_pool_that_breaks_while_it_is_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hasty(Pool):
        def submit(self, work: Callable[[Run], Record], run: Run) -> Future[Record]:
            if self._broken:
                raise BrokenProcessPool("gone already")
            return super().submit(work, run)

    monkeypatch.setattr(runner, "ProcessPoolExecutor", Hasty)
    suite = parse_suite(TINY + DEADLY, "tiny.toml")
    file = ResultFile(tmp_path / "tiny.jsonl")
    run_pending(plan_runs(suite, Choice()), file)
    errors = [record["error"] for record in file.read().values() if record["entry"] == "lg"]
    assert errors == [None] * 4


def test_a_sentence_model_that_does_not_load_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(run: Run, on_progress: Callable[[str], None]) -> None:
        if run.entry.weighting == "sentence-embeddings":
            raise ImportError("libtorch is missing")

    monkeypatch.setattr(runner, "read_data", read)
    monkeypatch.setattr(runner, "ProcessPoolExecutor", Pool)
    entry = '[[entries]]\nid = "s"\nlabel = "S"\nmethod = "lg"\nweighting = "sentence-embeddings"\n'
    suite = parse_suite(TINY + entry, "tiny.toml")
    file = ResultFile(tmp_path / "tiny.jsonl")
    run_pending(plan_runs(suite, Choice()), file)
    errors = {record["entry"]: record["error"] for record in file.read().values()}
    assert errors == {"lg": None, "s": "ImportError: libtorch is missing"}
