"""Character n-grams of the documents of a problem: a second matrix for the same rows."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from scipy import sparse

from isthmus_bench.documents.corpora import find_corpus
from isthmus_bench.documents.counts import check_groups, disk_cache

__all__ = ["CHARACTERS_REVISION", "count_characters", "make_character_vectorizer"]

CHARACTERS_REVISION = 2
"""Raised whenever a change of the character n-grams may change results."""


def make_character_vectorizer() -> Any:
    """The vectorizer of the second matrix, with ``fit_transform``, ``fit`` and ``transform``."""
    from isthmus.text.character_vectorizer import CharacterVectorizer

    return CharacterVectorizer()


def count_characters(
    name: str, groups: tuple[str, ...], rows: np.ndarray, fitted: np.ndarray, data_home: str | None
) -> sparse.csr_matrix:
    """Return the weighted character n-grams of some rows of a corpus, cached on disk.

    ``rows`` refer to the documents of ``groups`` (sorted), as they are read together. The n-grams
    and their weights are those of the rows that are ``fitted``.
    """
    import sklearn

    fingerprint = find_corpus(name).fingerprint
    digest = hashlib.sha256(np.asarray(rows, np.int64).tobytes())
    digest.update(np.packbits(fitted).tobytes())
    key = (fingerprint, sklearn.__version__, CHARACTERS_REVISION, digest.hexdigest())
    count = _count_characters
    if fingerprint is not None:
        ignored = ["name", "rows", "fitted", "data_home"]
        count = disk_cache().cache(_count_characters, ignore=ignored)
    return count(key, groups, name, rows, fitted, data_home)


def _count_characters(
    key: tuple[Any, ...],
    groups: tuple[str, ...],
    name: str,
    rows: np.ndarray,
    fitted: np.ndarray,
    data_home: str | None,
) -> sparse.csr_matrix:
    documents = find_corpus(name).read(data_home, groups)
    check_groups(name, groups, documents.groups)
    if documents.texts is None:
        raise ValueError(
            f"The corpus '{name}' has counts and no texts, which character n-grams need: remove "
            "'second_view' from the entry."
        )
    texts = [documents.texts[row] for row in rows.tolist()]
    vectorizer = make_character_vectorizer()
    if fitted.all():
        return sparse.csr_matrix(vectorizer.fit_transform(texts))
    vectorizer.fit([text for text, is_fitted in zip(texts, fitted, strict=True) if is_fitted])
    return sparse.csr_matrix(vectorizer.transform(texts))
