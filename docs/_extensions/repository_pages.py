"""Markdown files of the repository as pages of the site, and links to them.

Some files are read outside the site too: the changelog, the benchmarks, the pages that scripts
write. They stay where they are. The build writes a page from each of them into ``docs/project``.
Links between files of the repository become links between pages.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FOLDER = DOCS / "project"
# Folders with measurements. Their pages are in no menu, except for the first page of the tables.
_LABORATORY = ("tables", "studies", "speed")
FIRST_TABLES = ROOT / "benchmarks" / "tables" / "index.md"
LINK = re.compile(r"(\]\()([\w./-]+\.md)((?:#[\w-]+)?\))")


def site_pages() -> dict[Path, Path]:
    """The page of the site for every file of the repository that becomes one."""
    names = ("ARCHITECTURE", "CHANGELOG", "CONTRIBUTING")
    pages = {ROOT / f"{name}.md": FOLDER / f"{name.lower()}.md" for name in names}
    benchmarks = ROOT / "benchmarks"
    pages[benchmarks / "README.md"] = FOLDER / "laboratory.md"
    for folder in _LABORATORY:
        for path in sorted((benchmarks / folder).glob("*.md")):
            pages[path] = FOLDER / folder / path.name
    return pages


def with_site_links(text: str, file: Path, page: Path, pages: dict[Path, Path]) -> str:
    """The text of a file with links that lead from its page to other pages."""

    def link(match: re.Match[str]) -> str:
        target = (file.parent / match[2]).resolve()
        target = pages.get(target, target)
        return match[1] + Path(os.path.relpath(target, page.parent)).as_posix() + match[3]

    return LINK.sub(link, text)


def write_pages(app: Sphinx) -> None:
    """Write the pages, and remove those whose file no longer exists."""
    pages = site_pages()
    for path in FOLDER.rglob("*.md"):
        # Pages of methods belong to another extension.
        if path not in pages.values() and path.parent.name != "methods":
            path.unlink()
    for file, page in pages.items():
        text = with_site_links(file.read_text("utf-8"), file, page, pages)
        if page.parent.name in _LABORATORY and page != pages[FIRST_TABLES]:
            text = f"---\norphan: true\nnosearch: true\n---\n\n{text}"
        if not page.exists() or page.read_text("utf-8") != text:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text, encoding="utf-8")


def redirect_links(app: Sphinx, document: str, source: list[str]) -> None:
    """Let the links of a written page lead to the pages of repository files."""
    page = Path(app.env.doc2path(document))
    if page.suffix == ".md" and FOLDER not in page.parents:
        source[0] = with_site_links(source[0], page, page, site_pages())


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("builder-inited", write_pages, priority=100)
    app.connect("source-read", redirect_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
