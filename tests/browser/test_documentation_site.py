"""The built documentation in a browser: search, phones, light and dark, print, accessibility."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
pytestmark = pytest.mark.skipif(
    not (SITE / "index.html").exists(), reason="the documentation is not built: make docs"
)
PAGES = (
    "index.html",
    "start.html",
    "is_it_for_me.html",
    "which_method.html",
    "guides/trust.html",
    "methods/index.html",
    "methods/mtrick.html",
    "gallery/index.html",
    "reference/command_line.html",
    "reference/api/isthmus.Transfer.html",
)
PHONE, DESK = (360, 740), (1280, 900)


class Site:
    """Opens pages of the site and keeps what goes wrong in them."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.problems: list[str] = []

    def open(self, path: str, size: tuple[int, int] = DESK, dark: bool = False) -> Page:
        width, height = size
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.route("**/*", self._answer)
        page.goto(f"{SITE.as_uri()}/{path}")
        page.wait_for_load_state("load")
        return page

    def search(self, words: str) -> list[str]:
        """The addresses of the results, best first."""
        page = self.open(f"search.html?q={quote(words)}")
        summary = "document.querySelector('#search-results .search-summary')?.innerText"
        page.wait_for_function(f"/\\d/.test({summary})", timeout=15_000)
        return page.eval_on_selector_all(
            "#search-results li a", "links => links.map(link => link.getAttribute('href'))"
        )

    def _answer(self, route: Route) -> None:
        if route.request.url.startswith((SITE.as_uri(), "data:")):
            route.continue_()
        else:
            self.problems.append(f"request for {route.request.url}")
            route.abort()


@pytest.fixture
def site(browser: Browser) -> Iterator[Site]:
    opened = Site(browser)
    yield opened
    for context in browser.contexts:
        context.close()
    assert not opened.problems


def keep_picture(page: Page, name: str) -> None:
    if folder := os.environ.get("ISTHMUS_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pages_fit_a_phone(site, path, dark):
    page = site.open(path, PHONE, dark)
    keep_picture(page, f"phone-{'dark' if dark else 'light'}-{path.replace('/', '-')}")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pages_are_accessible(site, path, dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = site.open(path, DESK, dark)
    keep_picture(page, f"desk-{'dark' if dark else 'light'}-{path.replace('/', '-')}")
    rules = ["image-alt", "color-contrast", "heading-order", "link-name", "document-title"]
    options = {"runOnly": {"type": "rule", "values": rules}}
    violations = axe.Axe().run(page, options=options).response["violations"]
    found = [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in violations
        for node in violation["nodes"]
    ]
    assert not found


def test_dark_pages_show_the_dark_picture(site):
    for dark, theme in ((False, "light"), (True, "dark")):
        page = site.open("which_method.html", dark=dark)
        shown = page.locator(f"img.only-{theme}").first
        other = page.locator(f"img.only-{'light' if dark else 'dark'}").first
        assert shown.is_visible()
        assert not other.is_visible()


SEARCHES = [
    ("negation", "guides/texts.html"),
    ("csv", "guides/files.html"),
    ("only one class", "reference/faq.html"),
    ("label new documents", "start.html"),
    ("stop words", "guides/texts.html"),
    ("confidence", "guides/trust.html"),
    ("Polish", "guides/texts.html"),
    ("class prior", "guides/class_proportions.html"),
    ("MTrick", "methods/mtrick.html"),
]


@pytest.mark.parametrize(("words", "expected"), SEARCHES)
def test_the_search_leads_to_the_page(site, words, expected):
    addresses = site.search(words)
    assert any(expected in address for address in addresses[:8]), addresses[:8]


def test_formulas_are_drawn_by_the_browser(site):
    page = site.open("methods/mtrick.html")
    box = page.locator("div.math math").first.bounding_box()
    assert box is not None
    assert box["height"] > 15


def test_pages_print_without_menus(site):
    page = site.open("guides/trust.html")
    page.emulate_media(media="print")
    for selector in (".bd-header", ".bd-sidebar-primary", ".bd-sidebar-secondary"):
        for element in page.locator(selector).all():
            assert not element.is_visible(), selector
    assert page.locator("article h1").first.is_visible()
    assert len(page.pdf()) > 10_000


def test_the_version_is_shown(site):
    from isthmus import __version__

    page = site.open("index.html")
    assert page.get_by_text(__version__, exact=True).first.is_visible()
