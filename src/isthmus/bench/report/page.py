"""A report as one HTML file without external resources."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib import resources
from importlib.util import find_spec

from isthmus.bench.report.blocks import Block, Drawing, Report
from isthmus.bench.report.plots import COLOURS, draw

__all__ = ["missing_page_packages", "render_page"]


def missing_page_packages() -> str | None:
    """What to install for the page, None if everything is installed."""
    if find_spec("markdown_it") is None or find_spec("matplotlib") is None:
        return "The page needs the extra 'bench': pip install 'isthmus[bench]'."
    return None


def render_page(report: Report) -> str:
    """The report as HTML; the same report gives the same text. HTML in its texts is escaped."""
    if (missing := missing_page_packages()) is not None:
        raise ImportError(missing)
    taken: set[str] = set()
    # Sections have the addresses that others may link to, so they come first.
    names = [_anchor(section.name, taken) for section in report.sections]
    titles = [_to_html(section.title, inline=True) for section in report.sections]
    contents = [
        f'<li><a href="#{name}">{title}</a></li>' for name, title in zip(names, titles, strict=True)
    ]
    sections = [
        f'<section id="{name}">\n<h2>{title}</h2>\n{_blocks(section.blocks, name, taken)}</section>'
        for name, title, section in zip(names, titles, report.sections, strict=True)
    ]
    script = _read("page.js")
    variables = {
        mode: "\n".join(f"--series-{n}: {pair[mode]};" for n, pair in enumerate(COLOURS, start=1))
        for mode in (0, 1)
    }
    style = _read("page.css").replace("@light@", variables[0]).replace("@dark@", variables[1])
    parts = {
        "title": _to_html(report.title, inline=True),
        "intro": _to_html(report.intro),
        "contents": "\n".join(contents),
        "sections": "\n".join(sections),
        "style": style,
        "script": script,
        # The security policy of the page allows this script only.
        "hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    return re.sub(r"@(\w+)@", lambda match: parts[match[1]], _read("page.html"))


def _blocks(blocks: tuple[Block, ...], section: str, taken: set[str]) -> str:
    parts = []
    heading = ""
    for block in blocks:
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
    html = html.replace("<table>", '<div class="box" tabindex="0"><table>')
    return html.replace("</table>", "</table></div>")


def _anchor(text: str, taken: set[str]) -> str:
    """A name for an element that no other element of the page has."""
    stem = re.sub(r"[^\w.]+", "-", text).strip("-") or "part"
    name, count = stem, 1
    while name in taken:
        count += 1
        name = f"{stem}-{count}"
    taken.add(name)
    return name


def _read(name: str) -> str:
    folder = resources.files("isthmus.bench.report") / "templates"
    return (folder / name).read_text(encoding="utf-8")
