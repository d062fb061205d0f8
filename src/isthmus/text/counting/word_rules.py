"""How an analyzer finds terms, in a form that compiled loops can follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from isthmus.text.counting.character_table import CharacterTable, special_capitals

__all__ = ["WordRules"]


@dataclass(frozen=True)
class WordRules:
    """Rules that turn a text into terms.

    Attributes
    ----------
    characters : CharacterTable
    min_length : int
        Minimum number of characters of a word.
    normalize : function
        Maps a text that is not ASCII to its usual form.
    clean : function or None
        Applied to every text first.
    excluded : frozenset of str
        Words to leave out. Empty if there are stems.
    stems : function or None
        Maps a list of words to their terms, empty for a word to leave out; several threads call
        it. None if words are terms.
    ngram_range : tuple of two int
    """

    characters: CharacterTable
    min_length: int
    normalize: Callable[[str], str]
    clean: Callable[[str], str] | None = None
    excluded: frozenset[str] = frozenset()
    stems: Callable[[list[str]], list[str]] | None = None
    ngram_range: tuple[int, int] = (1, 1)

    def prepare(self, text: str) -> str:
        """Return a text whose characters can be looked up one by one."""
        if text.isascii():
            return text
        text = self.normalize(text)
        if self.characters.lowercase and any(map(text.__contains__, special_capitals())):
            return text.lower()
        return text
