"""The web page of a report: texts, tables, and no external files."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from isthmus_bench.report.blocks import Chart, Report, Section, render_markdown, table
from isthmus_bench.report.page import render_page
from isthmus_bench.report.pages import pages_of_all, pages_of_named
from isthmus_bench.report.plots import draw
from made_report import LINES, POINTS, RANKS, REPORT, made_page

VOID = {"meta", "br", "hr", "img", "link", "input", "wbr", "col"}


@pytest.fixture(scope="module")
def page() -> str:
    return made_page()


class Reader(HTMLParser):
    """Checks that all elements are closed, and keeps ids, links and texts."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: Counter[str] = Counter()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.paths: list[tuple[str, str]] = []

    def handle_starttag(self, tag, attrs):
        self.seen[tag] += 1
        attributes = dict(attrs)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if "href" in attributes else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in {"script", "style"}:
            self.paths.append((self.open[-1], data))

    @property
    def text(self) -> str:
        return " ".join("".join(text for _, text in self.paths).split())


@pytest.fixture(scope="module")
def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def test_the_same_report_gives_the_same_page(page, monkeypatch):
    import matplotlib

    # pyplot would choose a window system and keep every figure.
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    # The style of the user is neither used nor changed.
    with matplotlib.rc_context({"font.size": 30.0, "xtick.major.size": 20.0}):
        assert render_page(REPORT) == page
        assert matplotlib.rcParams["font.size"] == 30.0


def test_html_in_texts_is_escaped(read):
    assert read.seen["script"] == 1
    assert not read.seen["b"]
    assert not read.seen["i"]
    assert "Benchmarks & <script>alert(0)</script>" in read.text
    assert "<script>alert(1)</script>" in read.text
    assert "Tiny <b>tasks</b> & others" in read.text
    codes = [text for tag, text in read.paths if tag == "code"]
    assert {"code <i>", "isthmus-bench report"} <= set(codes)


def test_the_page_has_every_block(read):
    for text in (
        *("Second paragraph.", "A paragraph with", "sci & talk", "Evidence, 3 problems:"),
        *("first remark", "Not complete:", "How it was run", "seeds 0, 1", "one thread"),
        *("Accuracy per problem", "Sorted by", "Nemenyi's test.", "96.57 (paper 92.01)"),
    ):
        assert text in read.text
    assert read.seen["table"] == 1
    assert read.seen["svg"] == 7
    assert read.seen["details"] == 2
    assert [text for tag, text in read.paths if tag == "strong"] == ["96.57"]


def test_rows_of_means_and_columns_of_numbers_are_marked():
    text = table(["method", "mean"], [["LG", "1.5"], ["mean of all", "1.5"], ["a mean of", "2"]])
    page = render_page(Report("A", "", (Section("a", "A", (text,)),)))
    assert re.findall(r'<tr class="summary">\s*<td>(.*?)</td>', page) == ["mean of all"]
    assert page.count('<td class="number">') == 3
    assert page.count('<table class="sortable">') == 1


def test_ids_are_unique_and_links_lead_to_them(read):
    assert len(read.ids) == len(set(read.ids))
    assert {"tiny", "other", "ranks"} <= set(read.ids)
    targets = {link.removeprefix("#") for link in read.links}
    assert {"tiny", "other", "ranks"} <= targets <= set(read.ids)


def test_the_page_loads_no_other_file(page):
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!#)", page)
    assert not re.search(r"url\((?!#)|@import", page)
    assert "default-src 'none'" in page


def test_drawings_use_the_colors_of_the_page():
    svg = draw(LINES, "a")
    for color in ("currentColor", "var(--faint)", "var(--series-1)", "var(--series-2)"):
        assert color in svg
    assert "font-family" not in svg
    assert "_MTrick $x$" in svg
    assert "below 65 %" in svg
    assert draw(LINES, "b") != svg


def test_ranks_have_intervals_of_the_critical_difference():
    svg = draw(RANKS, "a")
    for text in ("A  1.20", "B  1.90", "C  2.90", "mean rank"):
        assert text in svg


def test_an_empty_chart_is_drawn():
    assert draw(Chart("nothing", "x", "y", ()), "a").startswith("<svg")


def test_tables_in_markdown():
    text = table(["method", "mean", "n"], [["a|b", "**1.5**", "x\ny"], ["c", "-", "z"]])
    assert text == (
        "| method | mean | n |\n| --- | ---: | --- |\n| a\\|b | **1.5** | x y |\n| c | - | z |"
    )
    assert render_markdown(REPORT).startswith("# Benchmarks")


def test_suites_get_pages_of_their_own():
    pages = pages_of_all(REPORT, ["tiny", "other"])
    assert list(pages) == ["index", "tiny", "other"]
    first = pages["index"]
    assert [section.name for section in first.sections] == ["suites", "ranks"]
    assert f"`tiny`: [{pages['tiny'].title}](tiny.md)" in render_markdown(first)
    assert 'href="tiny.html"' in render_page(first)
    tiny = pages["tiny"]
    assert [section.title for section in tiny.sections] == ["sci & talk"]
    text = render_markdown(tiny)
    assert text.startswith("# Tiny <b>tasks</b> & others\n")
    # Nothing of a suite is lost: what comes before the first heading is the introduction.
    for block in REPORT.sections[0].blocks:
        assert not isinstance(block, str) or block.removeprefix("### ") in text
    assert LINES in tiny.sections[0].blocks
    assert "[All suites](index.md)" in text


def test_a_page_alone_has_no_links_to_other_pages():
    tiny, _, all_ranks = REPORT.sections
    report = replace(REPORT, sections=(all_ranks, tiny))
    (page,) = pages_of_named(report, ["tiny"]).values()
    assert REPORT.intro in page.intro
    assert ".md)" not in render_markdown(page)
    ranks = page.sections[-1]
    assert (ranks.title, ranks.blocks) == ("Ranks", all_ranks.blocks)


def test_ranks_over_named_suites_have_a_page_of_their_own():
    pages = pages_of_named(REPORT, ["tiny", "other"])
    assert list(pages) == ["ranks", "tiny", "other"]
    assert [section.name for section in pages["ranks"].sections] == ["suites", "ranks"]
    assert all(REPORT.intro in page.intro for page in pages.values())
    without = replace(REPORT, sections=[s for s in REPORT.sections if s.name != "ranks"])
    assert list(pages_of_named(without, ["tiny", "other"])) == ["tiny", "other"]


def test_a_figure_does_not_repeat_the_title_of_its_section():
    blocks = (f"### {LINES.title}", LINES, f"### {POINTS.title}", "Text.", POINTS)
    report = Report("A", "", (Section("a", "A", blocks),))
    page = pages_of_named(report, ["a"])["a"]
    assert render_page(page).count("<figure") == 2
    assert "<figcaption>" not in render_page(page)


def test_a_drawing_before_the_first_heading_is_a_section():
    report = Report("A", "", (Section("a", "A", ("Text.", LINES, "More.")),))
    page = pages_of_named(report, ["a"])["a"]
    assert page.intro.endswith("Text.")
    assert [(s.title, s.blocks) for s in page.sections] == [(LINES.title, (LINES, "More."))]
