"""Convert HTML pages to plain text."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["make_html_stripper"]

_INVISIBLE = ["script", "style", "noscript", "template"]
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)[^<>]*>")
# Tags without content, or closed by the next tag of their kind: these never nest.
_NEVER_NESTED = frozenset(
    [
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"),
        *("wbr", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option"),
    ]
)
# Real pages are never nested this deeply. The time of the parser grows with the square of the
# depth: half a megabyte with 100,000 open tags took 111 s.
_MAX_DEPTH = 2_000


def make_html_stripper() -> Callable[[str], str]:
    """Return a function that strips tags, comments, scripts and styles from a page."""
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError:
        raise ImportError(
            "html=True needs selectolax, which is not installed: pip install 'isthmus[html]'."
        ) from None

    def strip(page: str) -> str:
        if _max_depth(page) > _MAX_DEPTH:
            page = _TAG.sub(_blank_unless_invisible, page)
        tree = LexborHTMLParser(page)
        tree.strip_tags(_INVISIBLE)
        root = tree.root
        return "" if root is None else str(root.text(separator=" "))

    return strip


def _max_depth(page: str) -> int:
    """Return an upper bound on the nesting depth of the tags of a page."""
    if page.count("<") <= _MAX_DEPTH:
        return 0
    depth = deepest = 0
    for closing, name in _TAG.findall(page):
        if name.lower() not in _NEVER_NESTED:
            depth = max(0, depth - 1) if closing else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _blank_unless_invisible(tag: re.Match[str]) -> str:
    return tag[0] if tag[2].lower() in ("script", "style") else " "
