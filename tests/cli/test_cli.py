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
from tiny_suite import TINY

SUITE = TINY.replace('name = "tiny"', 'name = "mine"').replace('"Tiny"', '"My suite"')


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
        ["predict"],
        ["evaluate"],
        ["explain"],
        ["methods"],
        ["version"],
        ["bench", "run"],
        ["bench", "report"],
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


def test_bench_list() -> None:
    result = call("bench", "list")
    assert result.exit_code == 0
    assert "mtrick-table1" in result.output
    assert "288" in result.output


def test_a_wrong_setting_is_found_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISTHMUS_COMPILE", "sometimes")
    result = call("demo")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "ISTHMUS_COMPILE is 'sometimes'" in result.stderr


def test_bench_speed() -> None:
    few = ["--documents", "1000", "--terms", "300", "--clusters", "5", "--rounds", "1"]
    result = call("bench", "speed", "--only", "plsa", *few, "--output", "speed.md")
    assert result.exit_code == 0, result.output
    assert "x isthmus float32" in result.stdout.replace("\n", " ")
    assert "isthmus, float32: warming up" in result.stderr
    page = Path("speed.md").read_text()
    command = "isthmus bench speed --only plsa --documents 1000 --terms 300 --clusters 5 --rounds 1"
    assert f"Written by `{command}`" in page


def test_bench_speed_of_methods_and_their_report() -> None:
    few = ["--only", "methods", "--largest", "1000", "--terms", "300", "--time-limit", "60"]
    result = call("bench", "speed", *few, "--methods", "svm", "--output", "speed.md")
    assert result.exit_code == 0, result.output
    assert "svm, 1,000 documents: fitting" in result.stderr
    page = Path("speed.md").read_text()
    assert "isthmus bench speed --only methods --terms 300 --largest 1000 --methods svm" in page
    assert "--methods svm --time-limit 60`" in page
    assert "| SVM | baselines | 0." in page
    assert Path("benchmarks/results/method_cost.jsonl").read_text().count('"seconds"') == 1
    again = call("bench", "speed", *few, "--methods", "svm")
    assert "svm, 1,000 documents: stored" in again.stderr
    unknown = call("bench", "speed", *few, "--methods", "mtrik")
    assert unknown.exit_code == 2
    assert "did you mean 'mtrick'" in unknown.stderr
    # A report needs no suite with results.
    report = call("bench", "report")
    assert report.exit_code == 0, report.output
    assert "## Cost of each method by number of documents" in Path("BENCHMARKS.md").read_text()


def test_bench_run_and_report_of_an_own_suite() -> None:
    Path("mine.toml").write_text(SUITE)
    first = call("bench", "run", "mine.toml", "--limit", "1")
    assert first.exit_code == 0, first.output
    assert "1 runs, 0 done before, 1 to do" in first.output
    again = call("bench", "run", "mine.toml", "--limit", "1")
    assert "1 runs, 1 done before, 0 to do" in again.output
    assert Path("benchmarks/results/mine.jsonl").read_text().count('"accuracy"') == 1
    report = call("bench", "report", "mine.toml")
    assert report.exit_code == 0, report.output
    assert "## My suite" in Path("mine.md").read_text()


def test_bench_report_writes_a_page_beside_the_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="the page needs the extra 'bench'")
    Path("mine.toml").write_text(SUITE)
    assert call("bench", "run", "mine.toml", "--limit", "1").exit_code == 0
    done = call("bench", "report", "mine.toml", "--output", "mine.md")
    assert done.stdout == "Wrote mine.md.\nWrote mine.html.\n"
    assert "My suite" in Path("mine.html").read_text()
    same = call("bench", "report", "mine.toml", "--output", "mine.html")
    assert same.exit_code == 2
    assert "are the same file" in same.stderr
    lacking = "The page needs something."
    monkeypatch.setattr("isthmus.bench.report.page.missing_page_packages", lambda: lacking)
    without = call("bench", "report", "mine.toml", "--output", "other.md")
    assert without.stdout == "Wrote other.md.\nThe page needs something.\n"
    assert not Path("other.html").exists()
    asked = call("bench", "report", "mine.toml", "--page", "other.html")
    assert asked.exit_code == 2
    assert asked.stderr == "Error: The page needs something.\n"


def test_bench_run_of_several_suites_and_again() -> None:
    Path("mine.toml").write_text(SUITE)
    Path("other.toml").write_text(SUITE.replace('name = "mine"', 'name = "other"'))
    both = "mine.toml", "other.toml", "--limit", "1"
    assert call("bench", "run", *both).exit_code == 0
    again = call("bench", "run", *both, "--again")
    assert "other: 1 runs, 0 done before, 1 to do." in again.stdout
    for name in ("mine", "other"):
        assert Path(f"benchmarks/results/{name}.jsonl").read_text().count('"accuracy"') == 2
    Path("mine2.toml").write_text(SUITE.replace("My suite", "Another"))
    clash = call("bench", "run", "mine.toml", "mine2.toml")
    assert clash.exit_code == 2
    assert "Two suites have the name 'mine'" in clash.stderr


def test_bench_list_of_a_suite() -> None:
    result = call("bench", "list", "mtrick-table1")
    assert result.exit_code == 0
    for text in ("rec vs sci", "144", "mtrick-paper", "log-tfidf"):
        assert text in result.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["bench", "run", "nothing"], "There is no suite 'nothing'"),
        (["bench", "run", "nothing.toml"], "There is no suite file 'nothing.toml'"),
        (["bench", "run", "mtrick-table1", "--seeds", "one"], "--seeds 'one' must be whole"),
        (["bench", "run", "mtrick-table1", "--split", "test"], "split='test' must be one of"),
        (["bench", "run", "mtrick-table1", "--methods", "knn"], "has no entry 'knn'"),
        (["bench", "run", "mtrick-table1", "--data", "nowhere"], "'nowhere' (data_home) does not"),
        (["bench", "report"], "in 'benchmarks/results': first use"),
        (["bench", "speed", "--only", "light"], "choose among iteration, plsa, topics, memory"),
        (["bench", "speed", "--terms", "100", "--clusters", "200"], "--clusters 200 is more than"),
        (
            ["bench", "speed", "--output", "no/where.md"],
            "The folder 'no' of the output does not exist",
        ),
        (["demo", "--output", "no/such/folder.csv"], "'no/such' of the output does not exist"),
        (["demo", "--output", "."], "is a folder: name a file"),
        (["demo", "--gap", "2"], "--gap"),
        (["bench", "run", "mtrick-table1", "--jobs", "0"], "--jobs"),
        (["unheard-of"], "unheard-of"),
    ],
)
def test_wrong_input_exits_with_2(args: list[str], message: str) -> None:
    result = call(*args)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert list(Path().iterdir()) == []


def test_missing_data_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ISTHMUS_DATA", raising=False)
    result = call("bench", "run", "mtrick-table3", "--methods", "lg")
    assert result.exit_code == 2
    assert "set the environment variable ISTHMUS_DATA" in result.stderr
