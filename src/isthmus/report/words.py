"""The two-corpus picture: on which side words are in the source and in the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isthmus.inspection.facts import ReportFacts, WordCluster
from isthmus.inspection.word_sides import KINDS, ClassWords, WordKind, WordPoint
from isthmus.pages import Html, join, json_script, svg, tag
from isthmus.pages.colors import COLORS
from isthmus.report.figure import Drawing, Key
from isthmus.report.formatting import (
    Numbers,
    cut,
    label_text,
    line_of,
    named,
    percent,
    points,
    scrolling,
    section,
    table,
)
from isthmus.report.label_places import Box, place_labels, text_width

__all__ = ["clusters_section", "draw_clusters", "draw_words", "words_section"]

# The picture, with strips for the words of one domain only at the left and at the bottom.
_SIZE, _MARGIN, _STRIP, _TOP = 720.0, 54.0, 64.0, 40.0
_LABEL_LENGTH, _WORD_LENGTH = 24, 60
_STYLES: dict[WordKind, str] = {
    "same": "c1", "changed": "c2", "one": "c8", "source": "c3", "target": "c4",
}  # fmt: skip
# The figure of word clusters.
_MAX_CLUSTERS, _FIRST_COLUMN, _COLUMN, _ROW = 16, 176.0, 340.0, 26.0


def words_section(facts: ReportFacts) -> Html | None:
    """One picture and one table per class, with a search for words."""
    if not facts.words:
        return None
    panels = [_panel(place, words, facts) for place, words in enumerate(facts.words)]
    options = [
        tag("option", cut(label_text(words.label), 60), value=str(place))
        for place, words in enumerate(facts.words)
    ]
    chooser = tag("label", "Class ", tag("select", options, id="word-class"), class_="control")
    search = tag(
        "label", "Search words ", tag("input", type="search", id="word-search"), class_="control"
    )
    has_points = any(words.points for words in facts.words)
    behind = " and some documents that contain it" if facts.texts else ""
    detail = tag(
        "div",
        tag(
            "p",
            f"Point at a word, or choose one in the table, to see its numbers{behind}. A "
            "click keeps it.",
            class_="note",
        ),
        id="word-detail",
        tabindex=0,
        role="region",
        aria_label="The chosen word",
        aria_live="polite",
    )
    return section(
        "words",
        "Words in both domains",
        tag(
            "p",
            "Every dot is a word. To the right: documents with this word have the class more often "
            "in ",
            named(facts.source_name),
            " (given labels). Higher up: more often in ",
            named(facts.target_name),
            " (labels found). Words near the rising diagonal mean the same in both domains. Words "
            "that change sides mislead a classifier that learned from the source alone. Many of "
            "them, or hardly any word on the diagonal, are a reason for doubt.",
            _sample_sentence(facts),
        ),
        tag(
            "div",
            chooser if len(options) > 1 else None,
            search,
            tag("output", id="word-count", for_="word-search"),
            class_="controls",
        ),
        detail if has_points else None,
        tag("div", panels, id="word-panels"),
        _texts_data(facts),
    )


def _sample_sentence(facts: ReportFacts) -> str:
    if facts.n_word_documents is None:
        return ""
    n_source, n_target = facts.n_word_documents
    return (
        f" Words were counted in a random sample of {n_source:,} documents of the source and "
        f"{n_target:,} of the target."
    )


def _panel(place: int, words: ClassWords, facts: ReportFacts) -> Html:
    first, second = _ends(words, facts.classes)
    picture = draw_words(words, facts.classes, (facts.source_name, facts.target_name))
    heads = [
        "word",
        Numbers("in the source"),
        Numbers("in the target"),
        Numbers("source documents"),
        Numbers("target documents"),
        "what it does",
    ]
    rows = [_row(point) for point in words.points]
    title = ["Words for ", named(second), *((" or ", named(first)) if first else ())]
    if not rows:
        body: object = tag("p", "No word takes a clear side for this class.")
    else:
        body = [
            tag("figure", scrolling("Picture of words", picture.on_page())),
            tag(
                "details",
                tag("summary", f"Table of {len(rows)} words"),
                tag(
                    "p",
                    "Numbers are log odds ratios: positive for ",
                    named(second),
                    ", negative for ",
                    named(first) if first else "other classes",
                    ".",
                    class_="note",
                ),
                table("Words by domain", heads, rows, sortable=True),
            ),
        ]
    return tag("div", tag("h3", *title), body, class_="word-panel", data_panel=place)


def _ends(words: ClassWords, classes: Sequence[Any]) -> tuple[Any, Any]:
    """The classes at the low and the high end of the axes; None for all others together."""
    if len(classes) != 2:
        return None, words.label
    return next(label for label in classes if label != words.label), words.label


def _row(point: WordPoint) -> list[object]:
    word = cut(point.shown, _WORD_LENGTH)
    button = tag("button", word, type="button", class_="word", data_word=point.column)
    return [
        button,
        "-" if point.source_weight is None else points(point.source_weight),
        "-" if point.target_weight is None else points(point.target_weight),
        f"{point.n_source:,}",
        f"{point.n_target:,}",
        KINDS[point.kind],
    ]


def draw_words(words: ClassWords, classes: Sequence[Any], domains: tuple[str, str]) -> Drawing:
    """Words by their weights for a class in the source (to the right) and in the target (up).

    Words of one domain only are in a strip at the left or at the bottom. ``domains`` are the names
    of source and target.
    """
    first, second = _ends(words, classes)
    weights = [w for p in words.points for w in (p.source_weight, p.target_weight) if w is not None]
    reach = max([1.0, *(abs(weight) for weight in weights)]) * 1.05
    left, bottom = _MARGIN + _STRIP, _SIZE - _MARGIN - _STRIP
    x = svg.Scale(-reach, reach, left, _SIZE - 16)
    y = svg.Scale(-reach, reach, bottom, _TOP)
    low = "other classes" if first is None else line_of(first, _LABEL_LENGTH)
    high = line_of(second, _LABEL_LENGTH)
    at_right, above = (
        f"{high} in the {role}" if name == role else f"{high} in {line_of(name, 24)} ({role})"
        for name, role in zip(domains, ("source", "target"), strict=True)
    )
    parts: list[object] = [
        svg.rect(left, _TOP, x.stop - left, bottom - _TOP, "field"),
        svg.line(left, bottom, x.stop, _TOP, "grid diagonal"),
        svg.line(x(0), bottom, x(0), _TOP, "axis"),
        svg.line(left, y(0), x.stop, y(0), "axis"),
        svg.rect(_MARGIN, _TOP, _STRIP - 10, bottom - _TOP, "strip"),
        svg.rect(left, bottom + 10, x.stop - left, _STRIP - 10, "strip"),
        svg.text(x.stop, bottom + _STRIP + 20, f"{at_right} →", "name", "end"),
        svg.text(left, bottom + _STRIP + 20, f"← {low}", "name", "start"),
        svg.text(left, _TOP - 12, f"↑ {above}", "name", "start"),
        svg.text(left - 10, _TOP - 12, "not in the source", "tick", "end"),
        svg.text(left, bottom + _STRIP + 38, "lower strip: not in the target", "tick", "start"),
    ]
    positions = [_position(point, x, y) for point in words.points]
    labels = place_labels(
        [
            (*position, line_of(point.shown, _LABEL_LENGTH))
            for position, point in zip(positions, words.points, strict=True)
        ],
        Box(_MARGIN, _TOP, x.stop, bottom + _STRIP),
    )
    for position, point, label in zip(positions, words.points, labels, strict=True):
        parts.append(
            tag(
                "g",
                tag("title", f"{cut(point.shown, _WORD_LENGTH)}: {KINDS[point.kind]}"),
                svg.circle(*position, 3.5, f"dot {_STYLES[point.kind]}"),
                None if label is None else svg.text(label.x, label.y, label.text),
                class_="word",
                data_word=point.column,
            )
        )
    used = {point.kind for point in words.points}
    return Drawing(
        _SIZE,
        _SIZE + 6,
        f"Words placed by the class they speak for in the source and in the target. Class {high}.",
        parts,
        [Key(KINDS[kind], style) for kind, style in _STYLES.items() if kind in used],
        class_="large words",
    )


def _position(point: WordPoint, x: svg.Scale, y: svg.Scale) -> tuple[float, float]:
    # Words of one domain only are in a strip, at a height that repeats.
    across = (_STRIP - 26) * (point.column * 37 % 100) / 100
    return (
        _MARGIN + 8 + across if point.source_weight is None else x(point.source_weight),
        y.start + 16 + across if point.target_weight is None else y(point.target_weight),
    )


def _texts_data(facts: ReportFacts) -> Html:
    """The texts behind words, as data for the script of the page."""
    columns = {point.column for words in facts.words for point in words.points}
    return json_script(
        "texts",
        [
            {
                "target": text.is_target,
                "domain": cut(facts.target_name if text.is_target else facts.source_name, 40),
                "name": text.name,
                "label": None if text.label is None else cut(label_text(text.label), 60),
                "text": text.text,
                "words": sorted(text.columns & columns),
            }
            for text in facts.texts
        ],
    )


def clusters_section(facts: ReportFacts) -> Html | None:
    """Word clusters of both domains side by side."""
    if not facts.clusters:
        return None
    domains = list(facts.clusters[0].words)
    heads = ["cluster", "class", *(f"words in {cut(name, 40)}" for name in domains)]
    ordered = sorted(facts.clusters, key=lambda cluster: str(cluster.label))
    return section(
        "clusters",
        "Word clusters",
        tag(
            "p",
            "The method grouped words that occur together. A cluster has the same meaning in "
            "all domains, but its words may differ. The percentage is how strongly a cluster "
            "belongs to its class.",
        ),
        table("Word clusters", heads, [_cluster_row(c, domains) for c in ordered]),
    )


def _cluster_row(cluster: WordCluster, domains: Sequence[str]) -> list[object]:
    return [
        str(cluster.number),
        join([named(cluster.label), f" {percent(cluster.association)}"]),
        *(tag("bdi", ", ".join(cut(w, 40) for w in cluster.words[name])) for name in domains),
    ]


def draw_clusters(
    clusters: Sequence[WordCluster], classes: Sequence[Any], domains: Sequence[str]
) -> Drawing:
    """One row per cluster and one column per domain.

    The clusters that belong most clearly to a class are shown, in groups of one class, whose colors
    follow the order of ``classes``.
    """
    strongest = sorted(clusters, key=lambda cluster: -cluster.association)[:_MAX_CLUSTERS]
    order = list(dict.fromkeys(cluster.label for cluster in strongest))
    shown = sorted(strongest, key=lambda c: (order.index(c.label), -c.association))
    starts = [_FIRST_COLUMN + _COLUMN * number for number in range(len(domains))]
    width = _FIRST_COLUMN + _COLUMN * len(domains)
    parts: list[object] = [
        svg.text(12, 20, "class", "head"),
        *(
            svg.text(x, 20, line_of(name, 40), "head")
            for x, name in zip(starts, domains, strict=True)
        ),
        svg.line(12, 30, width - 12, 30, "grid"),
    ]
    for row, cluster in enumerate(shown):
        y = 36 + _ROW * row
        style = f"c{list(classes).index(cluster.label) % len(COLORS) + 1}"
        # The part of the first column that is filled shows the association.
        filled = (_FIRST_COLUMN - 24) * cluster.association
        parts += [
            svg.rect(12, y, filled, _ROW - 6, f"band {style}"),
            svg.text(17, y + 14, line_of(cluster.label, 15)),
            svg.text(_FIRST_COLUMN - 16, y + 14, percent(cluster.association), "tick", "end"),
            *(
                svg.text(x, y + 14, _fitting(cluster.words.get(domain, ()), _COLUMN - 16))
                for x, domain in zip(starts, domains, strict=True)
            ),
        ]
    n_all = len(clusters)
    return Drawing(
        width,
        44 + _ROW * len(shown),
        f"Word clusters: {len(shown)} clusters with their words in {len(domains)} domains.",
        parts,
        note=f"The {len(shown)} of {n_all} clusters with the strongest association."
        if len(shown) < n_all
        else "",
    )


def _fitting(words: Sequence[object], room: float) -> str:
    """As many words as there is room for, and one at least."""
    line = ""
    for word in words:
        longer = f"{line}, {line_of(word, _LABEL_LENGTH)}" if line else line_of(word, _LABEL_LENGTH)
        if line and text_width(longer) > room:
            break
        line = longer
    return line
