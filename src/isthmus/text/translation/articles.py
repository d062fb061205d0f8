"""Articles and particles that dictionaries put in front of a headword."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["without_article"]

_ARTICLES = {
    "danish": "en et at den det",
    "dutch": "de het een te zich",
    "english": "the an to",  # "a" is missing because a single letter is not a token
    "french": "le la les un une se",
    "german": "der die das ein eine sich zu",
    "italian": "il lo la gli le un uno una",
    "norwegian": "en ei et",
    "portuguese": "os as um uma",
    "spanish": "el la los las un una",
    "swedish": "en ett att",
}
_BY_LANGUAGE = {language: frozenset(words.split()) for language, words in _ARTICLES.items()}


def without_article(words: Sequence[str], language: str | None) -> list[str]:
    """Return the words of a dictionary entry without leading articles or particles."""
    articles = _BY_LANGUAGE.get(language or "", frozenset())
    kept = list(words)
    while len(kept) > 1 and kept[0] in articles:
        kept = kept[1:]
    return kept
