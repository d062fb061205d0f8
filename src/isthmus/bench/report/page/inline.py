"""Texts of a report as HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["inline", "paragraphs", "plain"]

_MARKED = re.compile(r"`([^`]+)`|\*\*([^*`]+)\*\*")


def inline(text: str) -> Markup:
    """The text with everything escaped; code between backticks, bold between double stars."""
    from markupsafe import Markup, escape

    # What stands between marks comes in threes: before them, code or nothing, bold or nothing.
    before, code, bold = (_MARKED.split(text)[place::3] for place in range(3))
    parts = [escape(before[0])]
    for as_code, as_bold, after in zip(code, bold, before[1:], strict=True):
        marked = "<strong>{}</strong>" if as_code is None else "<code>{}</code>"
        parts += [Markup(marked).format(as_bold if as_code is None else as_code), escape(after)]
    return Markup("").join(parts)


def plain(text: str) -> str:
    """The text without its marks, for places that hold no elements."""
    return _MARKED.sub(lambda found: found[1] or found[2], text)


def paragraphs(text: str) -> list[str]:
    """The pieces of a text between its empty lines."""
    return [piece for part in re.split(r"\n\s*\n", text) if (piece := part.strip())]
