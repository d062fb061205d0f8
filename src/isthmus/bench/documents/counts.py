"""Count the terms of a corpus once, and keep the counts in memory and on disk."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from isthmus.bench.documents.corpora import DataHome, Documents, find_corpus
from isthmus.files import whole_file

__all__ = ["CACHE_VARIABLE", "Counted", "cache_folder", "check_groups", "count_corpus"]

CACHE_VARIABLE = "ISTHMUS_CACHE"
_FORMAT = 1


@dataclass(frozen=True)
class Counted:
    """Counts of all terms, and the group of every row."""

    matrix: sparse.csr_matrix
    groups: np.ndarray
    terms: tuple[str, ...] | None


def cache_folder() -> Path:
    """Return the folder for counts: ``ISTHMUS_CACHE``, or ``isthmus`` in the user's cache."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "isthmus"


@lru_cache(maxsize=4)
def count_corpus(
    name: str,
    groups: tuple[str, ...],
    stop_words: str | None,
    data_home: str | None,
    stemmer: str | None = None,
) -> Counted:
    """Return the counts of some groups of a corpus.

    Parameters
    ----------
    name : str
        A name in :data:`isthmus.bench.documents.corpora.CORPORA`.
    groups : tuple of str
        The groups wanted, sorted.
    stop_words : {"english", None}
        Words to leave out.
    data_home : str, optional
        The data folder.
    stemmer : str, optional
        Name of a Snowball stemmer for the words that stay. A corpus that comes as counts is taken
        as it is.

    Returns
    -------
    Counted
        Counts of every term; limits on document frequency are for the single task.
    """
    corpus = find_corpus(name)
    stem = None
    if corpus.fingerprint is not None:
        stem = cache_folder() / _key(corpus.fingerprint, groups, stop_words, stemmer)
        if (kept := _load(stem)) is not None:
            return kept
    counted = _count(corpus.read(_home(data_home), groups), stop_words, stemmer)
    check_groups(name, groups, counted.groups.tolist())
    if stem is not None:
        # A cache that cannot be written costs time, not the result.
        with contextlib.suppress(OSError):
            _save(stem, counted)
    return counted


def _home(data_home: str | None) -> DataHome:
    return data_home


def check_groups(name: str, groups: tuple[str, ...], found: list[str]) -> None:
    """Raise ValueError if a corpus has no document of a group that was asked for."""
    missing = sorted(set(groups).difference(found))
    if missing:
        known = ", ".join(sorted(set(found)))
        raise ValueError(f"The corpus '{name}' has no group '{missing[0]}': it has {known}.")


def _count(documents: Documents, stop_words: str | None, stemmer: str | None) -> Counted:
    groups = np.array(documents.groups)
    if documents.counts is not None:
        return Counted(documents.counts, groups, documents.terms)
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(stop_words=stop_words, dtype=np.float32)
    if stemmer is not None:
        # The words come without stop words already.
        stems = _stems(vectorizer.build_analyzer(), stemmer)
        vectorizer.set_params(analyzer=stems, stop_words=None)
    matrix = vectorizer.fit_transform(documents.texts or [])
    return Counted(matrix.tocsr(), groups, tuple(vectorizer.get_feature_names_out()))


def _stems(words: Callable[[str], list[str]], stemmer: str) -> Callable[[str], list[str]]:
    """The stems of what an analyser makes of a text."""
    import Stemmer

    stems = Stemmer.Stemmer(stemmer)
    return lambda text: stems.stemWords(words(text))


def _key(
    fingerprint: str, groups: tuple[str, ...], stop_words: str | None, stemmer: str | None = None
) -> str:
    import sklearn

    # The tokeniser and the stop list are scikit-learn's and may change with it.
    parts: list[Any] = [_FORMAT, fingerprint, list(groups), stop_words, sklearn.__version__]
    if stemmer is not None:
        import Stemmer

        # Counts of words keep the key that they had before there were stems.
        parts.append([stemmer, Stemmer.version()])
    return "counts-" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def _save(stem: Path, counted: Counted) -> None:
    stem.parent.mkdir(parents=True, exist_ok=True)
    matrix = counted.matrix
    terms = "\n".join(counted.terms or ()).encode()
    # The array file comes last: where it is, the vocabulary is complete.
    with whole_file(stem.with_suffix(".txt"), binary=True) as stream:
        stream.write(terms)
    with whole_file(stem.with_suffix(".npz"), binary=True) as stream:
        np.savez(
            stream,
            data=matrix.data,
            indices=matrix.indices,
            indptr=matrix.indptr,
            groups=counted.groups,
        )


def _load(stem: Path) -> Counted | None:
    try:
        terms = tuple(stem.with_suffix(".txt").read_text(encoding="utf-8").split("\n"))
        with np.load(stem.with_suffix(".npz"), allow_pickle=False) as arrays:
            groups = arrays["groups"]
            shape = (len(groups), len(terms))
            matrix = sparse.csr_matrix(
                (arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape
            )
            matrix.check_format(full_check=True)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        # Absent or damaged: the counts are made anew.
        return None
    return Counted(matrix, groups, terms)
