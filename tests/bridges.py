"""Small vocabularies of two languages, joined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from isthmus.text.analysis import Analyzer
from isthmus.text.bridge import Bridge, Vocabulary, build_bridge
from isthmus.text.dictionaries import BilingualDictionary

Entries = Mapping[str, str | list[str]]


def vocabulary(terms: Iterable[str], language: str | None, **options: Any) -> Vocabulary:
    settings = {"stop_words": None, "stem": False, "lowercase": True, **options}
    words = Analyzer(language, ngram_range=(1, 1), html=False, **settings)
    return Vocabulary(sorted(terms), language, words)


def join(
    source: Iterable[str],
    target: Iterable[str],
    *dictionaries: Entries | BilingualDictionary,
    languages: tuple[str | None, str | None] = ("english", "german"),
    use: list[int] | None = None,
    **options: Any,
) -> Bridge:
    """The bridge of these terms; ``use`` goes by the alphabet."""
    ours, theirs = (
        vocabulary(terms, language, **options)
        for terms, language in zip((source, target), languages, strict=True)
    )
    read = [
        BilingualDictionary.from_mapping(one) if isinstance(one, Mapping) else one
        for one in dictionaries
    ]
    return build_bridge(ours, theirs, np.array(use or [1] * len(theirs.terms), float), read)


def shares(bridge: Bridge, target: Iterable[str]) -> dict[str, dict[str, float]]:
    """Every target term with the terms that its counts go to."""
    rows = bridge.target.toarray()
    return {
        word: {bridge.terms[column]: row[column].item() for column in np.flatnonzero(row)}
        for word, row in zip(sorted(target), rows, strict=True)
    }


def where(source: Iterable[str], target: Iterable[str], *rest: Any, **options: Any) -> Any:
    """Where the counts of every target term go."""
    return shares(join(source, target, *rest, **options), target)
