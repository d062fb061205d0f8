"""The report of clusters: their sizes, words and some documents, by domain."""

from __future__ import annotations

from isthmus.inspection.clusters import ClusterFacts
from isthmus.pages import Html, join, tag
from isthmus.report.formatting import (
    Numbers,
    count,
    cut,
    documents,
    named,
    percent,
    section,
    table,
)
from isthmus.report.page import render_sections, settings_section

__all__ = ["render_clusters"]


def render_clusters(facts: ClusterFacts, max_texts: int) -> str:
    """The report as HTML with this many texts at most. All texts, words and names are escaped."""
    n_documents = sum(len(domain.labels) for domain in facts.domains)
    intro = tag(
        "p",
        f"{facts.method} sorted {documents(n_documents)} of ",
        join([named(domain.name) for domain in facts.domains], ", "),
        f" into {facts.n_clusters} clusters without labels. This page says how large they are, and "
        "which words and documents they have. It needs no network and sends nothing.",
    )
    sections = [
        ("sizes", "Sizes", _sizes_section(facts)),
        ("words", "Words", _words_section(facts)),
        ("documents", "Documents", _documents_section(facts, max_texts)),
        ("settings", "Settings", settings_section(facts)),
    ]
    names = ", ".join(domain.name for domain in facts.domains)
    return render_sections(f"{facts.n_clusters} clusters of {cut(names, 80)}", intro, sections)


def _sizes_section(facts: ClusterFacts) -> Html:
    heads = ["cluster", *(Numbers(cut(domain.name, 40)) for domain in facts.domains)]
    rows = [
        [
            f"cluster {n}",
            *(f"{d.sizes[n]:,} ({percent(d.sizes[n] / len(d.labels))})" for d in facts.domains),
        ]
        for n in range(facts.n_clusters)
    ]
    n_empty = sum(domain.n_without_words for domain in facts.domains)
    meaningless = f"{count(n_empty, 'document')} without a counted word: the cluster means nothing."
    alike = "A cluster number means the same in every file."
    unrelated = "The cluster numbers of different files are unrelated."
    return section(
        "sizes",
        "Sizes",
        tag("p", "How many documents of each file a cluster has."),
        tag("p", alike) if facts.is_shared else tag("p", unrelated, class_="warning"),
        tag("p", meaningless, class_="warning") if n_empty else None,
        table("Sizes of the clusters", heads, rows),
    )


def _words_section(facts: ClusterFacts) -> Html:
    heads = ["cluster", *(f"words in {cut(domain.name, 40)}" for domain in facts.domains)]
    rows = [
        [
            f"cluster {n}",
            *(tag("bdi", ", ".join(cut(w, 40) for w in d.words[n])) for d in facts.domains),
        ]
        for n in range(facts.n_clusters)
    ]
    return section(
        "words",
        "Words",
        tag(
            "p",
            "Words that a cluster has more of than its whole file, the strongest first. A cluster "
            "that you can name by its words is probably a group that exists; names and dates are a "
            "sign that it is not.",
        ),
        table("Words of the clusters", heads, rows),
    )


def _documents_section(facts: ClusterFacts, max_texts: int) -> Html | None:
    """The documents nearest to the mean of each cluster."""
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
            for row, text in domain.documents[n][:n_each]
        ]
        parts += [tag("h3", f"Cluster {n}"), tag("ul", shown, class_="documents")]
    note = "Documents near the middle of each cluster, which are easy cases: look at others, too."
    return section("documents", "Documents", tag("p", note), parts)
