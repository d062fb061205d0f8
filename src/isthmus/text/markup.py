"""HTML pages to plain text."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["make_stripper"]

_UNSEEN = ["script", "style", "noscript", "template"]
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)[^<>]*>")
# Tags that hold nothing, or that the next of their kind closes: these never nest.
_FLAT = frozenset(
    [
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"),
        *("wbr", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option"),
    ]
)
# No page is nested so deeply, and the parser's time grows with the square of the depth: 100,000
# open tags, half a megabyte, took 111 s.
_DEEPEST = 2_000


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
        if _depth(page) > _DEEPEST:
            page = _TAG.sub(_keep_what_holds_no_text, page)
        tree = LexborHTMLParser(page)
        tree.strip_tags(_UNSEEN)
        root = tree.root
        return "" if root is None else str(root.text(separator=" "))

    return strip


def _depth(page: str) -> int:
    """How deeply the tags of a page may nest, at most."""
    if page.count("<") <= _DEEPEST:
        return 0
    depth = deepest = 0
    for closing, name in _TAG.findall(page):
        if name.lower() not in _FLAT:
            depth = max(0, depth - 1) if closing else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _keep_what_holds_no_text(tag: re.Match[str]) -> str:
    return tag[0] if tag[2].lower() in ("script", "style") else " "
