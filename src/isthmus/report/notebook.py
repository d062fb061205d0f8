"""A summary of a fitted model as a small piece of HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isthmus.estimators.base.verdict import CHECK_FIRST, DO_NOT_USE, USE, Verdict
from isthmus.inspection.facts import ClassShare
from isthmus.pages import Html, join, raw, tag
from isthmus.report.formatting import count, cut, named, percent

__all__ = ["N_WORDS", "TargetSummary", "render_summary"]

#: Words per class and domain.
N_WORDS = 8
_N_TARGETS, _N_SOURCES, _N_CLASSES, _N_REASONS = 5, 3, 10, 3
_MAX_WORD, _MAX_REASON = 24, 300

# A notebook may be light or dark, whatever the browser prefers: texts have its color, and the
# other colors can be seen on both.
_STYLES = {USE: "use", CHECK_FIRST: "check", DO_NOT_USE: "no"}
_CSS = """
.isthmus-model { max-width: 60rem; }
.isthmus-model p, .isthmus-model ul { margin: 0.3em 0; }
.isthmus-model .verdict { padding: 0.2em 0.6em; border-left: 5px solid #808080; }
.isthmus-model .use { border-color: #009e73; }
.isthmus-model .check { border-color: #e69f00; }
.isthmus-model .no { border-color: #d55e00; }
.isthmus-model .note { opacity: 0.75; font-size: 0.9em; }
.isthmus-model table { border-collapse: collapse; margin: 0.5em 0 1em; color: inherit; }
.isthmus-model :is(th, td) { text-align: left; vertical-align: top; padding: 0.2em 0.8em 0.2em 0; white-space: normal; overflow-wrap: anywhere; }
.isthmus-model td:first-child { min-width: 6em; }
.isthmus-model .bar { display: block; min-width: 7em; height: 0.45em; margin: 0.1em 0; }
.isthmus-model .bar span { display: block; height: 100%; background: #0072b2; }
.isthmus-model .bar.source span { background: currentColor; opacity: 0.4; }
"""  # noqa: E501 - one rule per line


@dataclass(frozen=True)
class TargetSummary:
    """What a notebook shows of one target."""

    name: str
    sources: Sequence[str]
    method: str
    verdict: Verdict | None
    shares: Sequence[ClassShare] | None
    """None for a model from a file, which knows no texts."""
    words: Mapping[Any, Mapping[str, Sequence[Any]]]
    """By class and domain."""


def render_summary(targets: Sequence[TargetSummary]) -> Html:
    """Return the verdict, label shares and top words of every target; all texts are escaped."""
    n_hidden = len(targets) - _N_TARGETS
    more = tag("p", f"{count(n_hidden, 'more target')}.", class_="note") if n_hidden > 0 else None
    blocks = [_block(target) for target in targets[:_N_TARGETS]]
    # The style sheet has no text of the user.
    return tag("div", raw(f"<style>{_CSS}</style>"), blocks, more, class_="isthmus-model")


def _block(target: TargetSummary) -> Html:
    sources: list[object] = [named(name) for name in target.sources[:_N_SOURCES]]
    n_hidden = len(target.sources) - _N_SOURCES
    if n_hidden > 0:
        sources.append(f"{n_hidden} more")
    head = ["Labels for ", named(target.name), ", learned from ", join(sources, " + ")]
    return tag(
        "div",
        tag("p", tag("b", head), f" ({target.method})"),
        _verdict(target.verdict),
        _table(target),
        None
        if target.shares is not None
        else tag("p", "Read from a model file, which holds no texts.", class_="note"),
    )


def _verdict(verdict: Verdict | None) -> list[Html]:
    if verdict is None:
        return [tag("p", "There is no verdict on these labels.", class_="verdict")]
    parts = [
        tag(
            "p",
            tag("b", f"Verdict: {verdict.decision}."),
            f" Estimated accuracy {verdict.accuracy}; source-only classifier "
            f"{verdict.source_only_accuracy}.",
            class_=f"verdict {_STYLES[verdict.decision]}",
        )
    ]
    if verdict.reasons:
        reasons = verdict.reasons[:_N_REASONS]
        parts.append(tag("ul", [tag("li", cut(reason, _MAX_REASON)) for reason in reasons]))
    return parts


def _table(target: TargetSummary) -> list[Html | None]:
    """One row per class: its part of the labels, and its words in every domain."""
    domains = [*target.sources[:_N_SOURCES], target.name]
    shares = {share.label: share for share in target.shares or ()}
    labels = list(target.words)
    if shares:
        labels.sort(key=lambda label: -shares[label].n_found)
    n_hidden = len(labels) - _N_CLASSES
    largest = max([1e-9, *(max(share.found, share.source) for share in shares.values())])
    heads: list[object] = ["class", *(["labels found (source)"] if shares else [])]
    heads += [["words in ", named(domain)] for domain in domains]
    rows = [
        tag(
            "tr",
            tag("td", named(label)),
            tag("td", _bars(shares[label], largest)) if shares else None,
            [tag("td", _listed(target.words[label].get(domain, ()))) for domain in domains],
        )
        for label in labels[:_N_CLASSES]
    ]
    hidden = count(n_hidden, "more class is", "more classes are")
    return [
        tag("table", tag("tr", [tag("th", head) for head in heads]), rows),
        tag("p", f"{hidden} not shown.", class_="note") if n_hidden > 0 else None,
    ]


def _bars(share: ClassShare, largest: float) -> list[object]:
    """The numbers of a class, and two bars; that of the largest part fills the cell."""
    return [
        f"{share.n_found:,}: {percent(share.found)} ({percent(share.source)})",
        _bar(share.found / largest, "bar"),
        _bar(share.source / largest, "bar source"),
    ]


def _bar(part: float, class_: str) -> Html:
    return tag("span", tag("span", style=f"width: {100 * part:.0f}%"), class_=class_)


def _listed(words: Sequence[Any]) -> Html:
    return join([tag("bdi", cut(str(word), _MAX_WORD)) for word in words], ", ")
