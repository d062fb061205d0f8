"""Labels found per class, beside those of the source and of the source-only classifier."""

from __future__ import annotations

from collections.abc import Sequence

from isthmus.inspection.facts import ClassShare, ReportFacts
from isthmus.pages import Html, join, svg, tag
from isthmus.report.figure import Drawing, Key
from isthmus.report.formatting import (
    Numbers,
    count,
    label_text,
    line_of,
    named,
    percent,
    scrolling,
    section,
    table,
)

__all__ = ["draw_shares", "shares_section"]

# More classes are in the table only.
_MAX_BARS = 16
_MAX_ROWS = 200
_WIDTH, _LEFT, _RIGHT = 760.0, 200.0, 60.0
_BAR, _GAP = 13.0, 16.0
_KEYS = (
    Key("source", "c8 light", "square"),
    Key("target: labels found", "c1", "square"),
    Key("target: source-only classifier", "c2", "square"),
)


def shares_section(facts: ReportFacts) -> Html:
    """One group of bars per class, and a table of the same numbers."""
    shares = sorted(facts.shares, key=lambda share: -share.n_found)
    more = len(shares) - _MAX_BARS
    empty = [share for share in shares if share.n_found == 0]
    rows = [_row(share) for share in shares[:_MAX_ROWS]]
    heads = [
        "class",
        Numbers("source: documents"),
        Numbers("source: proportion"),
        Numbers("target: labels found"),
        Numbers("target: proportion"),
        Numbers("source-only classifier: labels"),
        Numbers("source-only classifier: proportion"),
        Numbers("target: estimated proportion"),
    ]
    return section(
        "classes",
        "Labels per class",
        tag(
            "p",
            "How many documents have each label. If the target's proportions look impossible to "
            "you, pass the ones that you know (--class-prior). ",
            f"{percent(facts.agreement)} of the labels found are those of the source-only "
            "classifier, a logistic regression on ",
            named(facts.source_name),
            " alone.",
            f" The {facts.target.n_labeled:,} given labels of the target are included."
            if facts.target.n_labeled
            else "",
        ),
        tag("p", facts.note, class_="warning") if facts.note else None,
        tag("p", "No document got the label ", _listed(empty), ".", class_="warning")
        if empty
        else None,
        tag("figure", scrolling("Chart of labels per class", draw_shares(shares).on_page())),
        tag("p", f"The {more} smaller classes are in the table only.", class_="note")
        if more > 0
        else None,
        tag(
            "details",
            tag("summary", "Table of all classes"),
            table("Labels per class", heads, rows, sortable=True),
        ),
    )


def _listed(shares: list[ClassShare]) -> list[object]:
    names = join([named(share.label) for share in shares[:5]], ", ")
    return [names, f" and {len(shares) - 5} more" if len(shares) > 5 else ""]


def draw_shares(shares: Sequence[ClassShare]) -> Drawing:
    """Three bars per class; the class with most labels is at the top."""
    ordered = sorted(shares, key=lambda share: -share.n_found)
    shown = ordered[:_MAX_BARS]
    n_hidden = len(ordered) - len(shown)
    largest = max((max(s.source, s.found, s.source_only) for s in shown), default=0.0) or 1.0
    scale = svg.Scale(0.0, largest, _LEFT, _WIDTH - _RIGHT)
    parts: list[object] = []
    y = 8.0
    for share in shown:
        parts.append(
            tag(
                "text",
                tag("title", label_text(share.label)),
                line_of(share.label, 26),
                x=svg.number(_LEFT - 10),
                y=svg.number(y + 1.5 * _BAR + 4),
                class_="name",
                text_anchor="end",
            )
        )
        for part, key in zip((share.source, share.found, share.source_only), _KEYS, strict=True):
            parts += [
                svg.rect(_LEFT, y, scale(part) - _LEFT, _BAR - 2, f"bar {key.style}"),
                svg.text(scale(part) + 6, y + 9.5, percent(part), "tick"),
            ]
            y += _BAR
        y += _GAP
    spoken = "; ".join(
        f"{line_of(s.label, 40)}: source {percent(s.source)}, found {percent(s.found)}, "
        f"source-only classifier {percent(s.source_only)}"
        for s in shown
    )
    hidden = f"{count(n_hidden, 'smaller class is', 'smaller classes are')} not shown."
    return Drawing(
        _WIDTH,
        y,
        f"Labels per class. {spoken}.",
        parts,
        _KEYS,
        note=hidden if n_hidden else "",
        class_="medium",
    )


def _row(share: ClassShare) -> list[object]:
    estimate = "" if share.estimate is None else str(share.estimate)
    return [
        named(share.label, 60),
        f"{share.n_source:,}",
        percent(share.source, 1),
        f"{share.n_found:,}",
        percent(share.found, 1),
        f"{share.n_source_only:,}",
        percent(share.source_only, 1),
        estimate,
    ]
