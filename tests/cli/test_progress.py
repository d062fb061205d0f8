"""What is shown while a command works."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest

from isthmus.cli import progress as module
from isthmus.cli.output import Console
from isthmus.cli.progress import LogProgress, Progress
from isthmus.numerics.progress import Progress as Iteration


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """A clock that moves only when the test says so."""
    now = {"seconds": 0.0}

    class Time:
        @staticmethod
        def monotonic() -> float:
            return now["seconds"]

    monkeypatch.setattr(module, "time", Time)
    return now


def test_documents_and_the_time_that_remains(clock: dict[str, float]) -> None:
    progress = Progress("Reading")
    show = progress.counter("document")
    clock["seconds"] = 600  # another file was read before
    show(0, None)
    clock["seconds"] = 604
    show(400, 0.1)
    assert progress.text == "Reading"
    clock["seconds"] = 610
    show(1000, 0.25)
    assert progress.text == "document 1,000, about 30 s left"


def test_a_fraction_that_is_unknown(clock: dict[str, float]) -> None:
    progress = Progress("Reading")
    clock["seconds"] = 500
    progress.counter("document")(500, None)
    assert progress.text == "document 500"


def test_iterations(clock: dict[str, float]) -> None:
    progress = Progress("Counting words")
    progress.begin("Fitting MTrick")
    clock["seconds"] = 60
    show = progress.show_iterations(max_iter=500)
    show(Iteration(100, 0.5, 0.01))
    assert "Fitting MTrick: iteration 100 of at most 500" in progress.text
    assert "1.0 % of labels changed" in progress.text
    assert "at most 4 min 0 s left" in progress.text
    progress.show_iterations(max_iter=None)(Iteration(3, 0.5, math.nan))
    assert "iteration 3, objective 0.5" in progress.text


def test_members_of_the_automatic_method_are_phases() -> None:
    progress = Progress("Counting words")
    progress.begin("Fitting Auto, step 2 of 7: sfa")
    progress.show_iterations(max_iter=7)(Iteration(1, math.nan, math.nan))
    assert progress.text == "Fitting Auto, step 2 of 7: sfa"


def test_a_log_has_a_line_from_time_to_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOG_PAUSES", (0.001,))
    lines: list[str] = []
    with LogProgress("Reading", lines.append) as progress:
        while not lines:
            time.sleep(0.001)
        progress.begin("Fitting")
        while "Fitting" not in lines[-1]:
            time.sleep(0.001)
    assert lines[0].startswith("Reading (")
    assert lines[-1].startswith("Fitting (")


def test_a_log_of_short_work_is_empty() -> None:
    lines: list[str] = []
    with LogProgress("Reading", lines.append):
        pass
    assert lines == []


def test_a_closed_log_stream_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOG_PAUSES", (0.001,))

    def gone(text: str) -> None:
        raise BrokenPipeError

    with LogProgress("Reading", gone) as progress:
        progress._thread.join()


def test_a_log_says_how_long_the_work_takes(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LOG_PAUSES", (0.001,))
    files = ("--source", "books.csv", "--target", "kitchen.csv")
    assert "elapsed" in call("classify", *files).stderr
    assert "elapsed" not in call("classify", *files, "--force", "--quiet").stderr
    assert "elapsed" not in call("classify", *files, "--force", "--json").stderr


def test_warnings_are_shown_once_and_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    import warnings

    with Console().show_warnings():
        for _ in range(2):
            warnings.warn("mind the gap", stacklevel=1)
        assert capsys.readouterr().err == "Note: mind the gap\n"


def test_a_method_with_two_steps_does_not_pass_its_limit(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int | None] = []
    iterations: list[int] = []

    def record(self: Progress, max_iter: int | None) -> Any:
        limits.append(max_iter)
        return lambda iteration: iterations.append(iteration.iteration)

    monkeypatch.setattr(Progress, "show_iterations", record)
    options = ["--method", "mtrick0", "--set", "max_iter=5", "--set", "tol=0"]
    result = call("classify", "--source", "books.csv", "--target", "kitchen.csv", *options)
    assert result.exit_code == 0, result.output
    (limit,) = limits
    assert limit is not None
    assert 5 < max(iterations) <= limit
