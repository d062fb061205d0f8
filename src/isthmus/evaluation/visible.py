"""Texts from files on a terminal."""

from __future__ import annotations

__all__ = ["visible"]


def visible(text: object) -> str:
    """The text with everything that does not print written as an escape.

    A label, a word or a file's name may hold control characters, which would change colours, clear
    the screen or rename the window.
    """
    shown = str(text)
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() or c == "\n" else _escaped(c) for c in shown)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
