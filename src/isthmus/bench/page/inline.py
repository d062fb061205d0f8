"""Texts of a report as HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["inline", "paragraphs", "plain"]

_CODE = re.compile(r"`([^`]+)`")


def inline(text: str) -> Markup:
    """The text with everything escaped, and code where it stands between backticks."""
    from markupsafe import Markup, escape

    # Code stands at the odd places of what the split returns.
    parts = [
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part)
        for place, part in enumerate(_CODE.split(text))
    ]
    return Markup("").join(parts)


def plain(text: str) -> str:
    """The text without its backticks, for places that hold no elements."""
    return _CODE.sub(r"\1", text)


def paragraphs(text: str) -> list[str]:
    """The pieces of a text between its empty lines."""
    return [piece for part in re.split(r"\n\s*\n", text) if (piece := part.strip())]
