"""The page of a benchmark in a browser: errors, sorting, accessibility and narrow screens."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from isthmus_bench.report.blocks import GrowthChart, GrowthLine, Report, Section, table
from isthmus_bench.report.page import render_page
from made_report import REPORT

ROWS = (
    *(["b 2", "70.52", "1e-5"], ["b 10", "**96.57** (paper 92.01)", ".037"]),
    *(["a", "-", "-"], ["c", "8.5", "0.2"], ["mean of all", "58.5", "-"]),
)
SORTED = Section("sorted", "Sorted", (table(["method", "mean", "p"], [list(row) for row in ROWS]),))
ORIGINAL = ["b 2", "b 10", "a", "c", "mean of all"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("benchmark") / "page.html"
    report = replace(REPORT, sections=(SORTED, *REPORT.sections))
    file.write_text(render_page(report), encoding="utf-8")
    return file


def names(page):
    return page.locator("#sorted tbody td:first-child").all_text_contents()


def head(page, column):
    return page.locator("#sorted thead th").nth(column)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_accessible_and_without_errors(open_page, run_axe, screenshot, path, width, dark):
    page = open_page(path, width=width, dark=dark)
    screenshot(page, f"benchmark-{width}-{'dark' if dark else 'light'}")
    run_axe(page)


def test_a_click_sorts_reverses_and_restores(open_page, path):
    page = open_page(path)
    assert names(page) == ORIGINAL
    for order, expected in (
        ("descending", ["b 10", "b 2", "c", "a", "mean of all"]),
        ("ascending", ["c", "b 2", "b 10", "a", "mean of all"]),
        (None, ORIGINAL),
    ):
        head(page, 1).get_by_role("button").click()
        assert names(page) == expected
        assert head(page, 1).get_attribute("aria-sort") == order


def test_names_start_with_the_first_and_numbers_may_have_exponents(open_page, path):
    page = open_page(path)
    head(page, 0).get_by_role("button").click()
    assert names(page) == ["a", "b 2", "b 10", "c", "mean of all"]
    head(page, 2).get_by_role("button").click()
    assert names(page) == ["c", "b 10", "b 2", "a", "mean of all"]
    assert head(page, 0).get_attribute("aria-sort") is None


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_keyboard_sorts(open_page, path, key):
    page = open_page(path)
    # From the box of the table, which scrolls, to the heads of the columns.
    page.locator("#sorted .box").focus()
    page.keyboard.press("Tab")
    page.keyboard.press(key)
    assert head(page, 0).get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Tab")
    page.keyboard.press(key)
    assert head(page, 1).get_attribute("aria-sort") == "descending"
    assert names(page) == ["b 10", "b 2", "c", "a", "mean of all"]


@pytest.mark.parametrize("width", [320, 360, 800, 1280, 1920])
def test_only_boxes_scroll_sideways(open_page, path, width):
    page = open_page(path, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_contents_lead_to_sections(open_page, path):
    page = open_page(path)
    page.get_by_role("navigation").get_by_role("link", name="Sorted").click()
    assert page.evaluate("location.hash") == "#sorted"
    assert page.locator("#sorted h2").is_visible()


def test_readable_without_a_script_and_on_paper(open_page, path, screenshot):
    page = open_page(path, with_script=False)
    assert names(page) == ORIGINAL
    page = open_page(path, for_print=True)
    assert not page.get_by_role("navigation").is_visible()
    screenshot(page, "benchmark-print")


FAMILIES = ("ensemble", "spectral", "graph")
COST = GrowthChart(
    "Cost",
    "documents",
    "seconds",
    ("documents", "seconds"),
    tuple(
        GrowthLine(
            f"method {i}",
            FAMILIES[i % 3],
            tuple((10.0**k, 10.0 ** (k - 4) * (i + 1)) for k in range(3, 5 + (i % 3 > 0))),
            (10.0**6, 120.0) if i % 3 else None,
        )
        for i in range(30)
    ),
    120.0,
    "A note.",
)


@pytest.fixture(scope="module")
def cost_path(tmp_path_factory):
    file = tmp_path_factory.mktemp("cost") / "page.html"
    report = Report("Benchmarks", "", (Section("cost", "Cost", (COST,)),))
    file.write_text(render_page(report), encoding="utf-8")
    return file


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("width", "form"), [(360, "narrow"), (800, "wide"), (1280, "wide")])
def test_the_plot_of_costs(open_page, run_axe, screenshot, cost_path, width, form, dark):
    page = open_page(cost_path, width=width, dark=dark)
    screenshot(page, f"cost-{width}-{'dark' if dark else 'light'}")
    assert [svg.get_attribute("class") for svg in page.get_by_role("img").all()] == [form]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Every name is inside the plot, and none covers another one.
    boxes = [name.bounding_box() for name in page.locator(f".{form} .label").all()]
    assert len(boxes) == 30
    assert all(box["x"] + box["width"] <= width for box in boxes)
    columns = {round(box["x"]) for box in boxes}
    for x in columns:
        tops = sorted(box["y"] for box in boxes if round(box["x"]) == x)
        assert all(b - a >= 10 for a, b in pairwise(tops))
    run_axe(page)


def test_a_family_is_highlighted_without_a_script(open_page, cost_path):
    page = open_page(cost_path, with_script=False)

    def opacities(number):
        lines = page.locator(f".wide .line.g{number}").all()
        return {float(line.evaluate("e => getComputedStyle(e).opacity")) for line in lines}

    assert opacities(0) == opacities(2) == {1.0}
    page.get_by_label("graph").check()
    assert opacities(2) == {1.0}
    assert max(opacities(0) | opacities(1)) < 0.3
    page.get_by_label("all", exact=True).check()
    assert opacities(0) == opacities(1) == opacities(2) == {1.0}
