"""Generated parts of files follow the registry."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from isthmus import METHODS

ROOT = Path(__file__).parents[2]


def test_generated_parts_are_up_to_date():
    command = [sys.executable, str(ROOT / "tools" / "update_generated.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}Run tools/update_generated.py."


def test_the_table_of_families_names_every_method():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = page.split("<!-- generated: families -->")[1].split("<!-- end -->")[0]
    for method in METHODS.values():
        assert f"`{method.name}`" in table


@pytest.fixture
def method_pages(monkeypatch):
    pytest.importorskip("sphinx")
    pytest.importorskip("numpydoc")
    monkeypatch.syspath_prepend(ROOT / "docs" / "_extensions")
    return import_module("method_pages")


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_a_page_with_all_its_parts(name, method_pages):
    method = METHODS[name]
    written = method_pages.WRITTEN / f"{name}.md"
    exists = written.exists()
    page = written.read_text(encoding="utf-8") if exists else method_pages.generated_page(method)
    assert method_pages.page_of(method) == f"/{'' if exists else 'project/'}methods/{name}"
    parts = ["facts", "picture", "parameters"]
    # Transformers have no labels that a benchmark could score, and some baselines no paper.
    parts += ["results"] if method.kind != "transformer" or not exists else []
    parts += ["reference"] if method_pages.docstring(method)["References"] else []
    for part in parts:
        assert page.count(f"```{{method-{part}}} {name}\n") == 1, part


@pytest.mark.parametrize("name", METHODS)
def test_every_parameter_is_described(name, method_pages):
    method = METHODS[name]
    described = [n for names, _ in method_pages.described_parameters(method) for n in names]
    assert sorted(described) == sorted(inspect.signature(method.estimator_class).parameters)


def test_the_pages_of_methods_have_the_numbers_of_the_report(method_pages):
    results = method_pages.method_results
    tables = ROOT / "benchmarks" / "tables"
    ranks = (tables / "index.md").read_text(encoding="utf-8")
    for name, method in METHODS.items():
        found = results.standing(name)
        if found is not None and found[0].rank is not None:
            row = f"| {method.short} | {found[0].rank:.2f} | {found[0].place:.3f} |"
            assert row in ranks
    # Table 1 of MTrick: the paper's mean of all problems, and ours of the evidence problems.
    (row,) = [
        line for line in results.paper_table("mtrick").splitlines() if "sci vs talk |" in line
    ]
    assert "| 92.01 |" in row
    evidence = row.split("|")[-2].strip()
    report = (tables / "mtrick-table1.md").read_text(encoding="utf-8")
    assert f"| MTrick (default) | 92.01 | **{evidence}** |" in report


def test_the_pages_of_methods_have_the_figures_of_their_suites(method_pages):
    figures = import_module("method_figures")
    for name in METHODS:
        written = method_pages.WRITTEN / f"{name}.md"
        page = written.read_text(encoding="utf-8") if written.exists() else ""
        has_figures = any(figure.suite for figure in figures.figures_of(name))
        assert page.count(f"```{{method-figures}} {name}\n```") == has_figures, name


def test_a_figure_is_described_and_has_the_colors_of_a_theme(method_pages):
    figures = import_module("method_figures")
    found = figures.figures_of("cdsc")
    figure = next(f for f in found if f.title.startswith("Figure 5"))
    assert found[-1].title == "Running time"
    (drawing,) = (block for block in figure.blocks if not isinstance(block, str))
    text = figures.description(drawing, figure.title)
    assert text.startswith(figure.title)
    first = "error against labeled documents of the source. SVM (paper's weighting) from 0."
    assert first in text
    svg = figures.draw(drawing, "a")
    for theme, names in figures.THEMES.items():
        assert f"color: {names['text']}" in figures.themed(svg, theme)


def test_the_page_of_methods_has_the_tables():
    page = (ROOT / "docs" / "methods" / "index.md").read_text(encoding="utf-8")
    assert "```{method-tables}\n```" in page


def test_the_picture_of_the_architecture_names_every_folder():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    picture = page.split("```")[1]
    folders = [
        path.parent.name
        for layer in ("*", "estimators/*", "solvers/*")
        for path in (ROOT / "src" / "isthmus").glob(f"{layer}/__init__.py")
    ]
    assert folders
    assert not [name for name in folders if not re.search(rf"\b{name}\b", picture)]
