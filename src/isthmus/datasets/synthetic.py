"""A generated corpus of two domains, for demonstrations and tests without a download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isthmus.datasets.lexicon import CLASSES, DOMAINS, Domain

__all__ = ["SyntheticCorpus", "make_corpus"]

# Chosen so that, at the default gap, a classifier of the source alone is right for about two
# of three target documents while the words' co-occurrence still tells the classes apart.
_CONTRARY = 0.1
_OPINIONS = (4, 6)
_REMARKS = (3, 4)


@dataclass(frozen=True)
class SyntheticCorpus:
    """Documents of a source and a target domain with their classes.

    Attributes
    ----------
    source_texts, target_texts : list of str
        Documents on books, and on kitchen appliances.
    source_labels, target_labels : list of str
        The class of each document.
    """

    source_texts: list[str]
    source_labels: list[str]
    target_texts: list[str]
    target_labels: list[str]


def make_corpus(
    n_source: int = 400,
    n_target: int = 400,
    classes: Sequence[str] = ("positive", "negative"),
    gap: float = 0.8,
    random_state: int = 0,
) -> SyntheticCorpus:
    """Write posts on books (source) and on kitchen appliances (target).

    Every document holds several cue words of its class and a few of other classes. Some cues
    are used in both domains ("great"), others in one only ("gripping", "sturdy"); a few mean
    something in one domain and nothing in the other. A classifier trained on books therefore
    fails on kettles, but shared and specific cues stand in the same documents, and this is
    what transfer learning can use.

    Parameters
    ----------
    n_source, n_target : int
        Number of documents of each domain; the classes are equally frequent.
    classes : sequence of str
        Two or more of "positive", "negative", "question", "offer".
    gap : float
        Share of the cues that are specific to their domain: 0 for none (nothing to bridge),
        1 for all (nothing to bridge with).
    random_state : int
        Seed; the same seed gives the same documents on every platform.

    Returns
    -------
    SyntheticCorpus
        Texts and labels.

    Examples
    --------
    >>> corpus = make_corpus(n_source=4, n_target=2)
    >>> corpus.source_labels.count("positive")
    2
    """
    _check(n_source, n_target, classes, gap)
    # One stream a domain, so that n_source does not change the target documents.
    source, target = np.random.SeedSequence(random_state).spawn(2)
    source_texts, source_labels = _write("books", n_source, classes, gap, source)
    target_texts, target_labels = _write("kitchen", n_target, classes, gap, target)
    return SyntheticCorpus(source_texts, source_labels, target_texts, target_labels)


def _check(n_source: int, n_target: int, classes: Sequence[str], gap: float) -> None:
    unknown = [name for name in classes if name not in CLASSES]
    if unknown or isinstance(classes, str):
        raise ValueError(
            f"classes={classes!r} holds a class that cannot be generated: "
            f"choose two or more of {', '.join(CLASSES)}."
        )
    if len(set(classes)) < 2 or len(set(classes)) < len(classes):
        raise ValueError(f"classes={classes!r} must name two or more different classes.")
    if min(n_source, n_target) < len(classes):
        raise ValueError(
            f"n_source={n_source} and n_target={n_target} must both be at least the number "
            f"of classes, {len(classes)}."
        )
    if not 0.0 <= gap <= 1.0:
        raise ValueError(f"gap={gap} must lie between 0 and 1.")


def _write(
    domain: str, count: int, classes: Sequence[str], gap: float, seed: np.random.SeedSequence
) -> tuple[list[str], list[str]]:
    rng = np.random.Generator(np.random.PCG64(seed))
    labels = [classes[i % len(classes)] for i in range(count)]
    order = rng.permutation(count)
    labels = [labels[i] for i in order]
    return [_document(domain, label, classes, gap, rng) for label in labels], labels


def _document(
    domain: str, label: str, classes: Sequence[str], gap: float, rng: np.random.Generator
) -> str:
    sentences = [
        _opinion(domain, label, classes, gap, rng)
        for _ in range(rng.integers(*_OPINIONS, endpoint=True))
    ]
    sentences += [
        _remark(DOMAINS[domain], gap, rng) for _ in range(rng.integers(*_REMARKS, endpoint=True))
    ]
    return " ".join(sentences[i] for i in rng.permutation(len(sentences)))


def _opinion(
    domain: str, label: str, classes: Sequence[str], gap: float, rng: np.random.Generator
) -> str:
    speaker = label
    if rng.random() < _CONTRARY:
        speaker = _pick([name for name in classes if name != label], rng)
    voice = CLASSES[speaker]
    special: tuple[str, ...] = getattr(voice, domain)
    first = second = _pick(special if rng.random() < gap else voice.shared, rng)
    while second == first:
        second = _pick(special if rng.random() < gap else voice.shared, rng)
    nouns = DOMAINS[domain].nouns
    sentence = _pick(voice.sentences, rng).format(
        noun=_pick(nouns, rng), other=_pick(nouns, rng), first=first, second=second
    )
    return sentence[0].upper() + sentence[1:]


def _remark(world: Domain, gap: float, rng: np.random.Generator) -> str:
    thing = _pick(world.misleading if rng.random() < gap else world.things, rng)
    return _pick(world.remarks, rng).format(thing=thing, other=_pick(world.things, rng))


def _pick(choices: Sequence[str], rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]
