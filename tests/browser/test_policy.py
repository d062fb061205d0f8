"""The security policy of a page in a browser, and that the fixtures notice what it blocks."""

from __future__ import annotations

import pytest

from isthmus.pages import base_style, json_script, raw, render_shell, tag

SCRIPT = 'document.title = JSON.parse(document.getElementById("data").textContent)[0];'
TITLE = "</script><b> & \u2028 'é"


@pytest.fixture
def made(tmp_path):
    """Write a page with these sections and return its path."""

    def make(*sections, script=SCRIPT):
        path = tmp_path / "page.html"
        sections = [json_script("data", [TITLE]), *sections]
        page = render_shell("Made", [("a", "A")], "Intro", sections, base_style(), script)
        path.write_text(page, encoding="utf-8")
        return path

    return make


def test_the_style_and_the_script_of_the_page_are_allowed(open_page, run_axe, made):
    page = open_page(made(tag("section", tag("h2", "A"), tag("p", TITLE), id="a")))
    assert page.evaluate("document.title") == TITLE
    assert page.locator("#a p").text_content() == TITLE
    assert page.evaluate("getComputedStyle(document.body).paddingLeft") == "16px"
    run_axe(page)


@pytest.mark.parametrize(
    ("markup", "problem"),
    [
        ("<script>document.title = 'bad'</script>", "script"),
        ("<img src=x alt='' onerror=\"document.title = 'bad'\">", "img"),
        ("<p style='position: fixed'>x</p>", "style"),
        ("<style>body { display: none }</style>", "style"),
        ("<img alt='' src='https://example.org/a.png'>", "img"),
        ("<iframe title='x' src='https://example.org/'></iframe>", "frame"),
        ("<link rel='stylesheet' href='https://example.org/a.css'>", "style"),
    ],
)
def test_everything_else_is_blocked_and_noticed(open_page, made, markup, problem):
    page = open_page(made(raw(markup)))
    assert page.evaluate("document.title") == TITLE
    assert page.locator("main").is_visible()
    assert any(problem in text for text in open_page.problems), open_page.problems
    assert not any(text.startswith("request") for text in open_page.problems)
    open_page.problems.clear()


def test_errors_of_the_script_are_noticed(open_page, made):
    open_page(made(script="throw new Error('broken');"))
    assert open_page.problems == ["script: broken"]
    open_page.problems.clear()


def test_requests_are_noticed_and_not_answered(open_page, tmp_path):
    path = tmp_path / "open.html"
    (tmp_path / "a.css").write_text("", encoding="utf-8")
    text = "<img src='https://example.org/a.png'><link rel=stylesheet href=a.css>"
    path.write_text(f"<!DOCTYPE html><title>x</title>{text}", encoding="utf-8")
    open_page(path)
    assert {text for text in open_page.problems if text.startswith("request")} == {
        "request: https://example.org/a.png",
        f"request: {(tmp_path / 'a.css').as_uri()}",
    }
    open_page.problems.clear()


def test_violations_of_accessibility_are_noticed(open_page, run_axe, made):
    page = open_page(made(tag("button")))
    with pytest.raises(AssertionError, match=r"button-name \(critical\)"):
        run_axe(page)
