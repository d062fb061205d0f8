"""The web page of a report: its texts, its tables, and that it needs nothing else."""

from __future__ import annotations

import re
import sys
from collections import Counter
from html.parser import HTMLParser

import pytest

from isthmus.bench.report.blocks import table
from isthmus.bench.report.page import render_page
from isthmus.bench.report.page.tables import leading_number, view_table
from made_report import REPORT, TABLE, made_page

VOID = {"meta", "br", "hr", "img", "link", "input", "wbr", "col"}


@pytest.fixture(scope="module")
def page() -> str:
    return made_page()


class Reader(HTMLParser):
    """Checks that what opens closes, and keeps what the page says outside of script and style."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: Counter[str] = Counter()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []
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
            self.texts.append(data)
            self.paths.append((self.open[-1], data))


@pytest.fixture(scope="module")
def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def test_the_same_report_gives_the_same_bytes(page, monkeypatch):
    import matplotlib

    # Who imports pyplot from here on fails: it chooses a window system and keeps every figure.
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    before = dict(matplotlib.rcParams.copy())
    # A style of the user's own has no say, and is there afterwards.
    with matplotlib.rc_context({"font.size": 30.0, "xtick.major.size": 20.0}):
        assert render_page(REPORT) == page
        assert matplotlib.rcParams["font.size"] == 30.0
    assert dict(matplotlib.rcParams.copy()) == before


def test_texts_of_a_report_are_no_markup(page, read):
    assert read.seen["script"] == 1
    assert not read.seen["b"]
    assert not read.seen["i"]
    said = "".join(read.texts)
    assert "Benchmarks & <script>alert(0)</script>" in said
    assert "<script>alert(1)</script>" in said
    assert "Tiny <b>tasks</b> & others" in said
    codes = [text for tag, text in read.paths if tag == "code"]
    assert "code <i>" in codes
    assert "isthmus bench report" in codes


def test_every_block_is_there(read):
    said = " ".join("".join(read.texts).split())
    for text in (
        *("Second paragraph.", "A paragraph with", "sci & talk", "Evidence, 3 problems:"),
        *("first remark", "Not complete:", "How it was run", "seeds 0, 1", "one thread"),
        *(
            "Accuracy per problem",
            "Sorted by",
            "Nemenyi's test.",
            "settings",
            "96.57 (paper 92.01)",
        ),
    ):
        assert text in said
    assert read.seen["table"] == 1
    assert read.seen["svg"] == 5
    assert [text for tag, text in read.paths if tag == "strong"] == ["96.57"]


def test_ids_are_unique_and_links_lead_to_them(read):
    assert len(read.ids) == len(set(read.ids))
    assert {"tiny", "other", "ranks"} <= set(read.ids)
    assert read.links
    assert {link.removeprefix("#") for link in read.links} <= set(read.ids)


def test_nothing_comes_from_elsewhere(page):
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!#)", page)
    assert not re.search(r"url\((?!#)|@import", page)
    assert "default-src 'none'" in page


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("96.57 (paper 92.01)", 96.57),
        (".037", 0.037),
        ("-0.51", -0.51),
        ("\N{MINUS SIGN}0.51", -0.51),
        ("+1,234.5", 1234.5),
        ("< 1e-5", 1e-5),
        ("3 of 8", 3.0),
        ("-", None),
        ("MTrick 2", None),
    ],
)
def test_cells_sort_by_the_number_they_begin_with(text, number):
    assert leading_number(text) == number


def test_columns_of_numbers_are_found():
    view = view_table(TABLE, "here")
    assert view.kinds == ("", "number noted", "number", "")
    assert [value for row in view.rows for _, value in row[1:3]] == [
        *(70.52, None),
        *(96.57, 0.037),
        *(8.5, 1e-5),
    ]
    numbered = view_table(table(["problem", "mean"], [["1", "2"]]), "here")
    assert numbered.kinds == ("", "number")
    unknown = view_table(table(["method", "paper", "note"], [["LG", "-", ""]]), "here")
    assert unknown.kinds == ("", "number", "")
    rows = [["split", "evidence", "a 1"], ["LG", "70.5", "b"], ["SVM", "71.2", "3"]]
    split = view_table(table(["method", "1 to 2", "note"], rows), "here")
    assert split.kinds == ("", "number", "")
    assert split.rows[0][1][1] is None
    assert view_table(table(["method", "mean"], []), "here").kinds == ("", "")


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_what_to_install_is_said(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    said = r"^The page needs the extra 'report': pip install 'isthmus\[report\]'\.$"
    with pytest.raises(ImportError, match=said):
        render_page(REPORT)
