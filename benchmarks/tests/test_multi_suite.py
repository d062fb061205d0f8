"""Runs of several suites."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.run import multi_suite
from isthmus_bench.run.multi_suite import plan_suites, run_suites
from isthmus_bench.run.planning import Choice
from isthmus_bench.run.results import Record
from tiny_suite import TINY

OTHER = TINY.replace('name = "tiny"', 'name = "other"').replace('"lg"', '"svm"')


@pytest.fixture
def both() -> list[Suite]:
    return [parse_suite(text, "mine.toml") for text in (TINY, OTHER)]


def test_several_suites_run_and_are_not_repeated(both: list[Suite], tmp_path: Path) -> None:
    choice = Choice(limit=1)
    stages = plan_suites(both, choice, tmp_path)
    seen: list[Record] = []
    with ThreadPoolExecutor(1) as executor:
        assert run_suites(stages, 1, seen.append, executor=executor) == {}
    assert [record["entry"] for record in seen] == ["lg", "svm"]
    assert [stage.done for stage in plan_suites(both, choice, tmp_path)] == [1, 1]
    again = plan_suites(both, choice, tmp_path, again=True)
    assert [(stage.done, len(stage.pending)) for stage in again] == [(0, 1), (0, 1)]


def test_suites_without_the_method_are_left_out(both: list[Suite], tmp_path: Path) -> None:
    stages = plan_suites(both, Choice(methods=("svm",)), tmp_path)
    assert [stage.suite.name for stage in stages] == ["other"]
    with pytest.raises(ValueError, match="No suite has an entry 'knn': choose from lg, svm"):
        plan_suites(both, Choice(methods=("knn",)), tmp_path)


def test_one_suite_that_cannot_be_run_does_not_stop_the_others(
    both: list[Suite], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = []

    def fail_first(*given: object) -> None:
        done.append(given)
        if len(done) == 1:
            raise FileNotFoundError("There is no corpus here.")

    monkeypatch.setattr(multi_suite, "run_pending", fail_first)
    stages = plan_suites(both, Choice(), tmp_path)
    assert run_suites(stages, 1, lambda record: None) == {"tiny": "There is no corpus here."}
    assert len(done) == 2
    done.clear()
    with pytest.raises(ValueError, match=r"^Suite 'tiny': There is no corpus here\."):
        run_suites(stages[:1], 1, lambda record: None)
