"""From a figure of matplotlib to an SVG element of the page."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from isthmus.bench.report.page.palette import VARIABLES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Hint", "figure_to_svg"]

_NAMESPACE = "http://www.w3.org/2000/svg"
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_REFERENCE = re.compile(r"^#(?P<link>.+)$|url\(#(?P<url>[^)]+)\)")
_FONT = re.compile(r"(?P<weight>\b\d{3}\s+)?(?P<size>[\d.]+px)")


@dataclass(frozen=True)
class Hint:
    """A text for who points at a place; pixels from the lower left corner of the figure."""

    x: float
    y: float
    text: str
    width: float = 8.0
    height: float = 8.0


def figure_to_svg(figure: Figure, hints: Sequence[Hint], prefix: str, label: str) -> str:
    """Draw a figure.

    Parameters
    ----------
    figure : Figure
        With 72 dots per inch, so that its units are pixels of the page.
    hints : sequence of Hint
        Become tooltips.
    prefix : str
        Begins every id, so that several figures can be on one page.
    label : str
        What the figure shows, for who cannot see it.

    Returns
    -------
    str
        An ``svg`` element, which takes its colours and its font from the page.
    """
    written = io.StringIO()
    figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    root = ElementTree.fromstring(_NOT_XML.sub("\ufffd", written.getvalue()))
    _drop_what_is_not_drawn(root)
    _rename_ids(root, prefix)
    for element in root.iter():
        _follow_the_page(element)
    _, _, width, height = root.attrib["viewBox"].split()
    root.attrib = {
        "xmlns": _NAMESPACE,
        "viewBox": root.attrib["viewBox"],
        "width": width,
        "height": height,
        "role": "img",
        "aria-label": label,
        # Matplotlib says this in a style sheet, which would hold for the whole page.
        "stroke-linejoin": "round",
    }
    if hints:
        root.append(_overlay(hints, float(height)))
    return ElementTree.tostring(root, encoding="unicode")


def _drop_what_is_not_drawn(root: Element) -> None:
    for parent in list(root.iter()):
        parent.tag = _local(parent.tag)
        for child in list(parent):
            if _local(child.tag) in {"metadata", "style"}:
                parent.remove(child)
        # White space between elements, which matplotlib indents.
        if parent.tag not in {"text", "tspan"}:
            parent.text = None
        parent.tail = None
        if "d" in parent.attrib:
            parent.attrib["d"] = " ".join(parent.attrib["d"].split())


def _rename_ids(root: Element, prefix: str) -> None:
    used = {
        found["link"] or found["url"]
        for element in root.iter()
        for name, value in element.attrib.items()
        if (found := _reference(name, value))
    }
    for element in root.iter():
        attributes = {}
        for name, value in element.attrib.items():
            if name == "id":
                if value in used:
                    attributes["id"] = f"{prefix}.{value}"
            elif (found := _reference(name, value)) is not None:
                target = found["link"] or found["url"]
                renamed = found[0].replace(target, f"{prefix}.{target}")
                attributes[_local(name)] = value.replace(found[0], renamed)
            else:
                attributes[_local(name)] = value
        element.attrib = attributes


def _follow_the_page(element: Element) -> None:
    for name in ("style", "fill", "stroke"):
        if name in element.attrib:
            element.attrib[name] = _COLOUR.sub(
                lambda found: VARIABLES.get(found[0].lower(), found[0]), element.attrib[name]
            )
    if element.tag == "text":
        declarations = [part.strip() for part in element.attrib.get("style", "").split(";")]
        kept = [
            _without_family(part)
            for part in declarations
            if part and not part.startswith("font-family")
        ]
        if not any(part.startswith("fill:") for part in kept):
            kept.append("fill: currentColor")
        element.attrib["style"] = "; ".join(kept)


def _without_family(declaration: str) -> str:
    """Older versions of matplotlib write size, weight and family in one."""
    if not declaration.startswith("font:"):
        return declaration
    found = _FONT.search(declaration)
    if found is None:
        return "font-size: inherit"
    weight = f"; font-weight: {found['weight'].strip()}" if found["weight"] else ""
    return f"font-size: {found['size']}{weight}"


def _overlay(hints: Sequence[Hint], height: float) -> Element:
    group = Element("g", {"fill": "none", "pointer-events": "all"})
    for hint in hints:
        place = {
            "x": f"{hint.x - hint.width / 2:.2f}",
            "y": f"{height - hint.y - hint.height / 2:.2f}",
            "width": f"{hint.width:.2f}",
            "height": f"{hint.height:.2f}",
        }
        area = ElementTree.SubElement(group, "rect", place)
        ElementTree.SubElement(area, "title").text = _NOT_XML.sub("\ufffd", hint.text)
    return group


def _reference(name: str, value: str) -> re.Match[str] | None:
    return _REFERENCE.search(value) if _local(name) in {"href", "clip-path", "style"} else None


def _local(name: str) -> str:
    return name.rpartition("}")[2]
