"""Addresses within the page."""

from __future__ import annotations

import re

__all__ = ["Anchors"]


class Anchors:
    """Names for the elements of one page, none of them given twice."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, text: str) -> str:
        """Return a name made from a text, with a number behind it where it is taken."""
        stem = re.sub(r"[^\w.]+", "-", text).strip("-") or "part"
        name, count = stem, 1
        while name in self._taken:
            count += 1
            name = f"{stem}-{count}"
        self._taken.add(name)
        return name
