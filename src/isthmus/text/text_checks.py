"""Checks that a list of texts was given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

__all__ = ["check_is_list", "check_is_text", "small_batches"]


def check_is_list(texts: Any) -> None:
    """Raise ValueError if a single text or a table was passed instead of a list of texts."""
    if isinstance(texts, str):
        raise ValueError(
            "A single text was given where a list of texts is expected: wrap it in [ ]."
        )
    if getattr(texts, "ndim", 1) != 1:
        raise ValueError(
            "A table was given where a list of texts is expected: select its text column, as in "
            "table['text']."
        )


def check_is_text(text: Any, row: int) -> None:
    """Raise ValueError if a document is not text."""
    if not isinstance(text, str):
        raise ValueError(
            f"Document {row} (counted from 0) is {text!r} of type {type(text).__name__}, not "
            "text: pass every document as a string, and an empty string for a missing text."
        )


def small_batches(texts: Iterable[Any]) -> Iterator[list[str]]:
    """Yield the texts as lists of at most 64, fewer if they are long; check that they are texts.

    A loop over single texts in Python would take as long as counting the words of a short text.
    """
    remaining, n_read, size = iter(texts), 0, 1
    while few := list(islice(remaining, size)):
        if set(map(type, few)) != {str}:
            for row, text in enumerate(few, n_read):
                check_is_text(text, row)
        n_read += len(few)
        mean_length = sum(map(len, few)) // len(few)
        size = max(1, min(64, 2 * size, 2**18 // (mean_length + 1)))
        yield few
