"""The class BilingualDictionary."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

__all__ = ["BilingualDictionary", "merge"]


@dataclass(frozen=True)
class BilingualDictionary:
    """Pairs of words that translate each other.

    Words are normalized to NFC and stripped of surrounding spaces; their case is kept. A word with
    several translations has several pairs.

    Parameters
    ----------
    pairs : iterable of (str, str)
        A word and its translation; duplicate pairs are dropped.
    languages : (str, str) or None, default=None
        Codes or names of the languages of the words and of the translations, if known.
    name : str, default="dictionary"
        Name of the dictionary in messages, such as the path of its file.

    Attributes
    ----------
    pairs : tuple of (str, str)
        The distinct pairs, in the order of their first appearance.

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
        """Normalize the pairs and drop duplicates."""
        cleaned = dict.fromkeys(_normalized_pair(pair, self.name) for pair in self.pairs)
        object.__setattr__(self, "pairs", tuple(cleaned))

    @classmethod
    def from_mapping(
        cls,
        mapping: Mapping[str, str | Iterable[str]],
        languages: tuple[str, str] | None = None,
        name: str = "dictionary",
    ) -> Self:
        """Make a dictionary from a mapping of words to one translation or several.

        Parameters
        ----------
        mapping : mapping of str to str or iterable of str
            Words with their translations.
        languages : (str, str) or None, default=None
            Codes or names of the languages of the words and of the translations, if known.
        name : str, default="dictionary"
            Name of the dictionary in messages.

        Returns
        -------
        BilingualDictionary
            The dictionary.

        Raises
        ------
        ValueError
            If a word or a translation is not text, or is empty.
        """
        pairs: list[tuple[str, str]] = []
        for word, value in mapping.items():
            if not isinstance(value, (str, Iterable)):
                raise ValueError(
                    f"The translation of {word!r} in the {name} is {value!r}: pass a string or a "
                    "list of strings."
                )
            translations = [value] if isinstance(value, str) else value
            pairs.extend((word, translation) for translation in translations)
        return cls(tuple(pairs), languages, name)

    def reversed(self) -> BilingualDictionary:
        """Return the dictionary in the opposite direction.

        Returns
        -------
        BilingualDictionary
            Every translation with its word.
        """
        languages = None if self.languages is None else (self.languages[1], self.languages[0])
        pairs = tuple((translation, word) for word, translation in self.pairs)
        return BilingualDictionary(pairs, languages, self.name)

    def __deepcopy__(self, memo: Any) -> Self:
        """Return the dictionary itself: it is immutable and may be large."""
        return self

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs)


def merge(dictionaries: Sequence[BilingualDictionary]) -> BilingualDictionary:
    """Return one dictionary with the pairs of all dictionaries.

    The first dictionary with known languages gives the direction. One in the opposite direction is
    reversed, one with unknown languages is used as it is.
    """
    if len(dictionaries) == 1:
        return dictionaries[0]
    reference = next((one for one in dictionaries if one.languages is not None), dictionaries[0])
    pairs: list[tuple[str, str]] = []
    for one in dictionaries:
        if one.languages in (None, reference.languages):
            pairs.extend(one.pairs)
        elif one.reversed().languages == reference.languages:
            pairs.extend(one.reversed().pairs)
        else:
            raise ValueError(
                f"The dictionaries {reference.name} ({_languages(reference)}) and {one.name} "
                f"({_languages(one)}) have different languages: pass dictionaries of one pair of "
                "languages."
            )
    return BilingualDictionary(
        tuple(pairs), reference.languages, ", ".join(one.name for one in dictionaries)
    )


def _languages(dictionary: BilingualDictionary) -> str:
    return " and ".join(dictionary.languages or ())


def _normalized_pair(pair: tuple[str, str], name: str) -> tuple[str, str]:
    try:
        word, translation = pair
        if isinstance(pair, str):
            raise TypeError
        word, translation = _normalized_word(word), _normalized_word(translation)
    except (TypeError, ValueError):
        raise ValueError(
            f"The {name} contains {pair!r}, which is not a pair of strings: pass a word and its "
            "translation."
        ) from None
    if not word or not translation:
        raise ValueError(
            f"The {name} contains the pair {pair!r}, in which a word is empty: remove it."
        )
    return word, translation


def _normalized_word(word: str) -> str:
    return unicodedata.normalize("NFC", word).strip()
