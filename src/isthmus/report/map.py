"""The map of both domains in two dimensions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isthmus.inspection.facts import ReportFacts
from isthmus.pages import Html, json_script, svg, tag
from isthmus.pages.colors import COLORS
from isthmus.report.formatting import count, cut, label_text, named, section

__all__ = ["map_section"]

_SIZE, _MARGIN = 720.0, 10.0
# The color of all classes beyond the largest ones.
_OTHER = f"c{len(COLORS)}"


def map_section(facts: ReportFacts) -> Html | None:
    """Documents as points: classes as colors, domains as shapes."""
    shown = facts.map
    if shown is None:
        return None
    x = svg.Scale(0, 1, _MARGIN, _SIZE - _MARGIN)
    y = svg.Scale(0, 1, _SIZE - _MARGIN, _MARGIN)
    codes = np.unique(shown.codes)
    styles = _styles(shown.codes)
    marks = [
        tag(
            "use",
            href="#target-mark" if is_target else "#source-mark",
            x=svg.number(x(float(place[0]))),
            y=svg.number(y(float(place[1]))),
            class_=f"{styles[int(code)]} l{int(code)}",
        )
        for place, code, is_target in zip(shown.places, shown.codes, shown.is_target, strict=True)
    ]
    shapes = tag(
        "defs",
        tag("circle", r=3.4, id="source-mark"),
        tag("path", d="M0 -5L4.6 3.4L-4.6 3.4Z", id="target-mark"),
    )
    colored = [code for code in styles if styles[code] != _OTHER]
    legend = [_legend_entry(styles[code], named(facts.classes[code], 60)) for code in colored]
    if len(colored) < len(styles):
        legend.append(_legend_entry(_OTHER, f"{len(styles) - len(colored)} other classes"))
    options = [tag("option", "all classes", value="")]
    options += [
        tag("option", cut(label_text(facts.classes[code]), 60), value=f"l{int(code)}")
        for code in codes
    ]
    n_source, n_target = int((~shown.is_target).sum()), int(shown.is_target.sum())
    label = (
        f"Map of {count(n_source, 'document')} of the source and {count(n_target, 'document')} of "
        "the target. Documents with similar words are near each other."
    )
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
        tag("ul", legend, class_="legend"),
        tag(
            "figure",
            svg.chart(
                _SIZE, _SIZE, label, shapes, tag("g", marks, id="map-points"), class_="large map"
            ),
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


def _styles(codes: NDArray[np.intp]) -> dict[int, str]:
    """The color of every class, the largest first; if there are many, the others are gray."""
    found, sizes = np.unique(codes, return_counts=True)
    largest = found[np.argsort(-sizes, kind="stable")].tolist()
    n_colors = len(COLORS) if len(largest) <= len(COLORS) else len(COLORS) - 1
    return {
        code: f"c{place + 1}" if place < n_colors else _OTHER for place, code in enumerate(largest)
    }


def _legend_entry(style: str, name: object) -> Html:
    return tag("li", tag("span", class_=f"key {style}", aria_hidden="true"), name)


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
