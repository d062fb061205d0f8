"""Convert the value of a column to a text or a label."""

from __future__ import annotations

from typing import Any

__all__ = ["LabelCache", "UnsuitableValue", "as_label", "as_text"]

# What is called a label may be a text that occurs once.
_CACHED_LABELS = 10_000
_CACHED_LENGTH = 100


class UnsuitableValue(Exception):  # noqa: N818 -- never reaches the caller
    """A value that is neither a text nor a label; the message says what it is."""


def as_text(value: Any, encoding: str | None = None) -> str:
    """Return a document: text unchanged, a number in digits, "" for a missing value."""
    if value is None or value != value:
        return ""
    return _as_string(value, encoding)


def as_label(value: Any, encoding: str | None = None) -> str | None:
    """Return a label without the blanks around it, or None if it is missing."""
    if value is None or value != value:
        return None
    return _as_string(value, encoding).strip() or None


class LabelCache:
    """Converts columns of labels; few distinct texts are many labels."""

    def __init__(self, encoding: str | None = None) -> None:
        self._encoding = encoding
        self._labels = _StrippedTexts()

    def of(self, values: list[Any]) -> list[str | None]:
        """Return the label of every value, see :func:`as_label`."""
        if set(map(type, values)) == {str}:
            return list(map(self._labels.__getitem__, values))
        return [as_label(value, self._encoding) for value in values]


class _StrippedTexts(dict[str, str | None]):
    """Maps short texts to their labels."""

    def __missing__(self, text: str) -> str | None:
        label = text.strip() or None
        if len(self) < _CACHED_LABELS and len(text) < _CACHED_LENGTH:
            self[text] = label
        return label


def _as_string(value: Any, encoding: str | None) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        raise UnsuitableValue("a list")
    if isinstance(value, dict):
        raise UnsuitableValue("an object")
    if isinstance(value, bytes):
        # Some programs write texts as plain bytes.
        try:
            return value.decode(encoding or "utf-8")
        except UnicodeDecodeError as error:
            raise UnsuitableValue(f"bytes that are not {encoding or 'utf-8'}") from error
    return str(value)
