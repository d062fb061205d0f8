"""Forms of English and German words, as :mod:`isthmus.datasets.bilingual` needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = [
    "Entry",
    "Language",
    "Words",
    "read_adjectives",
    "read_nouns",
    "read_verbs",
]


class EnglishNoun(NamedTuple):
    """A noun in its two forms."""

    one: str
    many: str


class GermanNoun(NamedTuple):
    """A noun in the forms that the sentences need; the dative plural has one of its own."""

    the: str
    one: str
    many: str
    to_many: str

    @property
    def acc(self) -> str:
        """The article in the accusative."""
        return "den" if self.the == "der" else self.the

    @property
    def dat(self) -> str:
        """The article in the dative."""
        return "der" if self.the == "die" else "dem"


class Verb(NamedTuple):
    """A verb: "listen", "listened"; "lauschen", "gelauscht"."""

    now: str
    past: str


class Adjective(NamedTuple):
    """An adjective; German sentences add their endings to it."""

    one: str


@dataclass(frozen=True)
class Entry:
    """A word and its translations, with their forms; the dictionary has the first ones."""

    english: EnglishNoun | Verb | Adjective
    german: tuple[GermanNoun | Verb | Adjective, ...]

    @property
    def headword(self) -> str:
        """The English base form."""
        return self.english[0]

    @property
    def translations(self) -> list[str]:
        """The German base forms."""
        return [word.one if isinstance(word, GermanNoun) else word[0] for word in self.german]


@dataclass(frozen=True)
class Words:
    """The words of a class, or those that say nothing of it."""

    nouns: tuple[Entry, ...]
    verbs: tuple[Entry, ...]
    adjectives: tuple[Entry, ...]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All of them."""
        return self.nouns + self.verbs + self.adjectives


@dataclass(frozen=True)
class Language:
    """How a language puts words into sentences.

    ``asides`` belong to a class and hold false friends: a German "Band" is a volume of a book, a
    "Rock" a skirt, and "Gift" is poison, so that the same string speaks for another class.
    """

    sentences: tuple[str, ...]
    actions: tuple[str, ...]
    remarks: tuple[str, ...]
    asides: dict[str, tuple[str, ...]]


def read_nouns(table: str) -> tuple[Entry, ...]:
    """Nouns: "book books: das Buch Bücher Büchern" a line, further translations after "/"."""
    return _entries(table, EnglishNoun, GermanNoun)


def read_verbs(table: str) -> tuple[Entry, ...]:
    """Verbs: "read read: lesen gelesen" a line."""
    return _entries(table, Verb, Verb)


def read_adjectives(table: str) -> tuple[Entry, ...]:
    """Adjectives: "loud: laut" a line."""
    return _entries(table, Adjective, Adjective)


def _entries(table: str, english: Any, german: Any) -> tuple[Entry, ...]:
    """Entries from lines such as "read read: lesen gelesen", translations parted by "/"."""
    entries = []
    for line in table.strip().splitlines():
        word, _, translations = line.partition(":")
        forms = tuple(german(*one.split()) for one in translations.split("/"))
        entries.append(Entry(english(*word.split()), forms))
    return tuple(entries)
