"""A synthetic corpus in two languages, for demonstrations and tests without a download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from isthmus.datasets.synthetic_bilingual_grammar import SentencePatterns, TopicWords
from isthmus.datasets.synthetic_bilingual_lexicon import ENGLISH, GERMAN, NEUTRAL, TOPICS

__all__ = ["BilingualCorpus", "make_bilingual_corpus"]

T = TypeVar("T")

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
    source_texts, source_labels = _write(ENGLISH, n_source, source)
    target_texts, target_labels = _write(GERMAN, n_target, target)
    dictionary = _make_dictionary(known, words)
    return BilingualCorpus(source_texts, source_labels, target_texts, target_labels, dictionary)


def _check(n_source: int, n_target: int, known: float) -> None:
    if min(n_source, n_target) < len(TOPICS):
        raise ValueError(
            f"n_source={n_source} and n_target={n_target} must both be at least the number "
            f"of classes, {len(TOPICS)}."
        )
    if not 0.0 <= known <= 1.0:
        raise ValueError(f"known={known} must be between 0 and 1.")


def _make_dictionary(known: float, seed: np.random.SeedSequence) -> dict[str, str | list[str]]:
    rng = np.random.Generator(np.random.PCG64(seed))
    translations: dict[str, list[str]] = {}
    # The same fraction of every class, so that no class is without translations by accident.
    for words in (*TOPICS.values(), NEUTRAL):
        order = rng.permutation(len(words.entries))
        for number in order[: round(known * len(order))]:
            entry = words.entries[number]
            translations[entry.headword] = entry.translations
    return {
        word: several if len(several) > 1 else several[0]
        for word, several in sorted(translations.items())
    }


def _write(
    language: SentencePatterns, count: int, seed: np.random.SeedSequence
) -> tuple[list[str], list[str]]:
    rng = np.random.Generator(np.random.PCG64(seed))
    classes = list(TOPICS)
    labels = [classes[i % len(classes)] for i in rng.permutation(count)]
    return [_document(language, label, rng) for label in labels], labels


def _document(language: SentencePatterns, label: str, rng: np.random.Generator) -> str:
    sentences = [
        _opinion(language, label, rng) for _ in range(rng.integers(*_OPINIONS, endpoint=True))
    ]
    sentences += [
        _fill(language.remarks, NEUTRAL, NEUTRAL, language, rng)
        for _ in range(rng.integers(*_REMARKS, endpoint=True))
    ]
    if rng.random() < _ASIDE:
        sentences.append(_pick(language.asides[label], rng))
    return " ".join(sentences[i] for i in rng.permutation(len(sentences)))


def _opinion(language: SentencePatterns, label: str, rng: np.random.Generator) -> str:
    patterns = language.actions if rng.random() < _ACTION else language.sentences
    return _fill(patterns, _random_words(label, rng), _random_words(label, rng), language, rng)


def _random_words(label: str, rng: np.random.Generator) -> TopicWords:
    """Return the words of the class, or with a small probability those of another class."""
    if rng.random() < _OTHER_CLASS:
        label = _pick([name for name in TOPICS if name != label], rng)
    return TOPICS[label]


def _fill(
    patterns: Sequence[str],
    first: TopicWords,
    second: TopicWords,
    language: SentencePatterns,
    rng: np.random.Generator,
) -> str:
    """Return a sentence with nouns of the given words and an adjective of the first or neutral."""
    adjectives = first if rng.random() < _OWN_ADJECTIVE else NEUTRAL
    entries = {
        "a": _pick(first.nouns, rng),
        "b": _pick(second.nouns, rng),
        "verb": _pick(first.verbs, rng),
        "adj": _pick(adjectives.adjectives, rng),
    }
    forms = {
        slot: entry.english if language is ENGLISH else _pick(entry.german, rng)
        for slot, entry in entries.items()
    }
    sentence = _pick(patterns, rng).format(**forms)
    return sentence[0].upper() + sentence[1:]


def _pick(choices: Sequence[T], rng: np.random.Generator) -> T:
    return choices[int(rng.integers(len(choices)))]
