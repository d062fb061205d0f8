"""What the documents say is true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from isthmus import METHODS, __version__
from isthmus.bench.runner import Choice, plan_runs
from isthmus.bench.suite import parse_suite
from isthmus.bench.worker import execute

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_examples_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) == 2
    names = {}
    for block in blocks:
        exec(block, names)
    right = names["labels"] == names["corpus"].target_labels
    assert right.mean() > 0.9
    assert "['positive']" in capsys.readouterr().out


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


@pytest.mark.parametrize("section", ["dependencies", "dev"])
def test_dependencies_are_bounded_below_and_not_pinned(section):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = project.get(section) or project["optional-dependencies"][section]
    for requirement in listed:
        assert re.fullmatch(r"[\w.-]+>=[\w.]+", requirement), requirement
