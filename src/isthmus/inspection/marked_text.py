"""A text with the words marked that decided its label, as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isthmus.pages import Html, join, raw, tag

if TYPE_CHECKING:
    from isthmus.inspection.explanation import Explanation

__all__ = ["explanation_html", "mark_style", "marked_text", "points"]

# Words listed below a text, for and against.
_N_WORDS = 6
# Smaller weights would be shown as 0.
_SMALLEST = 0.005
# Longer texts are cut.
_MAX_LENGTH = 700
_MAX_NAME = 80
# Weights as a part of the largest one of the document above which a word is marked, by level.
_LEVELS = (0.2, 0.4, 0.7)

_MARK_STYLE = (
    ("", "color: inherit; background: none; border-radius: 3px; padding: 0 0.1em;"),
    (".for.level-1", "background: rgba(var(--for), 0.14);"),
    (".for.level-2", "background: rgba(var(--for), 0.28);"),
    (".for.level-3", "background: rgba(var(--for), 0.42); font-weight: 600;"),
    (
        ".against",
        "text-decoration: underline dotted var(--against) 2px; text-underline-offset: 3px;",
    ),
    (".against.level-3", "font-weight: 600;"),
)
# A notebook may be light or dark, whatever the browser prefers. These can be seen on both.
_NOTEBOOK_STYLE = (
    ".isthmus-explanation { --for: 0, 114, 178; --against: #d55e00; max-width: 52rem; }\n"
    ".isthmus-explanation p { margin: 0.2em 0; overflow-wrap: anywhere; }\n"
    ".isthmus-explanation .text { white-space: pre-line; }\n"
    ".isthmus-explanation .note { font-size: 0.9em; opacity: 0.8; }\n"
)


def mark_style(scope: str = "") -> str:
    """The style sheet of marked words.

    It uses the variables ``--for``, three numbers of a color, and ``--against``, a color.
    ``scope`` is a selector that limits the rules to a part of the page.
    """
    start = f"{scope} mark" if scope else "mark"
    return "".join(f"{start}{kind} {{ {rules} }}\n" for kind, rules in _MARK_STYLE)


def explanation_html(explanation: Explanation) -> Html:
    """An explanation with its own style sheet, for notebooks."""
    scope = "isthmus-explanation"
    # Markup of this module, without a text of the user.
    style = raw(f"<style>{_NOTEBOOK_STYLE}{mark_style(f'.{scope}')}</style>")
    text, words = marked_text(explanation, explanation.label)
    part = explanation.probabilities[explanation.label]
    head = tag(
        "p",
        tag("b", tag("bdi", _short(explanation.label))),
        f" ({100 * part:.0f} %), by the source alone ",
        tag("bdi", _short(explanation.source_only)),
    )
    note = tag("p", explanation.note, class_="note") if explanation.note else None
    body = tag("p", text, class_="text", dir="auto")
    return tag("div", style, head, body, words, note, class_=scope)


def marked_text(explanation: Explanation, label: Any) -> tuple[Html, Html | None]:
    """The text with its words marked, and the words with their weights."""
    place = explanation.classes.index(label)
    weights = [float(word.weights[place]) for word in explanation.words]
    largest = max((abs(weight) for weight in weights), default=0.0)
    parts: list[object] = []
    end = 0
    text = explanation.text
    for start, stop, number in explanation.spans:
        if start >= _MAX_LENGTH:
            break
        style = _style(weights[number], largest)
        if style is None:
            continue
        word = tag("mark", text[start:stop], class_=style, title=points(weights[number]))
        parts += [text[end:start], word]
        end = stop
    rest = text[end : max(end, _MAX_LENGTH)]
    parts += [rest, "…" if len(text) > max(end, _MAX_LENGTH) else ""]
    return join(parts), _word_list(explanation, label)


def points(part: float) -> str:
    """A weight with its sign."""
    return f"{part:+.2f}".replace("-", "\N{MINUS SIGN}")


def _style(weight: float, largest: float) -> str | None:
    """The CSS class of a word; None if it hardly matters."""
    level = sum(abs(weight) >= part * largest for part in _LEVELS) if largest > 0 else 0
    if level == 0:
        return None
    return f"{'for' if weight > 0 else 'against'} level-{level}"


def _word_list(explanation: Explanation, label: Any) -> Html | None:
    speaking, opposing = (
        [(word, weight) for word, weight in words if abs(weight) >= _SMALLEST]
        for words in explanation.top_words(label, _N_WORDS)
    )
    if not speaking and not opposing:
        return None

    lines = [
        [title, join([[tag("bdi", word), f" {points(weight)}"] for word, weight in words], ", ")]
        for title, words in (("for: ", speaking), ("against: ", opposing))
        if words
    ]
    return tag("p", join(lines, "; "), class_="note")


def _short(label: Any) -> str:
    text = str(label)
    return text if len(text) <= _MAX_NAME else f"{text[: _MAX_NAME - 1].rstrip()}…"
