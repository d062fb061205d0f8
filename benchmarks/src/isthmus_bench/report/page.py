"""A report as one HTML file without external resources."""

from __future__ import annotations

import re
from importlib import resources

from isthmus.pages import base_style, raw, render_shell, tables_script
from isthmus.pages.colors import color_variables
from isthmus_bench.report.blocks import Drawing, GrowthChart, Report, Section
from isthmus_bench.report.growth import draw_growth, group_style
from isthmus_bench.report.plots import draw

__all__ = ["render_page"]

# Pages are written as Markdown and as HTML, with the same names.
_LINK_TO_PAGE = re.compile(r'(?<=href=")([\w-]+)\.md(?=")')
# Rows of means and costs stay at the end when a table is sorted.
_SUMMARY_ROW = re.compile(r"<tr>(?=\s*<td>(mean of|mean,|seconds per fit|MiB per fit))")


def render_page(report: Report) -> str:
    """The report as HTML; the same report gives the same text. HTML in its texts is escaped."""
    taken: set[str] = set()
    # Sections have the addresses that others may link to, so they come first.
    names = [_anchor(section.name, taken) for section in report.sections]
    titles = [raw(_to_html(section.title, inline=True)) for section in report.sections]
    sections = [
        f'<section id="{name}">\n<h2>{title}</h2>\n{_blocks(section, name, taken)}</section>'
        for name, title, section in zip(names, titles, report.sections, strict=True)
    ]
    own_style = resources.files("isthmus_bench.report") / "templates" / "page.css"
    return render_shell(
        report.title,
        list(zip(names, titles, strict=True)),
        raw(_to_html(report.intro)),
        [raw(section) for section in sections],
        base_style() + color_variables() + own_style.read_text(encoding="utf-8") + group_style(),
        tables_script(),
        heading=raw(_to_html(report.title, inline=True)),
        # Drawings of matplotlib have style attributes.
        allow_style_attributes=True,
    )


def _blocks(of: Section, section: str, taken: set[str]) -> str:
    parts = []
    heading = of.title
    for block in of.blocks:
        if isinstance(block, str):
            heading = block[4:] if block.startswith("### ") else heading
            name = _anchor(f"{section}-{heading}", taken) if block.startswith("### ") else ""
            parts.append(_to_html(block).replace("<h3>", f'<h3 id="{name}">'))
        else:
            parts.append(_figure(block, section, block.title != heading, taken))
    return "\n".join(parts)


def _figure(drawing: Drawing, section: str, has_caption: bool, taken: set[str]) -> str:
    name = _anchor(f"{section}-{drawing.title}", taken)
    caption = f"<figcaption>{_to_html(drawing.title, inline=True)}</figcaption>\n"
    note = f'<p class="note">{_to_html(drawing.note, inline=True)}</p>\n' if drawing.note else ""
    if isinstance(drawing, GrowthChart):
        # It fits a narrow screen, so that it need not scroll.
        box = f"{draw_growth(drawing, name)}\n"
    else:
        box = f'<div class="box" tabindex="0">{draw(drawing, name)}</div>\n'
    return f'<figure id="{name}">\n{caption * has_caption}{box}{note}</figure>'


def _to_html(text: str, inline: bool = False) -> str:
    """Markdown as HTML: collapsed lists stay, tables scroll, all other HTML is escaped."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    if inline:
        return str(parser.renderInline(text))
    html = str(parser.render(text))
    html = re.sub(
        r"<p>&lt;details&gt;\s*&lt;summary&gt;(.*?)&lt;/summary&gt;</p>",
        r"<details><summary>\1</summary>",
        html,
    ).replace("<p>&lt;/details&gt;</p>", "</details>")
    html = html.replace("<table>", '<div class="box" tabindex="0"><table class="sortable">')
    html = html.replace("</table>", "</table></div>")
    html = html.replace('style="text-align:right"', 'class="number"')
    html = _LINK_TO_PAGE.sub(r"\1.html", html)
    return _SUMMARY_ROW.sub('<tr class="summary">', html)


def _anchor(text: str, taken: set[str]) -> str:
    """A name for an element that no other element of the page has."""
    stem = re.sub(r"[^\w.]+", "-", text).strip("-") or "part"
    name, count = stem, 1
    while name in taken:
        count += 1
        name = f"{stem}-{count}"
    taken.add(name)
    return name
