"""Pages about the laboratory, and its imports."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest
import typer

import isthmus
from common import anchors
from isthmus_bench.cli.app import app
from isthmus_bench.documents.corpora import CORPORA
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.worker import execute

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
OWN_PAGES = sorted(
    path
    for folder in (BENCHMARKS, *(BENCHMARKS / name for name in ("speed", "studies", "tables")))
    for path in folder.glob("*.md")
)
# Folders that the build of the documentation writes.
BUILT = {"_build", "gallery", "project", "api"}
PAGES = [
    *(path for path in OWN_PAGES if path.parent.name != "tables"),
    *sorted(ROOT.glob("*.md")),
    *sorted(p for p in ROOT.glob("docs/**/*.md") if not BUILT & {*p.relative_to(ROOT).parts}),
]


def test_import_contracts_are_kept():
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    run = subprocess.run(command, cwd=BENCHMARKS, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_package_is_declared_like_the_library():
    project = tomllib.loads((BENCHMARKS / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == isthmus.__version__
    own, *requirements = project["dependencies"]
    assert own == f"isthmus=={isthmus.__version__}"
    for requirement in chain(requirements, *project["optional-dependencies"].values()):
        assert re.fullmatch(r"[\w.-]+>=[\w.]+", requirement), requirement
    library = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = dict(requirement.split(">=") for requirement in library["dependencies"])
    for name, bound in (requirement.split(">=") for requirement in requirements):
        assert bounds.get(name, bound) == bound, name


def test_the_page_on_corpora_has_all():
    page = (ROOT / "docs" / "benchmarks" / "corpora.md").read_text(encoding="utf-8")
    for name in CORPORA:
        assert f"`{name}`" in page


def commands():
    """Every command of the laboratory on a page, with the page."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        in_blocks = re.findall(r"^```sh\n(.*?)```", text, flags=re.DOTALL | re.MULTILINE)
        lines = [line for block in in_blocks for line in block.splitlines()]
        lines += re.findall(r"`(isthmus-bench [^`]*)`", text)
        yield from ((page, line) for line in lines if line.startswith("isthmus-bench "))


def test_commands_have_the_options_that_pages_use():
    group = typer.main.get_command(app)
    checked = 0
    for page, line in commands():
        name, *words = shlex.split(line, comments=True)[1:]
        if name.startswith("-"):
            continue
        known = {option for parameter in group.commands[name].params for option in parameter.opts}
        used = {word.partition("=")[0] for word in words if re.match("--?[a-z]", word)}
        assert used <= known, f"{page.name}: {line}"
        checked += 1
    assert checked > 20


@pytest.mark.parametrize("page", OWN_PAGES, ids=lambda path: path.stem)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for path, anchor in re.findall(r"\]\(([\w./-]*)(?:#([\w-]+))?\)", text):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        if anchor:
            assert anchor in anchors(target), f"{path}#{anchor}"


def test_the_example_of_a_suite_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("ISTHMUS_CACHE", str(tmp_path))
    page = (ROOT / "docs" / "benchmarks" / "suites.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    suite = parse_suite(example, "mine.toml")
    accuracies = {}
    for run in plan_runs(suite, Choice(seeds=(0,))):
        record = execute(run)
        assert record["error"] is None
        accuracies[record["entry"], run.task.name] = record["accuracy"]
    assert accuracies["mtrick", "books to kitchen"] > accuracies["lg", "books to kitchen"]
    assert len(accuracies) == 4
