"""Documents to look at, with the words that decided, and documents to label first."""

from __future__ import annotations

from collections.abc import Sequence

from isthmus.inspection.facts import ReportFacts, ShownDocument
from isthmus.inspection.marked_text import marked_text
from isthmus.pages import Html, join, tag
from isthmus.report.formatting import cut, documents, label_text, named, percent, section

__all__ = ["documents_section", "labeling_section"]

# Documents of a list that are shown at once; the others are below a click.
_N_OPEN = 5


def documents_section(facts: ReportFacts) -> Html:
    """Disputed, doubtful and certain documents."""
    lists = facts.documents
    order = "The most certain labels come first."
    if lists.n_voters > 1:
        order = "Most votes against the label come first."
    return section(
        "documents",
        "Documents",
        tag("p", _disputed_sentence(facts)),
        tag("p", f"{_text_sentence(facts)} {facts.numbering}"),
        _block("disputed", "Disputed", lists.disputed, order),
        _block("doubtful", "Most doubtful", lists.doubtful, "Lowest confidence."),
        _block(
            "certain",
            "Most certain",
            lists.certain,
            "Highest confidence, of every class in turn. If these look wrong, classes may be "
            "swapped.",
        ),
    )


def labeling_section(facts: ReportFacts) -> Html:
    """The documents that a person should label first."""
    chosen = facts.documents.to_label
    against = "the source-only classifier disagrees"
    if facts.documents.n_voters > 1:
        against = "members of the method or the source-only classifier disagree"
    return section(
        "label-first",
        "What to label first",
        tag(
            "p",
            f"If you label a few documents by hand, take these. They are doubtful ({against}, or "
            "confidence is low), each stands for a group of similar documents, and there are no "
            "copies. The rule: of the most doubtful documents, form as many groups of similar ones "
            "as this list has places (K-means), and take the document in the middle of each group. "
            f"The most doubtful comes first. {facts.numbering}",
        ),
        _list(chosen) if chosen else tag("p", "There is no document without a label."),
    )


def _disputed_sentence(facts: ReportFacts) -> str:
    lists = facts.documents
    share = percent(lists.n_disputed / max(1, lists.n_open))
    about = "" if lists.is_complete else "About "
    verb = "is" if lists.n_disputed == 1 else "are"
    text = f"{about}{lists.n_disputed:,} of {documents(lists.n_open)} ({share}) {verb} disputed: "
    if lists.n_voters > 1:
        text += (
            f"at least one of {lists.n_voters} voters (the members and the source-only classifier) "
            "gives another label. The label follows from all votes, weighted by how reliable each "
            "voter seems, and from the estimated class proportions, so it can differ from the "
            "majority."
        )
    else:
        text += "the source-only classifier gives another label."
    if not lists.is_complete:
        text += (
            f" The lists were chosen from a random sample of {documents(lists.n_sampled)} of the "
            "target."
        )
    return text


def _text_sentence(facts: ReportFacts) -> str:
    lists = facts.documents
    shown = [d for part in (lists.to_label, lists.disputed, lists.doubtful) for d in part]
    n_texts = sum(document.explanation is not None for document in shown)
    if n_texts == 0:
        return "Texts were left out: look at these documents in your own data."
    left_out = "" if n_texts == len(shown) else "Some texts were left out. "
    return (
        f"{left_out}Words that spoke for the label are marked, and words against it are underlined "
        "with dots. The number is how much the log-odds of the label fall if the word is removed."
    )


def _block(name: str, title: str, shown: Sequence[ShownDocument], note: str) -> Html:
    body = _list(shown) if shown else tag("p", "There are none.")
    return tag("div", tag("h3", title, id=f"documents-{name}"), tag("p", note, class_="note"), body)


def _list(shown: Sequence[ShownDocument]) -> Html:
    entries = [tag("li", _document(d)) for d in shown]
    more = entries[_N_OPEN:]
    rest = tag(
        "details",
        tag("summary", f"{len(more)} more"),
        tag("ol", more, class_="documents", start=_N_OPEN + 1),
    )
    return join([tag("ol", entries[:_N_OPEN], class_="documents"), rest if more else None])


def _document(shown: ShownDocument) -> list[Html | None]:
    parts: list[object] = [
        f"{shown.name} · ",
        named(shown.label, class_="label"),
        f" · confidence {percent(shown.confidence)}",
    ]
    if shown.votes:
        votes = [[named(label), f" {n_votes}"] for label, n_votes in shown.votes]
        parts += [" · votes: ", join(votes, ", ")]
    elif shown.source_only != shown.label:
        parts += [" · source-only classifier: ", named(shown.source_only)]
    head = tag("p", *parts, class_="head")
    if shown.explanation is None:
        return [head]
    text, words = marked_text(shown.explanation, shown.label)
    return [head, tag("p", text, class_="text", dir="auto"), words, _reservations(shown)]


def _reservations(shown: ShownDocument) -> Html | None:
    """What to keep in mind about the words of a document."""
    explanation = shown.explanation
    assert explanation is not None
    notes = [explanation.note] if explanation.note else []
    if shown.is_cut:
        notes.append(f"Only the first {len(explanation.text):,} characters were examined.")
    best = max(explanation.probabilities, key=lambda label: explanation.probabilities[label])
    if best != shown.label:
        notes.append(f"As a new document it would get the label {cut(label_text(best), 40)}.")
    return tag("p", " ".join(notes), class_="note") if notes else None
