"""A report as one HTML file."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib import resources

from isthmus.bench.report.blocks import Block, Bullets, Details, Heading, Report, Section, Table
from isthmus.bench.report.page.anchors import Anchors
from isthmus.bench.report.page.drawing import draw
from isthmus.bench.report.page.extra import check_extra
from isthmus.bench.report.page.inline import inline, paragraphs, plain
from isthmus.bench.report.page.palette import SERIES
from isthmus.bench.report.page.tables import view_table

__all__ = ["render_page"]


@dataclass(frozen=True)
class _Piece:
    """A block with the name of its kind in the template, its anchor, and what is shown.

    The title of a drawing may be ``said`` by the heading before it.
    """

    kind: str
    anchor: str
    block: object
    shown: object = None
    said: bool = False


def render_page(report: Report) -> str:
    """Return the page.

    Parameters
    ----------
    report : Report
        What to show. None of its texts is markup, but for the backticks around code and the
        double stars around what is bold.

    Returns
    -------
    str
        HTML, the same for the same report. Styles, script and drawings are within.

    Raises
    ------
    ImportError
        Without the packages of the extra ``report``.
    """
    check_extra()
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(_read_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(inline=inline, plain=plain, paragraphs=paragraphs)
    anchors = Anchors()
    # Sections have the addresses that others may have noted, so they choose first.
    named = [(anchors.take(section.name), section) for section in report.sections]
    script = _read_template("page.js")
    return environment.get_template("page.html").render(
        report=report,
        sections=[(name, section.title, _pieces(section, anchors)) for name, section in named],
        colours=SERIES,
        # The file holds no text of the report.
        script=Markup(script),
        script_hash=_hash(script),
    )


def _pieces(section: Section, anchors: Anchors) -> list[_Piece]:
    pieces: list[_Piece] = []
    heading = before = ""
    for block in section.blocks:
        pieces.append(_piece(block, [section.title, heading, before], anchors, section.name))
        if isinstance(block, Heading):
            heading = block.text
        before = block.rstrip(":. ") if isinstance(block, str) and block.endswith(":") else ""
    return pieces


def _piece(block: Block, place: list[str], anchors: Anchors, section: str) -> _Piece:
    from markupsafe import Markup

    if isinstance(block, str):
        return _Piece("paragraph", "", block)
    if isinstance(block, Heading):
        return _Piece("heading", anchors.take(f"{section}-{block.text}"), block)
    if isinstance(block, Bullets):
        return _Piece("bullets", "", block)
    if isinstance(block, Details):
        return _Piece("details", "", block)
    if isinstance(block, Table):
        label = ", ".join(plain(part) for part in place if part)
        return _Piece("table", "", block, view_table(block, label))
    anchor = anchors.take(f"{section}-{block.title}")
    # Our own drawing, whose texts the writer of XML has escaped.
    said = block.title in place
    return _Piece("drawing", anchor, block, Markup(draw(block, anchor)), said)


def _hash(script: str) -> str:
    """What the page's security policy knows the script by, so that no other one runs."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _read_template(name: str) -> str:
    folder = resources.files("isthmus.bench.report.page") / "templates"
    return (folder / name).read_text(encoding="utf-8")
