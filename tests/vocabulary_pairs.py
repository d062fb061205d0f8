"""Joint vocabularies of a few words, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from isthmus.text.analyzer import Analyzer
from isthmus.text.dictionaries import BilingualDictionary
from isthmus.text.translation import JointVocabulary, LanguageVocabulary, build_joint_vocabulary

Entries = Mapping[str, str | list[str]]


def vocabulary(terms: Iterable[str], language: str | None, **options: Any) -> LanguageVocabulary:
    settings = {"stop_words": None, "stem": False, "lowercase": True, **options}
    words = Analyzer(language, ngram_range=(1, 1), html=False, **settings)
    return LanguageVocabulary(sorted(terms), language, words)


def join(
    source: Iterable[str],
    target: Iterable[str],
    *dictionaries: Entries | BilingualDictionary,
    languages: tuple[str | None, str | None] = ("english", "german"),
    use: list[int] | None = None,
    **options: Any,
) -> JointVocabulary:
    """Return the joint vocabulary of these terms; ``use`` has one count per sorted target term."""
    source_vocabulary, target_vocabulary = (
        vocabulary(terms, language, **options)
        for terms, language in zip((source, target), languages, strict=True)
    )
    read_dictionaries = [
        BilingualDictionary.from_mapping(one) if isinstance(one, Mapping) else one
        for one in dictionaries
    ]
    counts = np.array(use or [1] * len(target_vocabulary.terms), float)
    return build_joint_vocabulary(source_vocabulary, target_vocabulary, counts, read_dictionaries)


def term_weights(vocabulary: JointVocabulary, target: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return the weights of the joint terms for every target term."""
    rows = vocabulary.target.toarray()
    return {
        word: {vocabulary.terms[column]: row[column].item() for column in np.flatnonzero(row)}
        for word, row in zip(sorted(target), rows, strict=True)
    }


def joined_weights(source: Iterable[str], target: Iterable[str], *rest: Any, **options: Any) -> Any:
    """Join the terms, and return the weights of the joint terms for every target term."""
    return term_weights(join(source, target, *rest, **options), target)
