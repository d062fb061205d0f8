"""Strip the tags of dictionary entries: HTML, Pango markup and XDXF."""

from __future__ import annotations

import html
import re

__all__ = ["strip_tags"]

# Possessive quantifiers ("*+") avoid backtracking on malicious texts.
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*+)[^<>]*+>")
_LINE_BREAKS = frozenset(
    ["br", "p", "div", "li", "dt", "dd", "td", "def", "ar", "dtrn", "blockquote"]
)
# Content that is not a translation: dictionaries use italics for grammar and remarks, and XDXF has
# tags for the headword, pronunciation, grammar, examples, remarks and references.
_DROPPED = frozenset(["i", "em", "small", "sup", "sub", "script", "style"])
_DROPPED_XDXF = _DROPPED | {"k", "tr", "ex", "co", "abr", "gr", "pos", "c", "kref", "rref", "iref"}


def strip_tags(text: str, xdxf: bool = False) -> str:
    """Return the text without tags, in lines; unmatched tags are tolerated."""
    dropped = _DROPPED_XDXF if xdxf else _DROPPED
    parts: list[str] = []
    dropping = ""
    depth = 0
    position = 0
    for tag in _TAG.finditer(text):
        closing, name = tag[1] == "/", tag[2].lower()
        if not dropping:
            parts.append(text[position : tag.start()])
            parts.append("\n" if name in _LINE_BREAKS else "")
        position = tag.end()
        if tag[0].endswith("/>"):
            continue
        if name == dropping:
            depth += -1 if closing else 1
            dropping = dropping if depth else ""
        elif not dropping and not closing and name in dropped:
            dropping, depth = name, 1
    if not dropping:
        parts.append(text[position:])
    return html.unescape("".join(parts))
