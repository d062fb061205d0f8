"""What the documents say is true."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from isthmus import METHODS, __version__
from isthmus.bench.plan.reading import parse_suite
from isthmus.bench.run.planning import Choice, plan_runs
from isthmus.bench.run.worker import execute
from isthmus.cli.app import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def python_blocks(document):
    return re.findall(r"```python\n(.*?)```", document.read_text(encoding="utf-8"), flags=re.DOTALL)


def run_blocks(document):
    """Run the Python examples of a page one after the other; returns their names."""
    names = {}
    blocks = python_blocks(document)
    assert blocks
    for block in blocks:
        exec(compile(block, document.name, "exec"), names)
    return names


def test_the_readme_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = run_blocks(ROOT / "README.md")
    model, corpus = names["model"], names["corpus"]
    assert (model.labels_ == corpus.target_labels).mean() > 0.9
    assert "['positive']" in capsys.readouterr().out
    again = names["load"]("kitchen.isthmus")
    assert (again.predict(corpus.target_texts) == model.predict(corpus.target_texts)).all()


def test_the_example_on_matrices_runs(capsys):
    names = run_blocks(ROOT / "docs" / "estimators.md")
    assert (names["labels"] == names["corpus"].target_labels).mean() > 0.9
    assert "['positive']" in capsys.readouterr().out


def test_spectra_page():
    names = run_blocks(ROOT / "docs" / "spectra.md")
    truth = names["corpus"].target_labels
    for model in (names["model"], names["subspace"]):
        right = sum(map(str.__eq__, model.transduction_[200:].tolist(), truth))
        assert right > 0.8 * len(truth)
    assert len(set(names["clusters"].tolist())) == 2


@pytest.mark.parametrize(
    ("name", "count"),
    [("texts.md", 4), ("languages.md", 7), ("pivots.md", 10), ("comparisons.md", 11)],
)
def test_the_examples_print_what_the_page_says(tmp_path, monkeypatch, capsys, name, count):
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / name
    run_blocks(page)
    printed = capsys.readouterr().out.splitlines()
    promised = [
        line.rpartition("# ")[2]
        for block in python_blocks(page)
        for line in block.splitlines()
        if line.lstrip().startswith(("print(", "# ")) and "# " in line
    ]
    assert len(promised) == count
    assert printed == promised


def test_the_examples_on_speed_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run_blocks(ROOT / "docs" / "speed.md")
    assert (names["labels"] == names["corpus"].target_labels).mean() > 0.9
    assert (names["alone"].transduction_[-200:] == names["labels"]).all()


def test_the_readme_commands_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [line for line in README.splitlines() if line.startswith("isthmus ")]
    assert {line.split()[1] for line in lines} == {
        *("demo", "classify", "evaluate", "explain", "predict"),
    }
    for line in lines:
        result = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
        assert result.exit_code == 0, f"{line}: {result.output}"
    assert Path("more.csv").exists()


def test_the_commands_across_languages_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line.startswith("isthmus ")]
    assert [line.split()[1] for line in lines] == [
        *("demo", "classify", "evaluate", "explain", "predict"),
    ]
    for line in lines:
        result = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
        assert result.exit_code == 0, f"{line}: {result.output}"
    assert Path("more.csv").exists()


def test_class_prior_page(capsys):
    names = run_blocks(ROOT / "docs" / "class_prior.md")
    said = capsys.readouterr().out
    for line in ("0.79", "None 0.84", "source 0.7", "estimate 0.92", "'negative': 0.2} 0.94"):
        assert line in said
    assert "positive: 85.0 % (79.4 to 91.5 %)" in said
    right = (names["taught"].transduction_[names["sample_domain"] < 0] == names["truth"]).mean()
    assert right > 0.92


def test_the_readme_names_every_method():
    for method in METHODS.values():
        assert f"`{method.name}`" in README
        assert f"`{method.estimator_class.__name__}`" in README


def test_links_between_documents_lead_somewhere():
    for document in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")):
        for link in re.findall(r"\]\(([\w./-]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / link).exists(), f"{document.name} links to {link}"


def test_the_version_is_the_same_everywhere():
    assert f"version: {__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert __version__ in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_example_of_an_own_suite_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("ISTHMUS_CACHE", str(tmp_path))
    page = (ROOT / "docs" / "suites.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    suite = parse_suite(example, "mine.toml")
    found = {}
    for run in plan_runs(suite, Choice(seeds=(0,))):
        record = execute(run)
        assert record["error"] is None
        found[record["entry"], record["task"]] = record["accuracy"]
    assert found["mtrick", "books to kitchen"] > found["lg", "books to kitchen"]
    assert len(found) == 4


@pytest.mark.parametrize(
    "section",
    ["dependencies", "dev", "html", "parquet", "japanese", "detect", "peers", "report"],
)
def test_dependencies_are_bounded_below_and_not_pinned(section):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = project.get(section) or project["optional-dependencies"][section]
    for requirement in listed:
        assert re.fullmatch(r"[\w.-]+>=[\w.]+", requirement), requirement
