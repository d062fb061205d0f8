"""A report in Markdown."""

from __future__ import annotations

import html
import re

from isthmus.bench.report.blocks import Block, Bullets, Cell, Details, Heading, Report, Table

__all__ = ["render_markdown"]


def render_markdown(report: Report) -> str:
    """The whole report; what is only drawn is left out."""
    parts = [f"# {_line(report.title)}", report.intro]
    for section in report.sections:
        parts.append(f"## {_line(section.title)}")
        parts += [text for block in section.blocks if (text := _block(block))]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    match block:
        case str():
            return block
        case Heading():
            return f"### {_line(block.text)}"
        case Bullets():
            return _bullets(block)
        case Details():
            title = f"<summary>{html.escape(block.title)}</summary>"
            return f"<details>\n{title}\n\n{_bullets(block.bullets)}\n\n</details>"
        case Table():
            return _table(block)
        case _:
            return ""


def _bullets(block: Bullets) -> str:
    lines = "\n".join(f"- {item}" for item in block.items)
    return f"{block.intro}\n\n{lines}" if block.intro else lines


def _table(block: Table) -> str:
    rows = [[_cell(cell) for cell in row] for row in block.rows]
    titles = [_in_table(title) for title in block.titles]
    lines = [titles, ["---"] * len(block.titles), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _cell(cell: Cell) -> str:
    text = _in_table(cell.text)
    return (f"**{text}**" if cell.best else text) + _in_table(cell.beside)


def _in_table(text: str) -> str:
    """A bar would end the cell, and a line end the row."""
    return _line(text).replace("|", "\\|")


def _line(text: str) -> str:
    """The text without line ends, which would end a heading or a row."""
    return re.sub(r"\s*[\r\n]\s*", " ", text)
