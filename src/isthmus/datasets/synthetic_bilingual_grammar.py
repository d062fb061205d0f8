"""Word forms of English and German for :mod:`isthmus.datasets.synthetic_bilingual`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = [
    "LexiconEntry",
    "SentencePatterns",
    "TopicWords",
    "read_adjectives",
    "read_nouns",
    "read_verbs",
]


class EnglishNoun(NamedTuple):
    """Singular and plural of an English noun."""

    one: str
    many: str


class GermanNoun(NamedTuple):
    """Article, singular, plural and dative plural of a German noun."""

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
    """Present and past form of a verb: "listen", "listened"; "lauschen", "gelauscht"."""

    now: str
    past: str


class Adjective(NamedTuple):
    """An adjective; the German sentence patterns add the endings."""

    one: str


@dataclass(frozen=True)
class LexiconEntry:
    """A word and its translations with their forms; the dictionary has the base forms."""

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
class TopicWords:
    """The words of a class, or neutral words."""

    nouns: tuple[LexiconEntry, ...]
    verbs: tuple[LexiconEntry, ...]
    adjectives: tuple[LexiconEntry, ...]

    @property
    def entries(self) -> tuple[LexiconEntry, ...]:
        """All nouns, verbs and adjectives."""
        return self.nouns + self.verbs + self.adjectives


@dataclass(frozen=True)
class SentencePatterns:
    """Sentence patterns of a language.

    ``asides`` are sentences per class with false friends: a German "Band" is a volume of a book, a
    "Rock" a skirt, and "Gift" is poison, so that the same string indicates another class.
    """

    sentences: tuple[str, ...]
    actions: tuple[str, ...]
    remarks: tuple[str, ...]
    asides: dict[str, tuple[str, ...]]


def read_nouns(table: str) -> tuple[LexiconEntry, ...]:
    """Parse nouns, one per line: "book books: das Buch Bücher Büchern / another translation"."""
    return _entries(table, EnglishNoun, GermanNoun)


def read_verbs(table: str) -> tuple[LexiconEntry, ...]:
    """Parse verbs, one per line: "read read: lesen gelesen"."""
    return _entries(table, Verb, Verb)


def read_adjectives(table: str) -> tuple[LexiconEntry, ...]:
    """Parse adjectives, one per line: "loud: laut"."""
    return _entries(table, Adjective, Adjective)


def _entries(table: str, english: Any, german: Any) -> tuple[LexiconEntry, ...]:
    """Parse lines such as "read read: lesen gelesen", with translations separated by "/"."""
    entries = []
    for line in table.strip().splitlines():
        word, _, translations = line.partition(":")
        forms = tuple(german(*one.split()) for one in translations.split("/"))
        entries.append(LexiconEntry(english(*word.split()), forms))
    return tuple(entries)
