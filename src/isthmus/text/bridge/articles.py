"""Words that dictionaries put in front of a word, and that are no part of it."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["without_article"]

_IN_FRONT = {
    "danish": "en et at den det",
    "dutch": "de het een te zich",
    "english": "the an to",  # a single letter is no word
    "french": "le la les un une se",
    "german": "der die das ein eine sich zu",
    "italian": "il lo la gli le un uno una",
    "norwegian": "en ei et",
    "portuguese": "os as um uma",
    "spanish": "el la los las un una",
    "swedish": "en ett att",
}
_BY_LANGUAGE = {language: frozenset(words.split()) for language, words in _IN_FRONT.items()}


def without_article(words: Sequence[str], language: str | None) -> list[str]:
    """The words of a dictionary's entry without an article or "to" in front of others."""
    in_front = _BY_LANGUAGE.get(language or "", frozenset())
    kept = list(words)
    while len(kept) > 1 and kept[0] in in_front:
        kept = kept[1:]
    return kept
