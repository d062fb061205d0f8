"""A generated corpus in two languages, for demonstrations and tests without a download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from isthmus.datasets.bilingual_grammar import Language, Words
from isthmus.datasets.bilingual_lexicon import ENGLISH, GERMAN, NEUTRAL, TOPICS

__all__ = ["BilingualCorpus", "make_bilingual_corpus"]

T = TypeVar("T")

# Chosen so that, at the default dictionary, a classifier of the source alone is right for about
# three of four German documents while the words' co-occurrence still tells the classes apart.
_CONTRARY = 0.18
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
        English words with their German translation or translations, base forms only.
    """

    source_texts: list[str]
    source_labels: list[str]
    target_texts: list[str]
    target_labels: list[str]
    dictionary: dict[str, str | list[str]]


def make_bilingual_corpus(
    n_source: int = 300, n_target: int = 300, known: float = 0.35, random_state: int = 0
) -> BilingualCorpus:
    """Write shop reviews of books, films and music in English (source) and German (target).

    Every document names several things of its class and a few of the others, beside prices and
    parcels. The dictionary knows some of the German words only, in their base form, while texts
    also have "Bücher" and "gedruckten"; a few words are alike in both languages ("Film", "CD"),
    and false friends are alike and mean something else ("Band" is a volume, "Gift" is poison).
    A classifier trained on English therefore sees little of a German review, but words with and
    without a translation stand in the same documents, and this is what transfer learning can use.

    Parameters
    ----------
    n_source, n_target : int
        Number of documents of each language; the classes are equally frequent.
    known : float
        Share of the German content words that the dictionary has: 0 for none, 1 for all. More
        words add to those of a smaller share, and change no document.
    random_state : int
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
    >>> model = Transfer(vectorizer=vectorizer)  # takes DKT, which is for two languages
    >>> model = model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> bool((model.labels_ == corpus.target_labels).mean() > 0.9)
    True
    """
    _check(n_source, n_target, known)
    # One stream each, so that neither n_source nor known changes the German documents.
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
        raise ValueError(f"known={known} must lie between 0 and 1.")


def _make_dictionary(known: float, seed: np.random.SeedSequence) -> dict[str, str | list[str]]:
    rng = np.random.Generator(np.random.PCG64(seed))
    chosen: dict[str, list[str]] = {}
    # The same share of every class: a class without a bridge would be luck, not difficulty.
    for words in (*TOPICS.values(), NEUTRAL):
        order = rng.permutation(len(words.entries))
        for place in order[: round(known * len(order))]:
            entry = words.entries[place]
            chosen[entry.headword] = entry.translations
    return {word: found if len(found) > 1 else found[0] for word, found in sorted(chosen.items())}


def _write(
    language: Language, count: int, seed: np.random.SeedSequence
) -> tuple[list[str], list[str]]:
    rng = np.random.Generator(np.random.PCG64(seed))
    classes = list(TOPICS)
    labels = [classes[i % len(classes)] for i in rng.permutation(count)]
    return [_document(language, label, rng) for label in labels], labels


def _document(language: Language, label: str, rng: np.random.Generator) -> str:
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


def _opinion(language: Language, label: str, rng: np.random.Generator) -> str:
    patterns = language.actions if rng.random() < _ACTION else language.sentences
    return _fill(patterns, _speaker(label, rng), _speaker(label, rng), language, rng)


def _speaker(label: str, rng: np.random.Generator) -> Words:
    """The words of the class, or now and then of another."""
    if rng.random() < _CONTRARY:
        label = _pick([name for name in TOPICS if name != label], rng)
    return TOPICS[label]


def _fill(
    patterns: Sequence[str],
    first: Words,
    second: Words,
    language: Language,
    rng: np.random.Generator,
) -> str:
    """A sentence with nouns of the words given and an adjective of the first or of no class."""
    kind = first if rng.random() < _OWN_ADJECTIVE else NEUTRAL
    entries = {
        "a": _pick(first.nouns, rng),
        "b": _pick(second.nouns, rng),
        "verb": _pick(first.verbs, rng),
        "adj": _pick(kind.adjectives, rng),
    }
    forms = {
        slot: entry.english if language is ENGLISH else _pick(entry.german, rng)
        for slot, entry in entries.items()
    }
    sentence = _pick(patterns, rng).format(**forms)
    return sentence[0].upper() + sentence[1:]


def _pick(choices: Sequence[T], rng: np.random.Generator) -> T:
    return choices[int(rng.integers(len(choices)))]
