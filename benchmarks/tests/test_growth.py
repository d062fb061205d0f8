"""The plot of many growing lines."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest

from isthmus_bench.report.blocks import GrowthChart, GrowthLine, Report, Section
from isthmus_bench.report.growth import draw_growth, group_style, spread

LINES = (
    GrowthLine("Auto <b>", "ensemble", ((1e3, 1.36), (1e4, 3.33)), (1e5, 120.0)),
    GrowthLine("MTrick", "tri-factorization", ((1e3, 0.5), (1e4, 0.7), (1e5, 2.5), (1e6, 27.0))),
    GrowthLine("never", "tri-factorization", (), (1e3, 120.0)),
)
CHART = GrowthChart("Cost", "documents", "seconds", ("documents", "seconds"), LINES, 120.0)


@pytest.fixture(scope="module")
def markup() -> str:
    return draw_growth(CHART, "cost")


@pytest.fixture(scope="module")
def forms(markup):
    """The elements of the wide and of the narrow plot."""
    tree = ElementTree.fromstring(re.sub(r"<input([^>]*)>", "", markup))
    plots = [svg for svg in tree.iter("svg") if svg.get("role") == "img"]
    assert [plot.get("class") for plot in plots] == ["wide", "narrow"]
    return plots


def test_every_line_has_its_name_and_its_numbers(forms):
    for plot in forms:
        groups = [g for g in plot.iter("g") if "line" in g.get("class").split()]
        by_name = {g.findall("text")[0].text: g for g in groups}
        assert set(by_name) == {"Auto <b>", "MTrick", "never"}
        title = by_name["Auto <b>"].find("title").text
        assert title.splitlines() == [
            "Auto <b> (ensemble)",
            "1,000 documents: 1.36 seconds",
            "10,000 documents: 3.33 seconds",
            "100,000 documents: more than 120 seconds",
        ]
        assert len(by_name["MTrick"].findall("circle")) == 4
        assert len(by_name["Auto <b>"].findall("circle")) == 2
        assert not by_name["never"].findall("circle")


def test_only_a_lower_bound_has_a_triangle(forms):
    for plot in forms:
        marked = {
            g.find("text").text: [p.get("class") for p in g.findall("path")] for g in plot.iter("g")
        }
        assert "above" in marked["Auto <b>"]
        assert "above" in marked["never"]
        assert "above" not in marked["MTrick"]


def test_the_way_to_a_name_across_the_plot_looks_different(forms):
    for plot, expected in zip(forms, ("leader", "leader across"), strict=True):
        kinds = {g.find("text").text: g.find("path").get("class") for g in plot.iter("g")}
        assert kinds == {"Auto <b>": expected, "never": expected, "MTrick": "leader"}


def test_both_axes_are_logarithmic(forms):
    for plot in forms:
        (line,) = [g for g in plot.iter("g") if g.find("text").text == "MTrick"]
        xs = [float(c.get("cx")) for c in line.findall("circle")]
        steps = [b - a for a, b in pairwise(xs)]
        assert steps == pytest.approx([steps[0]] * 3, abs=0.2)
        ys = [float(c.get("cy")) for c in line.findall("circle")]
        assert ys == sorted(ys, reverse=True)
        _, _, width, height = map(float, plot.get("viewBox").split())
        assert all(0 < x < width and 0 < y < height for x, y in zip(xs, ys, strict=True))
    texts = [[t.text for t in plot.iter("text")] for plot in forms]
    assert {"1,000", "1,000,000", "limit: 120", "1", "100"} <= set(texts[0])
    assert {"1k", "1M", "limit: 120", "1", "100"} <= set(texts[1])


def test_the_plot_says_what_it_shows(forms):
    for plot in forms:
        assert plot.get("aria-label") == (
            "Cost: seconds against documents, both logarithmic, 3 lines. The table below has the "
            "same numbers."
        )


def test_a_choice_of_groups_has_a_rule_for_each(markup):
    assert re.findall(r'class="(pick\d+)"', markup) == ["pick0", "pick1"]
    assert markup.count('type="radio"') == 3
    assert len(re.findall("checked", markup)) == 1
    for number in (0, 1, 9):
        assert f":has(.pick{number}:checked) .line:not(.g{number})" in group_style()


@pytest.mark.parametrize("lines", [(), LINES[2:], (GrowthLine("a", "b", ((5.0, 2.0),)),)])
def test_few_points_are_drawn(lines):
    chart = GrowthChart("Cost", "x", "y", ("x", "y"), lines)
    assert "nan" not in draw_growth(chart, "a")


def test_the_page_has_the_plot_and_its_style():
    from isthmus_bench.report.page import render_page

    page = render_page(Report("A", "", (Section("cost", "Cost", (CHART,)),)))
    assert page.count("<figure") == 1
    assert "Auto &lt;b&gt;" in page
    assert "Auto <b>" not in page
    assert group_style() in page


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ([], []),
        ([50.0], [50.0]),
        ([10.0, 90.0, 50.0], [10.0, 90.0, 50.0]),
        ([50.0, 50.0, 50.0], [40.0, 50.0, 60.0]),
        ([50.0, 45.0], [52.5, 42.5]),
        ([0.0, 1.0], [0.0, 10.0]),
        ([100.0, 99.0], [100.0, 90.0]),
    ],
)
def test_names_do_not_overlap(positions, expected):
    assert spread(positions, 10.0, 0.0, 100.0) == pytest.approx(expected)


def test_too_many_names_share_the_space():
    assert spread([5.0] * 5, 10.0, 0.0, 20.0) == pytest.approx([0.0, 5.0, 10.0, 15.0, 20.0])
