"""The report of a fitted model in a browser: search, sort, hover, keyboard, accessibility."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reported_models import MODELS, fitted


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The file of the report of a model, written once."""
    folder = tmp_path_factory.mktemp("reports")

    def path(name: str) -> Path:
        file = folder / f"{name}.html"
        if not file.exists():
            fitted(name).report(file)
        return file

    return path


@pytest.mark.parametrize("name", MODELS)
def test_every_report_opens_without_an_error_and_fits_a_phone(
    name: str, reports: Any, open_page: Any, screenshot: Any
) -> None:
    page = open_page(reports(name), width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    screenshot(page, f"report-{name}-narrow")


@pytest.mark.parametrize(
    ("name", "dark"),
    [("usual", False), ("usual", True), ("mtrick", True), ("fifty_classes", False)],
)
def test_the_report_is_accessible(
    name: str, dark: bool, reports: Any, open_page: Any, run_axe: Any, screenshot: Any
) -> None:
    page = open_page(reports(name), dark=dark)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    run_axe(page)
    screenshot(page, f"report-{name}-{'dark' if dark else 'light'}")


def test_words_are_searched_and_shown_with_their_documents(reports: Any, open_page: Any) -> None:
    page = open_page(reports("usual"))
    rows = page.locator("#word-panels tbody tr")
    n_words = rows.count()
    page.fill("#word-search", "quick")
    shown = page.locator("#word-panels tbody tr:not([hidden])")
    assert 0 < shown.count() < n_words
    assert page.locator("svg.words g.faded").count() == n_words - shown.count()
    assert page.locator("#word-count").inner_text() == f"{shown.count()} of {n_words} words"
    detail = page.locator("#word-detail")
    assert detail.locator("strong").first.inner_text() == "quick"
    assert "Target: weight" in detail.inner_text()
    marked = detail.locator("li mark")
    assert marked.count() > 0
    assert marked.first.inner_text().lower() == "quick"
    page.fill("#word-search", "no such word")
    assert "No word found" in page.locator("#word-count").inner_text()
    page.fill("#word-search", "")
    assert page.locator("svg.words g.faded").count() == 0


def test_pointing_at_a_word_shows_it(reports: Any, open_page: Any) -> None:
    page = open_page(reports("usual"))
    word = page.locator("svg.words g.word").first
    word.locator("circle").hover()
    title = word.locator("title").text_content().partition(":")[0]
    assert page.locator("#word-detail strong").first.inner_text() == title
    assert "chosen" in word.get_attribute("class")
    # A click keeps the word, and a second one lets it go.
    others = page.locator("svg.words g.word circle")
    word.locator("circle").click()
    others.nth(5).hover()
    assert page.locator("#word-detail strong").first.inner_text() == title
    word.locator("circle").click()
    others.nth(5).hover()
    assert page.locator("#word-detail strong").first.inner_text() != title


def test_the_keyboard_reaches_words_and_sorts_tables(reports: Any, open_page: Any) -> None:
    page = open_page(reports("usual"))
    page.locator("#words summary").first.focus()
    page.keyboard.press("Enter")
    head = page.locator("#words thead button").first
    head.focus()
    page.keyboard.press("Enter")
    words = page.locator("#words tbody button.word").all_inner_texts()
    assert words == sorted(words, key=str.lower)
    page.locator("#words tbody button.word").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#word-detail strong").first.inner_text() == words[0]


def test_one_class_is_shown_at_a_time(reports: Any, open_page: Any) -> None:
    page = open_page(reports("fifty_classes"))
    panels = page.locator(".word-panel")
    assert panels.count() == 50
    assert page.locator(".word-panel:not([hidden])").count() == 1
    page.select_option("#word-class", "7")
    assert page.locator(".word-panel:not([hidden])").get_attribute("data-panel") == "7"


def test_the_map_shows_documents_and_classes(reports: Any, open_page: Any) -> None:
    page = open_page(reports("usual"))
    marks = page.locator("#map-figure .points > *")
    assert marks.count() == 220
    marks.nth(150).dispatch_event("mouseover")
    assert "kitchen, " in page.locator("#map-detail").inner_text()
    page.locator("#map-figure").focus()
    page.keyboard.press("ArrowRight")
    assert (
        page.locator("#map-figure .points > *").nth(151).get_attribute("class").endswith("chosen")
    )
    page.select_option("#map-class", index=1)
    faded = page.locator("#map-figure .points > *.faded").count()
    assert 0 < faded < 220


def test_hostile_texts_do_nothing_in_the_browser(reports: Any, open_page: Any) -> None:
    page = open_page(reports("hostile"))
    page.on("dialog", lambda dialog: open_page.problems.append(f"dialog: {dialog.message}"))
    assert page.locator("img").count() == 0
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for button in page.locator("#words button.word").all()[:20]:
        button.click()
    for mark in range(0, page.locator("#map-figure .points > *").count(), 10):
        page.locator("#map-figure .points > *").nth(mark).dispatch_event("mouseover")
    assert page.locator("img, #word-detail script, #map-detail script").count() == 0


def test_the_page_is_readable_without_its_script(reports: Any, open_page: Any) -> None:
    page = open_page(reports("fifty_classes"), with_script=False)
    assert page.locator(".word-panel:visible").count() == 50
    assert page.locator("#map-figure .points > *").count() > 100


def test_printing_shows_everything(reports: Any, open_page: Any) -> None:
    page = open_page(reports("usual"), for_print=True)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert not page.locator(".controls").first.is_visible()


def test_the_report_without_texts_opens_too(tmp_path: Path, open_page: Any, run_axe: Any) -> None:
    fitted("usual").report(tmp_path / "r.html", max_texts=0)
    page = open_page(tmp_path / "r.html")
    page.locator("svg.words g.word circle").first.hover()
    assert page.locator("#word-detail li").count() == 0
    run_axe(page)


@pytest.mark.parametrize(
    ("dark", "background"), [(False, "rgb(255, 255, 255)"), (True, "rgb(20, 22, 26)")]
)
@pytest.mark.parametrize("name", ["usual", "hostile"])
def test_a_saved_figure_opens_light_and_dark(
    name: str, dark: bool, background: str, tmp_path: Path, open_page: Any
) -> None:
    fitted(name).plot.words().save(tmp_path / "words.svg")
    page = open_page(tmp_path / "words.svg", dark=dark)
    styles = page.evaluate(
        "[document.documentElement, document.querySelector('text')].map((e) => getComputedStyle(e))"
        ".map((style) => [style.backgroundColor, style.fill])"
    )
    assert styles[0][0] == background
    assert styles[1][1] == ("rgb(227, 230, 234)" if dark else "rgb(28, 30, 33)")
    assert page.locator("g.word circle").count() > 5


def test_a_figure_in_a_notebook_leaves_the_page_alone(tmp_path: Path, open_page: Any) -> None:
    figure = fitted("usual").plot.words()._repr_html_()
    page = (
        '<body style="background: rgb(10, 10, 10); color: rgb(1, 2, 3)"><svg><text>a</text></svg>'
    )
    (tmp_path / "notebook.html").write_text(f"{page}{figure}", encoding="utf-8")
    opened = open_page(tmp_path / "notebook.html", dark=True)
    fill, inside, behind = opened.evaluate(
        "[getComputedStyle(document.querySelector('text')).fill,"
        " getComputedStyle(document.querySelector('.isthmus-figure text')).fill,"
        " getComputedStyle(document.querySelector('.isthmus-figure')).backgroundColor]"
    )
    assert (fill, inside, behind) == ("rgb(0, 0, 0)", "rgb(1, 2, 3)", "rgba(0, 0, 0, 0)")
