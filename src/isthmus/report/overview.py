"""The first sections: the verdict, what was read, and which method was used."""

from __future__ import annotations

from isthmus.estimators.base.verdict import CHECK_FIRST, DO_NOT_USE, USE, Interval, Verdict
from isthmus.inspection.facts import DomainFacts, ReportFacts
from isthmus.pages import Html, join, svg, tag
from isthmus.report.curves import has_confidence
from isthmus.report.figure import Drawing
from isthmus.report.formatting import (
    Numbers,
    count,
    minutes,
    named,
    percent,
    section,
    table,
)

__all__ = ["data_section", "method_section", "verdict_section"]

_SIGNS = {USE: "✓", CHECK_FIRST: "!", DO_NOT_USE: "✕"}
_MEANINGS = {
    USE: "The labels probably help.",
    CHECK_FIRST: "The labels may help, but check some by hand before you use them.",
    DO_NOT_USE: "The labels are probably too often wrong to help.",
}
_SOURCE_ONLY = "source-only classifier"
_WIDTH = 420.0
_FEW_DOCUMENTS = 30
_WIDE_INTERVAL = 0.4


def verdict_section(facts: ReportFacts) -> Html:
    """The decision with its reasons, estimated accuracies, and what to do next."""
    verdict = facts.verdict
    if verdict is None:
        return section(
            "verdict",
            "Verdict",
            tag(
                "p",
                "There is no verdict on these labels: it was switched off or nothing could be "
                "said about them. Label some documents by hand to find out how good they are.",
            ),
            _next_steps(facts),
        )
    name = verdict.decision.replace(" ", "-")
    badge = tag(
        "p",
        tag("span", _SIGNS[verdict.decision], class_="sign", aria_hidden="true"),
        tag("strong", verdict.decision),
        tag("span", f"{_MEANINGS[verdict.decision]}{_errors(facts, verdict)}", class_="meaning"),
        class_=f"verdict {name}",
    )
    return section(
        "verdict",
        "Verdict",
        badge,
        _accuracy_sentence(facts, verdict),
        _accuracy_chart(verdict, _plain_classifier(facts)),
        tag("h3", "Why"),
        tag("ul", [tag("li", reason) for reason in verdict.reasons]),
        _next_steps(facts),
        _reservation(facts),
    )


def _plain_classifier(facts: ReportFacts) -> str:
    """What the labels are compared with: it also learns from given labels of the target."""
    return "logistic regression on all given labels" if facts.target.n_labeled else _SOURCE_ONLY


def _accuracy_sentence(facts: ReportFacts, verdict: Verdict) -> Html:
    name = ["the given labels"] if facts.target.n_labeled else [named(facts.source_name), " alone"]
    return tag(
        "p",
        "About ",
        tag("strong", percent(verdict.accuracy.value)),
        f" of the labels are probably right (between {percent(verdict.accuracy.low)} and "
        f"{percent(verdict.accuracy.high)}). Without Isthmus, a logistic regression on ",
        name,
        f" would probably have {percent(verdict.source_only_accuracy.value)}.",
    )


def _reservation(facts: ReportFacts) -> Html:
    n_given = facts.target.n_labeled
    labels = f"with {count(n_given, 'given label')}" if n_given else "without a single label"
    return tag(
        "p",
        f"All of these numbers are estimates. They were made {labels} of ",
        named(facts.target_name),
        ", so they can be wrong themselves. On texts of everyday problems, the estimated accuracy "
        "was wrong by 13 points on average, mostly too high; 80 % of the intervals contained the "
        "true accuracy.",
        class_="note",
    )


def _errors(facts: ReportFacts, verdict: Verdict) -> str:
    """How many labels are wrong; nothing if there are too few documents to say so."""
    n_source = sum(domain.n_labeled for domain in facts.domains if not domain.is_target)
    if min(n_source, facts.target.n_documents) < _FEW_DOCUMENTS:
        return ""
    if verdict.accuracy.high - verdict.accuracy.low > _WIDE_INTERVAL:
        return " How many are right cannot be told without labels."
    n_wrong = 100 - round(100 * verdict.accuracy.value)
    return f" Expect about {n_wrong} of 100 to be wrong."


def _accuracy_chart(verdict: Verdict, plain_classifier: str) -> Html:
    scale = svg.Scale(0.0, 1.0, 14, _WIDTH - 20)
    parts: list[object] = []
    for part in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts += [
            svg.line(scale(part), 4, scale(part), 96, "grid"),
            svg.text(scale(part), 112, percent(part), "tick", "middle"),
        ]
    rows = (
        ("these labels", verdict.accuracy, "c1"),
        (plain_classifier, verdict.source_only_accuracy, "c8"),
    )
    for place, (name, interval, style) in enumerate(rows):
        y = 30 + 46 * place
        width = scale(interval.high) - scale(interval.low)
        parts += [
            svg.text(scale(0) + 4, y - 12, name, "name"),
            svg.rect(scale(interval.low), y - 6, width, 12, f"band {style}"),
            svg.circle(scale(interval.value), y, 6, f"dot {style}"),
        ]
    label = (
        f"Estimated accuracy of these labels {_spoken(verdict.accuracy)}; of the "
        f"{plain_classifier} {_spoken(verdict.source_only_accuracy)}."
    )
    return tag("figure", Drawing(_WIDTH, 118, label, parts, class_="tiny").on_page())


def _spoken(interval: Interval) -> str:
    return f"{percent(interval.value)}, from {percent(interval.low)} to {percent(interval.high)}"


def _next_steps(facts: ReportFacts) -> Html:
    decision = None if facts.verdict is None else facts.verdict.decision
    label = tag("a", "the documents to label first", href="#label-first")
    disputed = tag("a", "the disputed documents", href="#documents")
    is_one_file = len({domain.path for domain in facts.domains}) == 1 and facts.target.path
    how = (
        ", write their labels into the file, and run again."
        if is_one_file
        else ", put them into a column of the target file, and run again with that column as "
        "--target-label-col (in Python: pass them as labels of the target)."
    )
    to_label: list[object] = ["Label ", label, how]
    evaluate: list[object] = [
        "To measure the accuracy, label some documents drawn at random (a hundred give about ten "
        "points of uncertainty) and run isthmus evaluate.",
    ]
    steps: list[list[object]]
    if decision == USE:
        steps = [
            ["Look through ", disputed, ". If they look right, use the labels."],
            evaluate,
        ]
        if has_confidence(facts):
            link = tag("a", "confidence", href="#confidence")
            steps.append(
                ["If the most certain labels are enough, keep only those: see ", link, "."]
            )
    elif decision == CHECK_FIRST:
        steps = [["Look through ", disputed, " and the reasons above."], to_label, evaluate]
    else:
        check: list[object] = [
            "Check that source and target have the same classes and the same kind of texts"
        ]
        if facts.words:
            check += [": see ", tag("a", "the words", href="#words")]
        steps = [[*check, "."], to_label, evaluate]
    return join([tag("h3", "What to do next"), tag("ol", [tag("li", step) for step in steps])])


def data_section(facts: ReportFacts) -> Html:
    """Files, documents, classes, language and words in common."""
    overlap = facts.overlap
    n_terms = overlap.n_shared + overlap.n_source_only + overlap.n_target_only
    rows = [_domain_row(domain) for domain in facts.domains]
    heads = ["domain", "role", Numbers("documents"), Numbers("with a label"), "file"]
    if all(domain.path is None for domain in facts.domains):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    n_empty = sum(domain.n_without_words or 0 for domain in facts.domains)
    return section(
        "data",
        "What was read",
        table("Domains", heads, rows),
        tag("p", f"{count(len(facts.classes), 'class', 'classes')}. Language: {facts.language}."),
        tag(
            "p",
            f"{count(n_terms, 'different word')} were counted, after rare ones were dropped: "
            f"{overlap.n_shared:,} occur in both domains, {overlap.n_source_only:,} only in ",
            named(facts.source_name),
            f" and {overlap.n_target_only:,} only in ",
            named(facts.target_name),
            f". In a document of the target, {percent(overlap.known_part)} of the different words "
            "also occur in the source.",
        ),
        tag("p", f"Translation of the target's words: {facts.dictionary}.")
        if facts.dictionary
        else None,
        tag(
            "p",
            f"Documents of the target without a known word: {n_empty:,}. Their labels are "
            "meaningless.",
            class_="warning",
        )
        if n_empty
        else None,
    )


def _domain_row(domain: DomainFacts) -> list[object]:
    return [
        named(domain.name, 60),
        "target" if domain.is_target else "source",
        f"{domain.n_documents:,}",
        f"{domain.n_labeled:,}",
        "" if domain.path is None else tag("code", domain.path),
    ]


def method_section(facts: ReportFacts) -> Html:
    """Which method was used and why, and the members of the automatic one."""
    method = facts.method
    if method.is_automatic:
        intro = tag(
            "p",
            "No method was chosen by hand. Isthmus fitted several methods that fail in different "
            f"ways, combined their labels, and corrected the class proportions. {method.decision} "
            "The table shows how often the labels of each are the same as the final ones.",
        )
    else:
        summary = f" ({method.summary})" if method.summary else ""
        intro = tag("p", f"The method is {method.name}{summary}. {method.decision}")
    members = None
    if facts.members:
        with_notes = any(member.note for member in facts.members)
        rows = [
            [
                member.name,
                member.summary,
                "left out" if member.agreement is None else percent(member.agreement),
                minutes(member.seconds),
                *([member.note] if with_notes else []),
            ]
            for member in facts.members
        ]
        heads = ["member", "what it is", Numbers("same label"), Numbers("time")]
        heads += ["note"] if with_notes else []
        members = table("Members of the automatic method", heads, rows)
    return section("method", "How the labels were found", intro, members)
