"""Cut a report into pages: one for every suite, and a first page with the ranks and the costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from isthmus_bench.report.blocks import Block, Report, Section, bullets

__all__ = ["FIRST_PAGE", "first_page", "suite_pages"]

FIRST_PAGE = "index"
_HEADING = "### "
_WITH_FIRST_PAGE = (
    f"Written by `isthmus-bench report`; do not edit by hand. [All suites]({FIRST_PAGE}.md) "
    "explains the terms and lists the other pages."
)


def first_page(report: Report, pages: Mapping[str, Report]) -> Report:
    """The ranks, the costs and links to the pages of the suites, by the names of their files."""
    links = [f"`{name}`: [{page.title}]({name}.md)" for name, page in pages.items()]
    contents = Section("suites", "All suites", (bullets(links),))
    rest = [section for section in report.sections if section.name not in pages]
    return replace(report, sections=(contents, *rest))


def suite_pages(report: Report, suites: Iterable[str], *, alone: bool) -> dict[str, Report]:
    """One page for each of these sections, by the name of its file.

    A page written by itself explains the terms; the others link to the first page.
    """
    names, intro = set(suites), report.intro if alone else _WITH_FIRST_PAGE
    return {s.name: _page(s, intro) for s in report.sections if s.name in names}


def _page(section: Section, first: str) -> Report:
    """The headings of a section become the sections of a page."""
    intro, parts = [first], dict[str, list[Block]]()
    title = ""
    for block in section.blocks:
        if isinstance(block, str) and block.startswith(_HEADING):
            title = block.removeprefix(_HEADING)
            parts.setdefault(title, [])
        elif parts:
            parts[title].append(block)
        elif isinstance(block, str):
            intro.append(block)
        else:
            title = block.title
            parts[title] = [block]
    sections = (
        Section(f"{section.name}-{number}", title, tuple(blocks))
        for number, (title, blocks) in enumerate(parts.items(), start=1)
    )
    return Report(section.title, "\n\n".join(intro), tuple(sections))
