"""Texts counted by domain, and which words the domains use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.transfer.texts import Texts

__all__ = [
    "check_shared_words",
    "count_new_words",
    "count_words",
    "joins_languages",
    "rows_without_words",
    "spellings",
    "term_names",
]


def joins_languages(vectorizer: Any) -> bool:
    """Whether a vectorizer reads sources and targets each in a language of their own."""
    return hasattr(vectorizer, "fit_transform_sides")


def count_words(vectorizer: Any, domains: Sequence[Texts]) -> Any:
    """The rows of all domains, one after the other (sources first)."""

    def texts(parts: Iterable[Texts]) -> Iterable[str]:
        return chain.from_iterable(domain.read() for domain in parts)

    if not joins_languages(vectorizer):
        return vectorizer.fit_transform(texts(domains))
    sources = [domain for domain in domains if domain.number >= 0]
    return vectorizer.fit_transform_sides(texts(sources), texts(domains[len(sources) :]))


def count_new_words(vectorizer: Any, texts: Iterable[str], number: int) -> Any:
    """The rows of new texts of the domain ``number``."""
    if joins_languages(vectorizer):
        return vectorizer.transform_side(texts, target=number < 0)
    return vectorizer.transform(texts)


def term_names(vectorizer: Any) -> Any:
    """The terms as they are counted; None if the vectorizer has no names."""
    names = getattr(vectorizer, "get_feature_names_out", None)
    return None if names is None else names()


def spellings(vectorizer: Any, number: int) -> Any:
    """The terms as people of a domain write them; None if the vectorizer has no names."""
    if joins_languages(vectorizer):
        return vectorizer.spellings_of(target=number < 0)
    if hasattr(vectorizer, "spellings_"):
        return vectorizer.spellings_
    return term_names(vectorizer)


def check_shared_words(X: Any, domains: Sequence[Texts]) -> None:
    """Raise ValueError if a target has no term in common with the sources.

    ``X`` holds the rows of the domains one after the other.
    """
    in_sources = np.zeros(X.shape[1], np.bool_)
    start = 0
    for domain in domains:  # sources first
        used = _used_terms(X, start, start + domain.n_texts)
        start += domain.n_texts
        if domain.number >= 0:
            in_sources |= used
        elif not (used & in_sources).any():
            raise ValueError(
                f"{domain.name!r} has no word in common with the sources, so nothing can be "
                "carried over: are they in one language, or joined by a dictionary, and min_df "
                "and max_df not too strict?"
            )


def _used_terms(X: Any, start: int, stop: int) -> NDArray[np.bool_]:
    if not sparse.issparse(X):
        return np.asarray((X[start:stop] != 0).any(axis=0))
    rows = X.tocsr()
    found = rows.indices[rows.indptr[start] : rows.indptr[stop]]
    return np.asarray(np.bincount(found, minlength=X.shape[1]) > 0)


def rows_without_words(X: Any) -> NDArray[np.bool_]:
    """Which rows hold no term at all."""
    filled = X.getnnz(axis=1) if sparse.issparse(X) else np.count_nonzero(X, axis=1)
    return np.asarray(filled == 0)
