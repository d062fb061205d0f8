"""Which words the domains use, of a sparse matrix or an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.transfer.texts import Texts

__all__ = ["check_shared_words", "rows_without_words"]


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
                "carried over: are they in one language, and min_df and max_df not too strict?"
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
