"""From the value of a column to a text or a label."""

from __future__ import annotations

from typing import Any

__all__ = ["Unfit", "as_label", "as_text"]


class Unfit(Exception):  # noqa: N818 -- never reaches the caller
    """A value that is neither a text nor a label; its message says what it is."""


def as_text(value: Any, encoding: str | None = None) -> str:
    """Return a document: text as it is, a number in digits, nothing for a missing value."""
    if value is None or value != value:
        return ""
    return _in_words(value, encoding)


def as_label(value: Any, encoding: str | None = None) -> str | None:
    """Return a label without blanks around it, or None where there is none."""
    if value is None or value != value:
        return None
    return _in_words(value, encoding).strip() or None


def _in_words(value: Any, encoding: str | None) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        raise Unfit("a list")
    if isinstance(value, dict):
        raise Unfit("an object")
    if isinstance(value, bytes):
        # Tables written by some programs carry their texts as plain bytes.
        try:
            return value.decode(encoding or "utf-8")
        except UnicodeDecodeError as error:
            raise Unfit(f"bytes that are not {encoding or 'utf-8'}") from error
    return str(value)
