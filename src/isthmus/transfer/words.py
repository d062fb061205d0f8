"""Count the words of texts by domain, and find out which words the domains share."""

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
    """Return whether a vectorizer reads sources and targets in different languages."""
    return hasattr(vectorizer, "fit_transform_domains")


def count_words(vectorizer: Any, domains: Sequence[Texts]) -> Any:
    """Fit the vectorizer and return the rows of all domains, sources first."""

    def texts(parts: Iterable[Texts]) -> Iterable[str]:
        return chain.from_iterable(domain.read() for domain in parts)

    if not joins_languages(vectorizer):
        return vectorizer.fit_transform(texts(domains))
    sources = [domain for domain in domains if domain.number >= 0]
    return vectorizer.fit_transform_domains(texts(sources), texts(domains[len(sources) :]))


def count_new_words(vectorizer: Any, texts: Iterable[str], number: int) -> Any:
    """Return the rows of new texts of the domain ``number``."""
    if joins_languages(vectorizer):
        return vectorizer.transform_domain(texts, target=number < 0)
    return vectorizer.transform(texts)


def term_names(vectorizer: Any) -> Any:
    """Return the terms as they are counted; None if the vectorizer has no names."""
    names = getattr(vectorizer, "get_feature_names_out", None)
    return None if names is None else names()


def spellings(vectorizer: Any, number: int) -> Any:
    """Return the terms as a domain spells them; None if the vectorizer has no names."""
    if joins_languages(vectorizer):
        return vectorizer.spellings_of(target=number < 0)
    if hasattr(vectorizer, "spellings_"):
        return vectorizer.spellings_
    return term_names(vectorizer)


def check_shared_words(X: Any, domains: Sequence[Texts]) -> None:
    """Raise ValueError if a target has no term in common with the sources.

    ``X`` has the rows of the domains in their order.
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
                "transferred: name the language of the texts (--language), or for two languages "
                "that of the target and a dictionary (--target-lang and --dictionary), or relax "
                "min_df and max_df."
            )


def _used_terms(X: Any, start: int, stop: int) -> NDArray[np.bool_]:
    if not sparse.issparse(X):
        return np.asarray((X[start:stop] != 0).any(axis=0))
    rows = X.tocsr()
    terms = rows.indices[rows.indptr[start] : rows.indptr[stop]]
    return np.asarray(np.bincount(terms, minlength=X.shape[1]) > 0)


def rows_without_words(X: Any) -> NDArray[np.bool_]:
    """Return which rows contain no term."""
    n_terms = X.getnnz(axis=1) if sparse.issparse(X) else np.count_nonzero(X, axis=1)
    return np.asarray(n_terms == 0)
