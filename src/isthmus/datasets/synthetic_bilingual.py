"""A synthetic corpus in two languages, for demonstrations and tests without a download."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from isthmus.datasets.corpus_files import package_text
from isthmus.datasets.synthetic import pick

__all__ = ["BilingualCorpus", "make_bilingual_corpus"]

# Chosen so that, with the default dictionary, a source-only classifier labels about three of four
# German documents correctly, while word co-occurrence still separates the classes.
_OTHER_CLASS = 0.18
_ACTION = 0.2
_ASIDE = 0.2
_OWN_ADJECTIVE = 0.5
_OPINIONS = (3, 5)
_REMARKS = (2, 3)


@dataclass(frozen=True)
class BilingualCorpus:
    """Documents in two languages with their classes, and a dictionary between them.

    Attributes
    ----------
    source_texts, target_texts : list of str
        Reviews in English, and in German.
    source_labels, target_labels : list of str
        The class of each document: "books", "films" or "music".
    dictionary : dict of str to str or list of str
        English words with their German translation or translations, in base form only.

    Examples
    --------
    >>> from isthmus.datasets import make_bilingual_corpus
    >>> corpus = make_bilingual_corpus()
    >>> sorted(set(corpus.target_labels)), corpus.dictionary["camera"]
    (['books', 'films', 'music'], 'Kamera')
    """

    source_texts: list[str]
    source_labels: list[str]
    target_texts: list[str]
    target_labels: list[str]
    dictionary: dict[str, str | list[str]]


def make_bilingual_corpus(
    n_source: int = 300, n_target: int = 300, known: float = 0.35, random_state: int = 0
) -> BilingualCorpus:
    """Generate shop reviews of books, films and music in English (source) and German (target).

    Every document contains several words of its class, a few of other classes, and neutral words.
    The dictionary has only some of the German words, in their base form, while texts also contain
    inflected forms ("Bücher", "gedruckten"). A few words are identical in both languages ("Film",
    "CD"), and false friends are identical but differ in meaning ("Band" is a volume, "Gift" is
    poison). A classifier trained on English therefore knows few words of a German review, but words
    with and without a translation occur in the same documents, which transfer learning can use.

    Parameters
    ----------
    n_source, n_target : int, default=300
        Number of documents of each language; the classes are equally frequent.
    known : float, default=0.35
        Fraction of the German content words that are in the dictionary: 0 for none, 1 for all. A
        larger fraction extends the dictionary of a smaller one and does not change the documents.
    random_state : int, default=0
        Seed; the same seed gives the same documents and dictionary on every platform.

    Returns
    -------
    BilingualCorpus
        Texts, labels and the dictionary.

    Examples
    --------
    >>> from isthmus import BilingualVectorizer, Transfer
    >>> from isthmus.datasets import make_bilingual_corpus
    >>> corpus = make_bilingual_corpus()
    >>> vectorizer = BilingualVectorizer("en", "de", corpus.dictionary)
    >>> model = Transfer(vectorizer=vectorizer)  # the automatic method
    >>> model = model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> bool((model.labels_ == corpus.target_labels).mean() > 0.9)
    True
    """
    _check(n_source, n_target, known)
    # Separate random streams, so that neither n_source nor known changes the German documents.
    source, target, words = np.random.SeedSequence(random_state).spawn(3)
    source_texts, source_labels = _write("english", n_source, source)
    target_texts, target_labels = _write("german", n_target, target)
    dictionary = _make_dictionary(known, words)
    return BilingualCorpus(source_texts, source_labels, target_texts, target_labels, dictionary)


def _check(n_source: int, n_target: int, known: float) -> None:
    n_classes = len(read_lexicon().topics)
    if min(n_source, n_target) < n_classes:
        raise ValueError(
            f"n_source={n_source} and n_target={n_target} must both be at least the number "
            f"of classes, {n_classes}."
        )
    if not 0.0 <= known <= 1.0:
        raise ValueError(f"known={known} must be between 0 and 1.")


def _make_dictionary(known: float, seed: np.random.SeedSequence) -> dict[str, str | list[str]]:
    rng = np.random.Generator(np.random.PCG64(seed))
    translations: dict[str, list[str]] = {}
    lexicon = read_lexicon()
    # The same fraction of every class, so that no class is without translations by accident.
    for words in (*lexicon.topics.values(), lexicon.neutral):
        order = rng.permutation(len(words.entries))
        for number in order[: round(known * len(order))]:
            entry = words.entries[number]
            translations[entry.headword] = entry.translations
    return {
        word: several if len(several) > 1 else several[0]
        for word, several in sorted(translations.items())
    }


def _write(language: str, count: int, seed: np.random.SeedSequence) -> tuple[list[str], list[str]]:
    rng = np.random.Generator(np.random.PCG64(seed))
    classes = list(read_lexicon().topics)
    labels = [classes[i % len(classes)] for i in rng.permutation(count)]
    return [_document(language, label, rng) for label in labels], labels


def _document(language: str, label: str, rng: np.random.Generator) -> str:
    lexicon = read_lexicon()
    patterns = lexicon.patterns[language]
    sentences = [
        _opinion(language, label, rng) for _ in range(rng.integers(*_OPINIONS, endpoint=True))
    ]
    sentences += [
        _fill(patterns["remarks"], lexicon.neutral, lexicon.neutral, language, rng)
        for _ in range(rng.integers(*_REMARKS, endpoint=True))
    ]
    if rng.random() < _ASIDE:
        sentences.append(pick(patterns["asides"][label], rng))
    return " ".join(sentences[i] for i in rng.permutation(len(sentences)))


def _opinion(language: str, label: str, rng: np.random.Generator) -> str:
    kind = "actions" if rng.random() < _ACTION else "sentences"
    patterns = read_lexicon().patterns[language][kind]
    return _fill(patterns, _random_words(label, rng), _random_words(label, rng), language, rng)


def _random_words(label: str, rng: np.random.Generator) -> _TopicWords:
    """Return the words of the class, or with a small probability those of another class."""
    topics = read_lexicon().topics
    if rng.random() < _OTHER_CLASS:
        label = pick([name for name in topics if name != label], rng)
    return topics[label]


def _fill(
    patterns: Sequence[str],
    first: _TopicWords,
    second: _TopicWords,
    language: str,
    rng: np.random.Generator,
) -> str:
    """Return a sentence with nouns of the given words and an adjective of the first or neutral."""
    adjectives = first if rng.random() < _OWN_ADJECTIVE else read_lexicon().neutral
    entries = {
        "a": pick(first.nouns, rng),
        "b": pick(second.nouns, rng),
        "verb": pick(first.verbs, rng),
        "adj": pick(adjectives.adjectives, rng),
    }
    forms = {
        slot: entry.english if language == "english" else pick(entry.german, rng)
        for slot, entry in entries.items()
    }
    sentence = pick(patterns, rng).format(**forms)
    return sentence[0].upper() + sentence[1:]


class _EnglishNoun(NamedTuple):
    """Singular and plural of an English noun."""

    one: str
    many: str


class _GermanNoun(NamedTuple):
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


class _Verb(NamedTuple):
    """Present and past form of a verb: "listen", "listened"; "lauschen", "gelauscht"."""

    now: str
    past: str


class _Adjective(NamedTuple):
    """An adjective; the German sentence patterns add the endings."""

    one: str


_FORMS: dict[str, tuple[Any, Any]] = {
    "nouns": (_EnglishNoun, _GermanNoun),
    "verbs": (_Verb, _Verb),
    "adjectives": (_Adjective, _Adjective),
}


@dataclass(frozen=True)
class _LexiconEntry:
    """A word and its translations with their forms; the dictionary has the base forms."""

    english: _EnglishNoun | _Verb | _Adjective
    german: tuple[_GermanNoun | _Verb | _Adjective, ...]

    @property
    def headword(self) -> str:
        """The English base form."""
        return self.english[0]

    @property
    def translations(self) -> list[str]:
        """The German base forms."""
        return [word.one if isinstance(word, _GermanNoun) else word[0] for word in self.german]


@dataclass(frozen=True)
class _TopicWords:
    """The words of a class, or neutral words."""

    nouns: tuple[_LexiconEntry, ...]
    verbs: tuple[_LexiconEntry, ...]
    adjectives: tuple[_LexiconEntry, ...]

    @property
    def entries(self) -> tuple[_LexiconEntry, ...]:
        """All nouns, verbs and adjectives."""
        return self.nouns + self.verbs + self.adjectives


@dataclass(frozen=True)
class _Lexicon:
    """The words of every class, neutral words, and the sentence patterns of both languages.

    Patterns are by kind: sentences, actions, remarks, and asides by class.
    """

    topics: dict[str, _TopicWords]
    neutral: _TopicWords
    patterns: dict[str, Any]


@cache
def read_lexicon() -> _Lexicon:
    """Return the words and sentence patterns of the corpus."""
    tables = tomllib.loads(package_text("synthetic_bilingual.toml"))
    topics = {name: _read_words(words) for name, words in tables.pop("topics").items()}
    return _Lexicon(topics, _read_words(tables.pop("neutral")), tables)


def _read_words(tables: dict[str, str]) -> _TopicWords:
    """Parse lines such as "read read: lesen gelesen", with translations separated by "/"."""
    parts = {}
    for part, (english, german) in _FORMS.items():
        entries = []
        for line in tables[part].splitlines():
            word, _, translations = line.partition(":")
            forms = tuple(german(*one.split()) for one in translations.split("/"))
            entries.append(_LexiconEntry(english(*word.split()), forms))
        parts[part] = tuple(entries)
    return _TopicWords(**parts)
