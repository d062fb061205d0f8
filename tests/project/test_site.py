"""The built documentation: links lead somewhere, pictures have texts, nothing is loaded from afar.

``make docs`` builds it; without it these tests are skipped.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
pytestmark = pytest.mark.skipif(
    not (SITE / "index.html").exists(), reason="the documentation is not built: make docs"
)
PAGES = sorted(path for path in SITE.rglob("*.html") if "_static" not in path.parts)
# They have no article of their own.
SPECIAL = {"search.html", "genindex.html", "py-modindex.html", "404.html"}


@dataclass
class PageContent(HTMLParser):
    """What the tests look at."""

    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    images: list[dict[str, str | None]] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    headings: int = 0
    language: str | None = None

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if values.get("id"):
            self.anchors.add(values["id"])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag == "img":
            self.images.append(values)
        if tag in ("script", "img", "iframe") and values.get("src"):
            self.loaded.append(values["src"])
        if tag == "link" and values.get("rel") in ("stylesheet", "preload", "icon"):
            self.loaded.append(values["href"])
        if tag == "h1":
            self.headings += 1
        if tag == "html":
            self.language = values.get("lang")


@cache
def content(page: Path) -> PageContent:
    parser = PageContent()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser


def name(page: Path) -> str:
    return page.relative_to(SITE).as_posix()


def is_external(address: str) -> bool:
    return address.startswith(("http:", "https:", "//", "mailto:"))


def leads_somewhere(link: str, page: Path) -> bool:
    path, _, anchor = unquote(link).partition("#")
    target = Path(os.path.normpath(page.parent / path)) if path else page
    if not target.exists():
        return False
    return not anchor or target.suffix != ".html" or anchor in content(target).anchors


def broken_links(page: Path) -> list[str]:
    links = [link for link in content(page).links if not is_external(link)]
    return [link for link in links if not leads_somewhere(link, page)]


def test_there_are_pages() -> None:
    assert len(PAGES) > 100


def test_every_link_leads_to_a_page_and_a_place_on_it() -> None:
    broken = {name(page): links for page in PAGES if (links := broken_links(page))}
    assert not broken


def has_text(image: dict[str, str | None]) -> bool:
    """Whether a picture has an alternative text that is more than a name.

    A thumbnail of the gallery has an empty one, because its title is beside it.
    """
    text = image.get("alt")
    if text == "":
        return (image["src"] or "").endswith(("_thumb.png", "_thumb.svg"))
    return text is not None and len(text.split()) > 2


def test_every_picture_has_an_alternative_text() -> None:
    missing = {
        name(page): images
        for page in PAGES
        if (images := [i["src"] for i in content(page).images if not has_text(i)])
    }
    assert not missing


def test_nothing_is_loaded_from_another_address() -> None:
    far = {
        name(page): loaded
        for page in PAGES
        if (loaded := [address for address in content(page).loaded if is_external(address)])
    }
    assert not far


def test_every_page_has_a_language_and_one_title() -> None:
    for page in PAGES:
        assert content(page).language == "en", name(page)
        if page.name not in SPECIAL:
            assert content(page).headings == 1, name(page)


def test_pages_are_not_too_large() -> None:
    large = {
        name(page): page.stat().st_size
        for page in PAGES
        if page.stat().st_size > 300_000 and page.name != "genindex.html"
    }
    assert not large


def test_every_written_page_is_in_the_site() -> None:
    docs = SITE.parents[1]
    written = [
        path.relative_to(docs).with_suffix(".html")
        for path in docs.rglob("*.md")
        if not {"_build", "_extensions"} & {*path.relative_to(docs).parts}
    ]
    assert not [str(path) for path in written if not (SITE / path).exists()]


def test_the_version_is_on_every_page() -> None:
    from isthmus import __version__

    for page in PAGES:
        assert __version__ in page.read_text(encoding="utf-8"), name(page)
