"""The command line."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from isthmus._version import __version__
from isthmus.cli import demo as demo_module
from isthmus.cli.app import app


@pytest.fixture(autouse=True)
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ISTHMUS_CACHE", str(tmp_path / "cache"))


def call(*args: str) -> Result:
    return CliRunner().invoke(app, list(args))


def test_version() -> None:
    assert call("version").output == f"isthmus {__version__}\n"


def test_methods() -> None:
    result = call("methods")
    assert result.exit_code == 0
    assert all(name in result.output for name in ("mtrick", "mtrick0", "lg", "svm"))
    assert result.output.startswith("auto (classifier)")


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["demo"],
        ["classify"],
        ["cluster"],
        ["predict"],
        ["evaluate"],
        ["explain"],
        ["methods"],
        ["version"],
    ],
)
def test_help_has_an_example_and_fits_80_columns(args: list[str]) -> None:
    result = CliRunner().invoke(app, [*args, "--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80
    assert "isthmus " + " ".join(args or ["demo"]) in " ".join(result.output.split())


def test_help_is_quick_because_it_imports_nothing_heavy() -> None:
    code = (
        "import sys, isthmus.cli.app; "
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_demo_writes_predictions_that_beat_the_source_alone() -> None:
    result = call("demo")
    assert result.exit_code == 0, result.output
    assert "Top words" in result.output
    assert "Verdict: use." in result.stdout.splitlines()[-6:]
    with Path("demo-predictions.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 400
    right = {
        name: sum(row[name] == row["label"] for row in rows) / len(rows)
        for name in ("source_only", "predicted")
    }
    assert right["source_only"] <= 0.75
    assert right["predicted"] >= 0.85


def test_demo_writes_its_corpus_for_the_other_commands() -> None:
    result = call("demo", "--corpus", "corpus", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["output"] == "demo-predictions.csv"
    truth = ["--truth", "corpus/kitchen-truth.csv"]
    judged = call("evaluate", "--predictions", "demo-predictions.csv", *truth, "--json")
    assert json.loads(judged.stdout)["accuracy"]["value"] > 0.85
    names = sorted(path.name for path in Path("corpus").iterdir())
    assert names == ["books.csv", "kitchen-truth.csv", "kitchen.csv"]


def test_demo_quiet() -> None:
    result = call("demo", "--quiet", "--output", "p.csv", "--seed", "1")
    assert (result.exit_code, result.output) == (0, "")
    assert [path.name for path in Path().iterdir()] == ["p.csv"]


def test_ctrl_c_leaves_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo_module, "_fit", interrupted)
    result = call("demo")
    assert result.exit_code == 130
    assert list(Path().iterdir()) == []


def test_failure_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device", "predictions.csv")

    monkeypatch.setattr(demo_module, "_write", full)
    result = call("demo")
    assert result.exit_code == 1
    assert result.stderr == "Error: 'predictions.csv': No space left on device.\n"


def test_a_wrong_setting_is_found_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISTHMUS_COMPILE", "sometimes")
    result = call("demo")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "ISTHMUS_COMPILE is 'sometimes'" in result.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["demo", "--output", "no/such/folder.csv"], "'no/such' of the output does not exist"),
        (["demo", "--output", "."], "is a folder: name a file"),
        (["demo", "--gap", "2"], "--gap"),
        (["unheard-of"], "unheard-of"),
    ],
)
def test_wrong_input_exits_with_2(args: list[str], message: str) -> None:
    result = call(*args)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("words", [[], ["--help"], ["run", "all", "--jobs", "2"]])
def test_the_benchmarks_are_another_package(words: list[str]) -> None:
    result = call("bench", *words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "'pip install . ./benchmarks'" in result.stderr
    assert result.stderr.count("\n") == 1
    assert "bench" not in call("--help").output
