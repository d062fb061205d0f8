"""The page "From the papers to the code": every place exists, and no number of a paper is left out.

The words of the page that are checked::

    `path.py: name, Class.method`    a module and what it defines; paths as the page says
    `path.py::test_name`             a test
    `isthmus.name`                   a public name
    suite `name`, metric `name`      of the laboratory
    preset `name` of `method`
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import isthmus
from isthmus import METHODS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks" / "papers.md"
TEXT = PAGE.read_text(encoding="utf-8")
SUITES = ROOT / "benchmarks" / "src" / "isthmus_bench" / "suites"
# How many numbered equations, algorithms, tables and figures each paper has.
PAPERS = {
    "MTrick": {"eq.": 30, "Algorithm": 1, "Table": 4, "Figure": 4},
    "CDSC": {"eq.": 12, "Algorithm": 2, "Table": 2, "Figure": 6},
    "LSSMTC and LSSTTC": {"eq.": 22, "Algorithm": 2, "Table": 8, "Figure": 0},
    "PJNMF": {"eq.": 12, "Algorithm": 0, "Table": 2, "Figure": 2},
    "DKT": {"eq.": 35, "Algorithm": 1, "Table": 3, "Figure": 4},
}
DASH = "\N{EN DASH}"
ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8}


def path_of(text):
    """The file of a path on the page."""
    from_root = text.startswith(("benchmarks/", "tests/"))
    return (ROOT if from_root else ROOT / "src" / "isthmus") / text


@cache
def names_of(path):
    """The functions, classes and methods that a module defines."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            functions = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            names |= {f"{node.name}.{function.name}" for function in functions}
    return names


def unique(pattern):
    return list(dict.fromkeys(re.findall(pattern, TEXT)))


@pytest.mark.parametrize("path", unique(r"`([\w./-]+\.(?:py|toml))[`:]"))
def test_the_file_exists(path):
    assert path_of(path).is_file()


@pytest.mark.parametrize(("path", "names"), unique(r"`([\w./-]+\.py)(?:::|: )([\w., ]+)`"))
def test_the_file_defines_the_names(path, names):
    assert set(names.split(", ")) <= names_of(path_of(path))


@pytest.mark.parametrize("name", unique(r"`isthmus\.(\w+)`"))
def test_the_name_is_public(name):
    assert name in isthmus.__all__


@pytest.mark.parametrize("name", unique(r"suites? \[?`([\w-]+)`"))
def test_the_suite_exists(name):
    assert (SUITES / f"{name}.toml").is_file()


@pytest.mark.parametrize(("text", "target"), unique(r"\[`([\w-]+)`\]\((\S+)\)"))
def test_the_link_of_a_suite_leads_to_its_page(text, target):
    assert (PAGE.parent / target).resolve() == ROOT / "benchmarks" / "tables" / f"{text}.md"


@pytest.mark.parametrize("name", unique(r"metric `([^`]+)`"))
def test_the_metric_exists(name):
    from isthmus_bench.plan.metrics import METRICS

    assert name in METRICS


@pytest.mark.parametrize(("preset", "method"), unique(r"(?i:preset)\s`(\w+)`\sof\s`([\w-]+)`"))
def test_the_preset_exists(preset, method):
    assert preset in METHODS[method].presets


def test_every_suite_of_a_paper_is_on_the_page():
    papers = ("mtrick-", "cdsc-", "lssmtc-", "lssttc-", "pjnmf-", "dkt-")
    suites = [path.stem for path in SUITES.glob("*.toml") if path.stem.startswith(papers)]
    assert not [name for name in suites if f"`{name}`" not in TEXT]


def number(text):
    """The number in its kind: 14 of "3.14" and 3 of "III"."""
    return ROMAN.get(text) or int(text.rpartition(".")[2])


def numbers_in(rows, kind):
    """All numbers of a kind in the first column: the ends of ranges and what is between them."""
    one = rf"[\d.IV]+(?:{DASH}[\d.IV]+)?"
    found = []
    for row in rows:
        for numbers in re.findall(rf"{re.escape(kind)} ({one}(?:(?:, | and ){one})*)", row):
            for part in re.split(", | and ", numbers):
                first, _, last = part.partition(DASH)
                found += range(number(first), number(last or first) + 1)
    return sorted(found)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_of_a_paper_has_one_row(paper):
    (section,) = re.findall(rf"^## {paper}\n(.*?)(?=^## )", TEXT, re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^\| ([^|]+) \|", section, re.MULTILINE)
    for kind, count in PAPERS[paper].items():
        assert numbers_in(rows, kind) == list(range(1, count + 1)), kind
