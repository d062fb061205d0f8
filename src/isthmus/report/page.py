"""The report of a fitted model as one HTML file without external resources."""

from __future__ import annotations

from collections.abc import Sequence

from isthmus.inspection.clusters import ClusterFacts
from isthmus.inspection.facts import ReportFacts
from isthmus.inspection.marked_text import mark_style
from isthmus.pages import Html, base_style, render_shell, tables_script, tag, template
from isthmus.pages.colors import color_variables
from isthmus.report.curves import confidence_section, convergence_section
from isthmus.report.documents import documents_section, labeling_section
from isthmus.report.figure import figure_rules
from isthmus.report.formatting import documents, named, section, table
from isthmus.report.map import map_section
from isthmus.report.overview import data_section, method_section, verdict_section
from isthmus.report.shares import shares_section
from isthmus.report.words import clusters_section, words_section

__all__ = ["render_report", "render_sections", "settings_section"]


def settings_section(facts: ReportFacts | ClusterFacts) -> Html:
    """Everything that is needed to repeat the fit."""
    rows = [[name, tag("code", value)] for name, value in (*facts.settings, *facts.versions)]
    return section(
        "settings",
        "Settings",
        tag("p", "The command that repeats this fit (add --force if the files exist):"),
        tag("pre", tag("code", facts.command), tabindex=0),
        tag(
            "details",
            tag("summary", "Parameters and versions"),
            table("Parameters and versions", ["name", "value"], rows),
        ),
    )


# Sections in the order of the page, with their titles in the table of contents.
_SECTIONS = (
    ("verdict", "Verdict", verdict_section),
    ("data", "What was read", data_section),
    ("method", "How the labels were found", method_section),
    ("classes", "Labels per class", shares_section),
    ("words", "Words in both domains", words_section),
    ("clusters", "Word clusters", clusters_section),
    ("documents", "Documents", documents_section),
    ("label-first", "What to label first", labeling_section),
    ("map", "Map of the documents", map_section),
    ("confidence", "Confidence", confidence_section),
    ("convergence", "Convergence", convergence_section),
    ("settings", "Settings", settings_section),
)


def render_report(facts: ReportFacts) -> str:
    """The report as HTML. All texts, labels, words and names are escaped."""
    made = [(name, title, make(facts)) for name, title, make in _SECTIONS]
    script = tables_script() + template("isthmus.report", "report.js")
    return render_sections(facts.title, _intro(facts), made, script)


def render_sections(
    title: str, intro: Html, sections: Sequence[tuple[str, str, Html | None]], script: str = ""
) -> str:
    """A page of sections, each with its id and its title in the table of contents."""
    shown = [(name, heading, content) for name, heading, content in sections if content is not None]
    return render_shell(
        title,
        [(name, heading) for name, heading, _ in shown],
        intro,
        [content for _, _, content in shown],
        base_style()
        + color_variables()
        + mark_style()
        + figure_rules()
        + template("isthmus.report", "report.css"),
        script,
    )


def _intro(facts: ReportFacts) -> Html:
    n_found = facts.target.n_documents - facts.target.n_labeled
    n_source = sum(domain.n_labeled for domain in facts.domains if not domain.is_target)
    return tag(
        "p",
        f"Isthmus learned from {documents(n_source)} of ",
        named(facts.source_name, 80),
        " that have a label",
        f" and {facts.target.n_labeled:,} labels of the target" if facts.target.n_labeled else "",
        f", and gave labels to {documents(n_found)} of ",
        named(facts.target_name, 80),
        ". This page says how good they probably are, why, and what to do next. It needs no "
        "network and sends nothing.",
    )
