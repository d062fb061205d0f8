"""Counts of the terms of a corpus, cached in memory and on disk."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from isthmus_bench.documents.corpora import find_corpus

__all__ = ["CACHE_VARIABLE", "Counted", "check_groups", "count_corpus", "disk_cache"]

CACHE_VARIABLE = "ISTHMUS_CACHE"


@dataclass(frozen=True)
class Counted:
    """Counts of all terms, and the group of every row."""

    matrix: sparse.csr_matrix
    groups: np.ndarray
    terms: tuple[str, ...] | None


def disk_cache() -> Any:
    """The cache in the folder ``ISTHMUS_CACHE``, or ``isthmus`` in the user's cache folder."""
    from joblib import Memory

    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "isthmus"
    folder = Path(os.environ.get(CACHE_VARIABLE) or base).expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        # Without a folder nothing is cached.
        return Memory(None, verbose=0)
    return Memory(folder, verbose=0)


@lru_cache(maxsize=4)
def count_corpus(
    name: str,
    groups: tuple[str, ...],
    stop_words: str | None,
    data_home: str | None,
    stemmer: str | None = None,
) -> Counted:
    """Return the counts of all terms in some groups (sorted) of a corpus.

    ``stop_words`` and ``stemmer`` (the name of a Snowball stemmer) apply to texts; a corpus of
    counts is used as it is.
    """
    import sklearn
    import Stemmer

    fingerprint = find_corpus(name).fingerprint
    # The tokenizer and the stop words depend on the version of scikit-learn.
    key = (fingerprint, sklearn.__version__, Stemmer.version() if stemmer else None)
    count = _count
    if fingerprint is not None:
        count = disk_cache().cache(_count, ignore=["name", "data_home"])
    return count(key, groups, stop_words, stemmer, name, data_home)


def _count(
    key: tuple[Any, ...],
    groups: tuple[str, ...],
    stop_words: str | None,
    stemmer: str | None,
    name: str,
    data_home: str | None,
) -> Counted:
    documents = find_corpus(name).read(data_home, groups)
    check_groups(name, groups, documents.groups)
    of_row = np.array(documents.groups)
    if documents.counts is not None:
        return Counted(documents.counts, of_row, documents.terms)
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(stop_words=stop_words, dtype=np.float32)
    if stemmer is not None:
        import Stemmer

        words, stems = vectorizer.build_analyzer(), Stemmer.Stemmer(stemmer)
        # The analyzer has removed the stop words already.
        vectorizer.set_params(analyzer=lambda text: stems.stemWords(words(text)), stop_words=None)
    matrix = vectorizer.fit_transform(documents.texts or [])
    return Counted(matrix.tocsr(), of_row, tuple(vectorizer.get_feature_names_out()))


def check_groups(name: str, groups: tuple[str, ...], present: list[str]) -> None:
    """Raise ValueError if a corpus has no document of one of the groups."""
    for group in sorted(set(groups).difference(present)):
        known = ", ".join(sorted(set(present)))
        raise ValueError(f"The corpus '{name}' has no group '{group}': it has {known}.")
