"""A synthetic corpus of two domains, for demonstrations and tests without a download."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np

from isthmus.datasets.corpus_files import package_text

__all__ = ["SyntheticCorpus", "make_corpus", "pick"]

T = TypeVar("T")

# Chosen so that, at the default gap, a source-only classifier labels about two of three target
# documents correctly, while word co-occurrence still separates the classes.
_OTHER_CLASS = 0.1
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

    Examples
    --------
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus()
    >>> len(corpus.source_texts), len(corpus.target_texts), sorted(set(corpus.source_labels))
    (400, 400, ['negative', 'positive'])
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
    """Generate posts on books (source) and on kitchen appliances (target).

    Every document contains several cue words of its class and a few of other classes. Some cues
    occur in both domains ("great"), others in one only ("gripping", "sturdy"); a few are cues in
    one domain and neutral in the other. A classifier trained on books therefore fails on kitchen
    appliances, but shared and specific cues occur in the same documents, which transfer learning
    can use.

    Parameters
    ----------
    n_source, n_target : int, default=400
        Number of documents of each domain; the classes are equally frequent.
    classes : sequence of str, default=("positive", "negative")
        Two or more of "positive", "negative", "question", "offer".
    gap : float, default=0.8
        Fraction of the cues that are specific to their domain: 0 for none (no domain shift), 1 for
        all (no shared cues, so that transfer is impossible).
    random_state : int, default=0
        Seed; the same seed gives the same documents on every platform.

    Returns
    -------
    SyntheticCorpus
        Texts and labels.

    Examples
    --------
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus(n_source=4, n_target=2)
    >>> corpus.source_labels.count("positive")
    2
    """
    _check(n_source, n_target, classes, gap)
    # One random stream per domain, so that n_source does not change the target documents.
    source, target = np.random.SeedSequence(random_state).spawn(2)
    source_texts, source_labels = _write("books", n_source, classes, gap, source)
    target_texts, target_labels = _write("kitchen", n_target, classes, gap, target)
    return SyntheticCorpus(source_texts, source_labels, target_texts, target_labels)


def _check(n_source: int, n_target: int, classes: Sequence[str], gap: float) -> None:
    known = _lexicon()["classes"]
    unknown = [name for name in classes if name not in known]
    if unknown or isinstance(classes, str):
        raise ValueError(
            f"classes={classes!r} contains an unknown class: use two or more of {', '.join(known)}."
        )
    if len(set(classes)) < 2 or len(set(classes)) < len(classes):
        raise ValueError(f"classes={classes!r} must name two or more different classes.")
    if min(n_source, n_target) < len(classes):
        raise ValueError(
            f"n_source={n_source} and n_target={n_target} must both be at least the number "
            f"of classes, {len(classes)}."
        )
    if not 0.0 <= gap <= 1.0:
        raise ValueError(f"gap={gap} must be between 0 and 1.")


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
    sentences += [_remark(domain, gap, rng) for _ in range(rng.integers(*_REMARKS, endpoint=True))]
    return " ".join(sentences[i] for i in rng.permutation(len(sentences)))


def _opinion(
    domain: str, label: str, classes: Sequence[str], gap: float, rng: np.random.Generator
) -> str:
    cue_class = label
    if rng.random() < _OTHER_CLASS:
        cue_class = pick([name for name in classes if name != label], rng)
    lexicon = _lexicon()
    words = lexicon["classes"][cue_class]
    first = second = pick(words[domain if rng.random() < gap else "shared"], rng)
    while second == first:
        second = pick(words[domain if rng.random() < gap else "shared"], rng)
    nouns = lexicon["domains"][domain]["nouns"]
    sentence = pick(lexicon["sentences"][words["sentences"]], rng).format(
        noun=pick(nouns, rng), other=pick(nouns, rng), first=first, second=second
    )
    return sentence[0].upper() + sentence[1:]


def _remark(domain: str, gap: float, rng: np.random.Generator) -> str:
    words = _lexicon()["domains"][domain]
    thing = pick(words["misleading" if rng.random() < gap else "things"], rng)
    return pick(words["remarks"], rng).format(thing=thing, other=pick(words["things"], rng))


@cache
def _lexicon() -> Any:
    """Return the words and sentence patterns of classes and domains."""
    return tomllib.loads(package_text("synthetic.toml"))


def pick(choices: Sequence[T], rng: np.random.Generator) -> T:
    """Return one of the choices at random."""
    return choices[int(rng.integers(len(choices)))]
