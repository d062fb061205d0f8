"""The command ``isthmus-bench``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from isthmus_bench.cli.app import app
from tiny_suite import TINY

SUITE = TINY.replace('name = "tiny"', 'name = "mine"').replace('"Tiny"', '"My suite"')


@pytest.fixture(autouse=True)
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ISTHMUS_CACHE", str(tmp_path / "cache"))


def call(*args: str) -> Result:
    return CliRunner().invoke(app, list(args))


@pytest.mark.parametrize("command", [["run"], ["report"], ["list"], ["speed"]])
def test_help_has_an_example_and_fits_80_columns(command: list[str]) -> None:
    result = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    assert "Example: isthmus-bench" in " ".join(result.output.split())
    assert max(map(len, result.output.splitlines())) <= 80


def test_the_installed_command_ends_with_one_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "isthmus_bench", "run", "nothing"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Error: There is no suite 'nothing'")
    assert done.stderr.count("\n") == 1


def test_list() -> None:
    result = call("list")
    assert result.exit_code == 0
    assert "mtrick-table1" in result.output
    assert "288" in result.output


def test_speed() -> None:
    few = ["--documents", "1000", "--terms", "300", "--clusters", "5", "--rounds", "1"]
    result = call("speed", "--only", "plsa", *few, "--output", "speed.md")
    assert result.exit_code == 0, result.output
    assert "x isthmus float32" in result.stdout.replace("\n", " ")
    assert "isthmus, float32: warming up" in result.stderr
    page = Path("speed.md").read_text()
    command = "isthmus-bench speed --only plsa --documents 1000 --terms 300 --clusters 5 --rounds 1"
    assert f"Written by `{command}`" in page


def test_speed_of_methods_and_their_report() -> None:
    few = ["--only", "methods", "--largest", "1000", "--terms", "300", "--time-limit", "60"]
    result = call("speed", *few, "--methods", "svm", "--output", "speed.md")
    assert result.exit_code == 0, result.output
    assert "svm, 1,000 documents: fitting" in result.stderr
    page = Path("speed.md").read_text()
    assert "isthmus-bench speed --only methods --terms 300 --largest 1000 --methods svm" in page
    assert "--methods svm --time-limit 60`" in page
    assert "| SVM | baselines | 0." in page
    assert Path("benchmarks/results/method_cost.jsonl").read_text().count('"seconds"') == 1
    again = call("speed", *few, "--methods", "svm")
    assert "svm, 1,000 documents: stored" in again.stderr
    unknown = call("speed", *few, "--methods", "mtrik")
    assert unknown.exit_code == 2
    assert "did you mean 'mtrick'" in unknown.stderr
    # A report needs no suite with results.
    report = call("report")
    assert report.exit_code == 0, report.output
    assert (
        "## Cost of each method by number of documents"
        in Path("benchmarks/tables/index.md").read_text()
    )


def test_run_and_report_of_an_own_suite() -> None:
    Path("mine.toml").write_text(SUITE)
    first = call("run", "mine.toml", "--limit", "1")
    assert first.exit_code == 0, first.output
    assert "1 runs, 0 done before, 1 to do" in first.output
    again = call("run", "mine.toml", "--limit", "1")
    assert "1 runs, 1 done before, 0 to do" in again.output
    assert Path("benchmarks/results/mine.jsonl").read_text().count('"accuracy"') == 1
    report = call("report", "mine.toml")
    assert report.exit_code == 0, report.output
    page = Path("mine.md").read_text()
    assert page.startswith("# My suite\n")
    assert "**evidence**" in page


def test_the_report_on_a_suite_has_its_own_pages(tmp_path: Path) -> None:
    Path("mine.toml").write_text(SUITE)
    assert call("run", "mine.toml", "--limit", "1").exit_code == 0
    done = call("report", "mine.toml", "--output", "pages")
    assert done.stdout == "Wrote pages/mine.md and .html.\n"
    assert sorted(path.name for path in Path("pages").iterdir()) == ["mine.html", "mine.md"]
    assert "My suite" in Path("pages/mine.html").read_text()
    taken = call("report", "mine.toml", "--output", "mine.toml")
    assert taken.exit_code == 2
    assert taken.stderr == "Error: --output 'mine.toml' is a file: name a folder.\n"
    for command in ("run", "report"):
        taken = call(command, "mine.toml", "--results", "mine.toml")
        assert taken.exit_code == 2
        assert taken.stderr == "Error: --results 'mine.toml' is a file: name a folder.\n"


@pytest.mark.parametrize("library", [None, "isthmus.cli"])
def test_another_library_or_none_is_one_sentence(library: str | None) -> None:
    """An older library has no ``end_at_interrupts``."""
    code = (
        "import sys, types\n"
        f"sys.modules['isthmus.cli'] = {library!r} and types.ModuleType('isthmus.cli')\n"
        "from isthmus_bench.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "Error: isthmus-bench needs the library isthmus of the same clone"
    )
    assert done.stderr.count("\n") == 1


def test_run_of_several_suites_and_again() -> None:
    Path("mine.toml").write_text(SUITE)
    Path("other.toml").write_text(SUITE.replace('name = "mine"', 'name = "other"'))
    both = "mine.toml", "other.toml", "--limit", "1"
    assert call("run", *both).exit_code == 0
    again = call("run", *both, "--again")
    assert "other: 1 runs, 0 done before, 1 to do." in again.stdout
    for name in ("mine", "other"):
        assert Path(f"benchmarks/results/{name}.jsonl").read_text().count('"accuracy"') == 2
    Path("mine2.toml").write_text(SUITE.replace("My suite", "Another"))
    clash = call("run", "mine.toml", "mine2.toml")
    assert clash.exit_code == 2
    assert "Two suites have the name 'mine'" in clash.stderr


def test_list_of_a_suite() -> None:
    result = call("list", "mtrick-table1")
    assert result.exit_code == 0
    for text in ("rec vs sci", "144", "mtrick-paper", "log-tfidf"):
        assert text in result.stdout


def test_missing_data_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ISTHMUS_DATA", raising=False)
    result = call("run", "mtrick-table3", "--methods", "lg")
    assert result.exit_code == 2
    assert "Suite 'mtrick-table3': No data folder was given" in result.stderr
    assert "or pass --data; docs/benchmarks/corpora.md describes" in result.stderr


def test_missing_newsgroups_are_no_advice_for_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISTHMUS_DATA", ".")
    result = call("run", "mtrick-table1", "--methods", "lg", "--limit", "1")
    assert result.exit_code == 2
    assert "put it there, or set ISTHMUS_DATA or --data to another folder; docs/" in result.stderr
    assert "fetch=True" not in result.stderr


def test_errors_of_own_suites_name_the_file() -> None:
    Path("mine.toml").write_text(SUITE.replace('"books.positive"', '"book.positive"'))
    result = call("run", "mine.toml")
    assert result.exit_code == 2
    assert "Error: Suite 'mine.toml': The corpus 'synthetic' has no group" in result.stderr
    Path("mine.toml").write_text(SUITE.replace('"lg"\nw', '"lg"\ntime_limit = 0\nw'))
    result = call("run", "mine.toml")
    assert "Error: Suite 'mine.toml', entries 'lg', time_limit: this must" in result.stderr
    assert "did you mean the file 'mine.toml'?" in call("run", "mine").stderr


def test_what_is_not_run_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isthmus_bench.run.multi_suite.run_pending", lambda *given: None)
    Path("mine.toml").write_text(SUITE)
    other = SUITE.replace('name = "mine"', 'name = "other"').replace('"lg"', '"svm"')
    Path("other.toml").write_text(other)
    done = call("run", "mine.toml", "other.toml", "--methods", "lg", "--limit", "1")
    assert done.exit_code == 0
    assert "other has no entry that --methods names.\n" in done.stdout
    # A deterministic method is shown whatever the seeds.
    done = call("run", "mine.toml", "--limit", "1", "--seeds", "5")
    assert "will not show" not in done.stdout
    random = SUITE.replace(
        'method = "lg"', 'method = "mtrick"\nparams = { init = "plsa", max_iter = 1 }'
    )
    Path("mine.toml").write_text(random)
    done = call("run", "mine.toml", "--limit", "1", "--seeds", "5")
    assert "mine: the report will not show seed 5" in done.stdout


def test_a_cluster_needs_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isthmus_bench.cli.speed.find_spec", lambda name: None)
    result = call("speed", "--only", "cluster")
    assert result.exit_code == 2
    assert "The part 'cluster' needs dask and distributed: install" in result.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["run", "nothing"], "There is no suite 'nothing'"),
        (["run", "nothing.toml"], "There is no suite file 'nothing.toml'"),
        (["run", "mtrick-table1", "--seeds", "one"], "--seeds 'one' must be whole"),
        (["run", "mtrick-table1", "--split", "test"], "--split 'test' is unknown: choose from"),
        (["run", "mtrick-table1", "--methods", "knn"], "has no entry 'knn'"),
        (["run", "mtrick-table1", "--data", "nowhere"], "--data 'nowhere' does not exist"),
        (["report"], "in 'benchmarks/results': first use"),
        (["report", "--results", "mine"], "--output is missing: name a folder for the pages"),
        (["report", "amazon", "--results", "mine"], "or name another folder with --results"),
        (["run", "amazon", "--results", ""], "--results '' is empty: name a folder"),
        (["run", "amazon", "--results", "/proc/1/x"], "--results '/proc/1/x' cannot be written"),
        (["run", "amazon", "--results", f"{__file__}/x"], "is below the file"),
        (["report", "amazon", "--output", ""], "--output '' is empty"),
        (["speed", "--results", __file__], "is a file: name a folder"),
        (["run", "amazon", "--split", "named"], "Nothing is chosen: amazon has no problem of"),
        (["speed", "--only", "light"], "choose among iteration, plsa, topics, memory"),
        (["speed", "--terms", "100", "--clusters", "200"], "--clusters 200 is more than"),
        (
            ["speed", "--output", "no/where.md"],
            "The folder 'no' of the output does not exist",
        ),
        (["run", "mtrick-table1", "--jobs", "0"], "--jobs"),
    ],
)
def test_wrong_input_exits_with_2(args: list[str], message: str) -> None:
    result = call(*args)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert list(Path().iterdir()) == []
