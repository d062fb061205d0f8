"""Names of a suite that look like markup of rich are shown as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.progress import Progress
from typer.testing import CliRunner

from isthmus_bench.cli.app import app
from isthmus_bench.cli.progress import BenchProgress
from isthmus_bench.cli.suite_tables import show_suites
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.run.multi_suite import plan_suites
from isthmus_bench.run.planning import Choice
from tiny_suite import TINY

ODD = TINY.replace('"LG"', '"x [/b] :cat: y"').replace('id = "lg"', 'id = "a[/b]"')
ODD = ODD.replace('name = "a"', 'name = "s[/i]"').replace('"Tiny"', '"T [/u]"')


def test_a_list_shows_brackets(tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text(ODD)
    result = CliRunner().invoke(app, ["list", str(tmp_path / "odd.toml")])
    assert result.exit_code == 0, result.output
    for text in ("x [/b] :cat: y", "a[/b]", "s[/i]", "T [/u]"):
        assert text in result.output


def test_a_list_of_suites_shows_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    show_suites([parse_suite(ODD, "odd.toml")])
    assert "T [/u]" in capsys.readouterr().out


def test_progress_shows_brackets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def render(self: Progress) -> None:
        cells = [column(self.tasks[0]) for column in self.columns]
        shown.extend(str(cell) for cell in cells)

    monkeypatch.setattr(Progress, "stop", render)
    stages = plan_suites([parse_suite(ODD, "odd.toml")], Choice(), tmp_path)
    run = stages[0].pending[0]
    progress = BenchProgress(stages)
    progress.begin(stages[0])
    record = {**run.identity(), "entry": run.entry.id, "accuracy": 0.5, "error": None}
    progress.show(record)
    progress.__exit__(None, None, None)
    assert "a[/b] 50.0 %" in shown
    progress.prepare("embedding [/x]")
    progress.__exit__(None, None, None)
    assert "embedding [/x]" in shown
