"""The report of clusters: their sizes, words and some documents, by file."""

from __future__ import annotations

from isthmus.inspection.clusters import ClusterFacts
from isthmus.pages import Html, join, tag
from isthmus.report.formatting import Numbers, count, cut, named, percent, section, table
from isthmus.report.page import render_sections, settings_section

__all__ = ["render_clusters"]


def render_clusters(facts: ClusterFacts, max_texts: int) -> str:
    """The report as HTML with this many texts at most. All texts, words and names are escaped."""
    names = [domain.name for domain in facts.domains]
    intro = tag(
        "p",
        f"{facts.method} sorted the documents of ",
        join(map(named, names), ", "),
        f" into {facts.n_clusters} clusters without labels. This page needs no network and sends "
        "nothing.",
    )
    sections = [
        ("sizes", "Sizes", _sizes_section(facts)),
        ("words", "Words", _words_section(facts)),
        ("documents", "Documents", _documents_section(facts, max_texts)),
        ("settings", "Settings", settings_section(facts)),
    ]
    return render_sections(
        f"{facts.n_clusters} clusters of {cut(', '.join(names), 80)}", intro, sections
    )


def _sizes_section(facts: ClusterFacts) -> Html:
    domains = facts.domains
    rows = [
        [str(n), *(f"{d.sizes[n]:,} ({percent(d.sizes[n] / len(d.labels))})" for d in domains)]
        for n in range(facts.n_clusters)
    ]
    n_empty = sum(domain.n_without_words for domain in domains)
    empty = f"{count(n_empty, 'document')} without a counted word: their cluster means nothing."
    means = "means the same in every file" if facts.is_shared else "is another group in every file"
    return section(
        "sizes",
        "Sizes",
        tag("p", f"Documents of each file. A cluster number {means}."),
        tag("p", empty, class_="warning") if n_empty else None,
        table("Sizes", ["cluster", *(Numbers(cut(d.name, 40)) for d in domains)], rows),
    )


def _words_section(facts: ClusterFacts) -> Html:
    rows = [
        [str(n), *(tag("bdi", ", ".join(cut(w, 40) for w in d.words[n])) for d in facts.domains)]
        for n in range(facts.n_clusters)
    ]
    return section(
        "words",
        "Words",
        tag(
            "p",
            "Words that a cluster has more of than its whole file, the strongest first. If you can "
            "name a cluster by them, the group probably exists; names and dates are a bad sign.",
        ),
        table("Words", ["cluster", *(cut(d.name, 40) for d in facts.domains)], rows),
    )


def _documents_section(facts: ClusterFacts, max_texts: int) -> Html | None:
    n_each = max_texts // (facts.n_clusters * len(facts.domains))
    if n_each == 0:
        return None
    parts: list[Html] = []
    for n in range(facts.n_clusters):
        shown = [
            tag(
                "li",
                tag("p", named(domain.name), f", row {row + 1}", class_="head"),
                tag("p", text, class_="text", dir="auto"),
            )
            for domain in facts.domains
            for text, row in list(domain.documents[n].items())[:n_each]
        ]
        parts += [tag("h3", f"Cluster {n}"), tag("ul", shown, class_="documents")]
    note = "Documents near the middle of each cluster, which are easy cases: look at others, too."
    return section("documents", "Documents", tag("p", note), parts)
