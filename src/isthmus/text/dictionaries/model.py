"""A bilingual dictionary in memory."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

__all__ = ["BilingualDictionary", "merge"]


@dataclass(frozen=True)
class BilingualDictionary:
    """Pairs of words that translate each other.

    Words are brought into Unicode's composed form (NFC) and lose blanks around them; their case
    is kept. A word with several translations stands in several pairs.

    Parameters
    ----------
    pairs : iterable of (str, str)
        A word and its translation; pairs that come again are dropped.
    languages : (str, str), optional
        Two-letter codes or names of the languages of the two sides, if known.
    name : str
        What messages call the dictionary, such as the path of its file.

    Attributes
    ----------
    pairs : tuple of (str, str)
        The pairs, each once, in the order of their first appearance.

    Examples
    --------
    >>> dictionary = BilingualDictionary.from_mapping({"book": ["Buch", "Band"], "cat": "Katze"})
    >>> dictionary.pairs
    (('book', 'Buch'), ('book', 'Band'), ('cat', 'Katze'))
    >>> dictionary.reversed().pairs[0]
    ('Buch', 'book')
    """

    pairs: tuple[tuple[str, str], ...] = field(repr=False)
    languages: tuple[str, str] | None = None
    name: str = "dictionary"

    def __post_init__(self) -> None:
        """Bring the pairs into their form."""
        cleaned = dict.fromkeys(_cleaned(pair, self.name) for pair in self.pairs)
        object.__setattr__(self, "pairs", tuple(cleaned))

    @classmethod
    def from_mapping(
        cls,
        mapping: Mapping[str, str | Iterable[str]],
        languages: tuple[str, str] | None = None,
        name: str = "dictionary",
    ) -> Self:
        """Make a dictionary from a mapping of words to a translation each, or to several.

        Raises
        ------
        ValueError
            If a word or a translation is not text, or empty.
        """
        pairs: list[tuple[str, str]] = []
        for word, found in mapping.items():
            if not isinstance(found, (str, Iterable)):
                raise ValueError(
                    f"The translation of {word!r} in the {name} is {found!r}: give a text or a "
                    "list of texts."
                )
            several = [found] if isinstance(found, str) else found
            pairs.extend((word, translation) for translation in several)
        return cls(tuple(pairs), languages, name)

    def reversed(self) -> BilingualDictionary:
        """Return the dictionary of the other direction."""
        languages = None if self.languages is None else (self.languages[1], self.languages[0])
        pairs = tuple((translation, word) for word, translation in self.pairs)
        return BilingualDictionary(pairs, languages, self.name)

    def __deepcopy__(self, memo: Any) -> Self:
        """Return the dictionary itself: nothing of it can change, and it may be large."""
        return self

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs)


def merge(dictionaries: Sequence[BilingualDictionary]) -> BilingualDictionary:
    """Return one dictionary with the pairs of all.

    The first that knows its languages gives the direction: one that knows them the other way
    round is reversed, one that does not know them is taken as it is.
    """
    if len(dictionaries) == 1:
        return dictionaries[0]
    leader = next((one for one in dictionaries if one.languages is not None), dictionaries[0])
    pairs: list[tuple[str, str]] = []
    for one in dictionaries:
        if one.languages in (None, leader.languages):
            pairs.extend(one.pairs)
        elif one.reversed().languages == leader.languages:
            pairs.extend(one.reversed().pairs)
        else:
            raise ValueError(
                f"The dictionaries {leader.name} ({_in_words(leader)}) and {one.name} "
                f"({_in_words(one)}) are of different languages: give those of one pair of "
                "languages."
            )
    return BilingualDictionary(
        tuple(pairs), leader.languages, ", ".join(one.name for one in dictionaries)
    )


def _in_words(dictionary: BilingualDictionary) -> str:
    return " and ".join(dictionary.languages or ())


def _cleaned(pair: tuple[str, str], name: str) -> tuple[str, str]:
    try:
        word, translation = pair
        if isinstance(pair, str):
            raise TypeError
        word, translation = _plain(word), _plain(translation)
    except (TypeError, ValueError):
        raise ValueError(
            f"The {name} holds {pair!r}, which is no pair of texts: give a word and its "
            "translation."
        ) from None
    if not word or not translation:
        raise ValueError(
            f"The {name} holds the pair {pair!r}, one side of which is empty: leave it out."
        )
    return word, translation


def _plain(word: str) -> str:
    return unicodedata.normalize("NFC", word).strip()
