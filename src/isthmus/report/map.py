"""The map of both domains in two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.inspection.facts import DocumentMap, ReportFacts
from isthmus.pages import Html, json_script, svg, tag
from isthmus.pages.colors import COLORS
from isthmus.report.figure import Drawing, Key, Shape, mark
from isthmus.report.formatting import count, cut, documents, label_text, named, section

__all__ = ["draw_map", "map_section"]

_SIZE, _MARGIN = 720.0, 10.0
# The color of all classes beyond the largest ones.
_OTHER = f"c{len(COLORS)}"
_SHAPES: tuple[Shape, Shape] = ("dot", "triangle")


def map_section(facts: ReportFacts) -> Html | None:
    """Documents as points: classes as colors, domains as shapes."""
    shown = facts.map
    if shown is None:
        return None
    codes = np.unique(shown.codes)
    drawing = draw_map(shown, facts.classes, (facts.source_name, facts.target_name))
    options = [tag("option", "all classes", value="")]
    options += [
        tag("option", cut(label_text(facts.classes[code]), 60), value=f"l{int(code)}")
        for code in codes
    ]
    return section(
        "map",
        "Map of the documents",
        tag(
            "p",
            "Documents with many words in common are near each other (t-SNE of the words; labels "
            "were not used). Circles are documents of ",
            named(facts.source_name),
            " with their given labels, triangles are documents of ",
            named(facts.target_name),
            " with the labels found. It is a good sign if triangles of one color form groups, and "
            "if they lie near circles of that color. Distances between far groups mean nothing.",
            " Source and target are in different languages, so they lie apart: few of their words "
            "are the same."
            if facts.dictionary
            else "",
        ),
        tag(
            "div",
            tag("label", "Show ", tag("select", options, id="map-class"), class_="control"),
            class_="controls",
        ),
        tag(
            "figure",
            drawing.on_page(),
            id="map-figure",
            tabindex=0,
            aria_label="Map of the documents. The arrow keys go from document to document.",
        ),
        tag(
            "p",
            "Point at a document, or use the arrow keys on the map, to see which one it is.",
            id="map-detail",
            class_="note",
            aria_live="polite",
        ),
        json_script("map-data", _data(facts)),
    )


def draw_map(shown: DocumentMap, classes: Sequence[Any], domains: tuple[str, str]) -> Drawing:
    """Points: colors are classes, shapes are the domains, whose names are given.

    Every point has the class ``l`` with the number of its class in the model.
    """
    x = svg.Scale(0, 1, _MARGIN, _SIZE - _MARGIN)
    y = svg.Scale(0, 1, _SIZE - _MARGIN, _MARGIN)
    styles = _styles(shown.codes)
    marks = [
        mark(
            x(float(place[0])),
            y(float(place[1])),
            f"{styles[int(code)]} l{int(code)}",
            is_triangle=bool(is_target),
        )
        for place, code, is_target in zip(shown.places, shown.codes, shown.is_target, strict=True)
    ]
    keys = [
        Key(role if name == role else f"{role}: {name}", _OTHER, shape)
        for role, name, shape in zip(("source", "target"), domains, _SHAPES, strict=True)
    ]
    colored = [code for code in styles if styles[code] != _OTHER]
    keys += [Key(label_text(classes[code]), styles[code], "square") for code in colored]
    if len(colored) < len(styles):
        others = count(len(styles) - len(colored), "other class", "other classes")
        keys.append(Key(others, _OTHER, "square"))
    n_source, n_target = int((~shown.is_target).sum()), int(shown.is_target.sum())
    description = (
        f"Map of {documents(n_source)} of the source and {documents(n_target)} of the target. "
        "Documents with similar words are near each other."
    )
    return Drawing(
        _SIZE,
        _SIZE,
        description,
        [svg.rect(0, 0, _SIZE, _SIZE, "strip"), tag("g", marks, class_="points")],
        keys,
        class_="large map",
    )


def _styles(codes: NDArray[np.intp]) -> dict[int, str]:
    """The color of every class, the largest first; if there are many, the others are gray."""
    found, sizes = np.unique(codes, return_counts=True)
    largest = found[np.argsort(-sizes, kind="stable")].tolist()
    n_colors = len(COLORS) if len(largest) <= len(COLORS) else len(COLORS) - 1
    return {
        code: f"c{place + 1}" if place < n_colors else _OTHER for place, code in enumerate(largest)
    }


def _data(facts: ReportFacts) -> dict[str, object]:
    shown = facts.map
    assert shown is not None
    return {
        "labels": [cut(label_text(label), 60) for label in facts.classes],
        "domains": [cut(name, 40) for name in (facts.source_name, facts.target_name)],
        "points": [
            [int(is_target), int(code), name, text]
            for is_target, code, name, text in zip(
                shown.is_target, shown.codes, shown.names, shown.texts, strict=True
            )
        ],
    }
