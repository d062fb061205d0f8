"""HTML pages to plain text."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["make_stripper"]

_UNSEEN = ["script", "style", "noscript", "template"]


def make_stripper() -> Callable[[str], str]:
    """A function from a page to its text, without tags, comments, scripts and styles."""
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError:
        raise ImportError(
            "HTML pages are stripped with selectolax, which is not installed: "
            "pip install 'isthmus[html]'."
        ) from None

    def strip(page: str) -> str:
        tree = LexborHTMLParser(page)
        tree.strip_tags(_UNSEEN)
        root = tree.root
        return "" if root is None else str(root.text(separator=" "))

    return strip
