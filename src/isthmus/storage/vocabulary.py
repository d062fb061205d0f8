"""Vocabularies in model files."""

from __future__ import annotations

from typing import Any

from isthmus.storage.container import ModelFileError

__all__ = ["check_words"]


def check_words(names: Any) -> None:
    """Raise ModelFileError unless all names are printable; others could attack a terminal."""
    if not isinstance(names, list) or not all(map(_is_word, names)):
        raise ModelFileError("the vocabulary is not a list of words")


def _is_word(name: Any) -> bool:
    return isinstance(name, str) and name.isprintable()
