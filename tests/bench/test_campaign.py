"""Several suites in one go, and how long the rest will take."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from isthmus.bench.plan.reading import parse_suite
from isthmus.bench.plan.suite import Suite
from isthmus.bench.run import campaign
from isthmus.bench.run.campaign import plan_stages, run_stages
from isthmus.bench.run.planning import Choice
from isthmus.bench.run.remaining import RemainingTime
from isthmus.bench.run.results import Record
from tiny_suite import TINY

OTHER = TINY.replace('name = "tiny"', 'name = "other"').replace('"lg"', '"svm"')


@pytest.fixture
def both() -> list[Suite]:
    return [parse_suite(text, "mine.toml") for text in (TINY, OTHER)]


def test_suites_one_after_the_other_and_again(both: list[Suite], tmp_path: Path) -> None:
    choice = Choice(limit=1)
    stages = plan_stages(both, choice, tmp_path)
    seen: list[Record] = []
    with ThreadPoolExecutor(1) as executor:
        assert run_stages(stages, 1, seen.append, executor=executor) == {}
    assert [record["suite"] for record in seen] == ["tiny", "other"]
    assert [stage.done for stage in plan_stages(both, choice, tmp_path)] == [1, 1]
    again = plan_stages(both, choice, tmp_path, again=True)
    assert [(stage.done, len(stage.pending)) for stage in again] == [(0, 1), (0, 1)]


def test_suites_without_the_method_are_left_out(both: list[Suite], tmp_path: Path) -> None:
    stages = plan_stages(both, Choice(methods=("svm",)), tmp_path)
    assert [stage.suite.name for stage in stages] == ["other"]
    with pytest.raises(ValueError, match="No suite has an entry 'knn': choose among lg, svm"):
        plan_stages(both, Choice(methods=("knn",)), tmp_path)


def test_one_suite_that_cannot_be_run_does_not_stop_the_others(
    both: list[Suite], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = []

    def fail_first(*given: object) -> None:
        done.append(given)
        if len(done) == 1:
            raise FileNotFoundError("There is no corpus here.")

    monkeypatch.setattr(campaign, "run_pending", fail_first)
    stages = plan_stages(both, Choice(), tmp_path)
    assert run_stages(stages, 1, lambda record: None) == {"tiny": "There is no corpus here."}
    assert len(done) == 2
    done.clear()
    with pytest.raises(FileNotFoundError):
        run_stages(stages[:1], 1, lambda record: None)


def test_remaining_time_counts_what_runs_of_the_entry_took(
    both: list[Suite], tmp_path: Path
) -> None:
    def record(suite: str, entry: str, seconds: float) -> Record:
        return {
            "suite": suite, "entry": entry, "method": entry, "seconds": seconds, "error": None,
        }  # fmt: skip

    pending = [run for stage in plan_stages(both, Choice(), tmp_path) for run in stage.pending]
    known = [record("tiny", "lg", 0.95), record("other", "svm", 9.95)]
    now = [0.0]
    remaining = RemainingTime(pending, known, clock=lambda: now[0])
    assert remaining.seconds is None
    for _ in range(4):
        now[0] += 2.0
        remaining.advance(record("tiny", "lg", 1.0))
    # Four runs of one second took two each: four of ten seconds will take twenty each.
    assert remaining.seconds == pytest.approx(80.0)
    remaining.advance(record("other", "svm", 10.0))
    now[0] += 20.0
    assert remaining.seconds == pytest.approx(60.0)
