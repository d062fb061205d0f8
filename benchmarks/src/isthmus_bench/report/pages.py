"""Cut a report into pages: one for every suite, and a first page with the ranks and the costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from isthmus_bench.report.blocks import Block, Report, Section, bullets

__all__ = ["pages_of_all", "pages_of_named"]

_FIRST_PAGE, _RANKS_PAGE = "index", "ranks"
_HEADING = "### "
_WITH_FIRST_PAGE = (
    f"Written by `isthmus-bench report`; do not edit by hand. [All suites]({_FIRST_PAGE}.md) "
    "explains the terms and lists the other pages."
)


def pages_of_all(report: Report, suites: Iterable[str]) -> dict[str, Report]:
    """A first page, and one page for each of these sections, by the names of their files."""
    pages = {s.name: _page(s, _WITH_FIRST_PAGE) for s in _sections(report, suites)}
    return {_FIRST_PAGE: _first_page(report, pages)} | pages


def pages_of_named(report: Report, suites: Iterable[str]) -> dict[str, Report]:
    """One page for each of these sections, which explains the terms.

    The ranks over these suites are on the page of a single one, and else on a page of their own,
    which does not replace the first page of all.
    """
    pages = {s.name: _page(s, report.intro) for s in _sections(report, suites)}
    ranks = [section for section in report.sections if section.name not in pages]
    if len(pages) > 1:
        return ({_RANKS_PAGE: _first_page(report, pages)} if ranks else {}) | pages
    ((name, page),) = pages.items()
    own = (replace(section, title="Ranks") for section in ranks)
    return {name: replace(page, sections=(*page.sections, *own))}


def _sections(report: Report, suites: Iterable[str]) -> list[Section]:
    names = set(suites)
    return [section for section in report.sections if section.name in names]


def _first_page(report: Report, pages: Mapping[str, Report]) -> Report:
    """The ranks, the costs and links to the pages of the suites, by the names of their files."""
    links = [f"`{name}`: [{page.title}]({name}.md)" for name, page in pages.items()]
    contents = Section("suites", "All suites", (bullets(links),))
    rest = [section for section in report.sections if section.name not in pages]
    return replace(report, sections=(contents, *rest))


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
