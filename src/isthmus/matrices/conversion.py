"""Convert a user's matrix to documents, without copies where possible."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.kernels.plain.documents import row_block
from isthmus.matrices.chunks import Range, chunk_count, cut_by_nonzeros
from isthmus.matrices.csr import CsrDocuments
from isthmus.matrices.dense import DenseDocuments
from isthmus.matrices.engines import kept_documents
from isthmus.matrices.protocols import Documents
from isthmus.matrices.threads import run_all

__all__ = ["as_documents", "canonical", "row_block"]


def canonical(X: Any) -> Any:
    """Return a CSR matrix without duplicate entries, or an array; the input is not changed."""
    if not sparse.issparse(X):
        return np.asarray(X)
    X = X.tocsr()
    _check_structure(X)
    # SciPy caches has_canonical_format, even if the caller changed the arrays: check again.
    ranges = _ranges(X)
    blocks = (row_block(X.data, X.indices, X.indptr, *rows, X.shape[1]) for rows in ranges)
    if all(run_all(lambda block: bool(block.has_canonical_format), list(blocks))):
        return X
    fresh = row_block(X.data, X.indices, X.indptr, 0, X.shape[0], X.shape[1]).copy()
    fresh.sum_duplicates()
    return fresh


def _check_structure(X: Any) -> None:
    """Raise ValueError for invalid CSR arrays, which the loops do not check."""
    advice = "rebuild the matrix, or call its check_format() for details."
    pointers, n_stored = X.indptr, min(len(X.data), len(X.indices))
    falling = np.flatnonzero(np.diff(pointers) < 0)
    if len(falling):
        raise ValueError(f"X is invalid because row {falling[0]} ends before it begins: {advice}")
    if pointers[0] != 0 or pointers[-1] > n_stored:
        raise ValueError(
            f"X is invalid because indptr goes from {pointers[0]} to {pointers[-1]} with "
            f"{n_stored} stored entries: {advice}"
        )
    parts = [X.indices[pointers[start] : pointers[stop]] for start, stop in _ranges(X)]
    limits = run_all(lambda part: (part.min(), part.max()), [part for part in parts if len(part)])
    if limits:
        least, most = min(low for low, _ in limits), max(high for _, high in limits)
        if not 0 <= least <= most < X.shape[1]:
            raise ValueError(
                f"X is invalid because it has {X.shape[1]} columns but column indices from "
                f"{least} to {most}: {advice}"
            )


def _ranges(X: Any) -> list[Range]:
    """Ranges of rows that are checked in parallel."""
    return cut_by_nonzeros(X.indptr, chunk_count(int(X.indptr[-1])))


def as_documents(X: Any, rows: slice | NDArray[np.intp] | None = None) -> Documents:
    """Return documents on the CPU for some rows of a canonical matrix.

    Consecutive rows are not copied. A fit gets the same documents for the same rows as long as the
    matrix exists, so that what they keep (norms and sums) is computed once.
    ``current_engine().documents`` does the same on the engine of the current fit.
    """
    kept = kept_documents.get()
    if isinstance(rows, np.ndarray):
        return _new_documents(X[rows], 0, len(rows))
    start, stop, _ = (slice(None) if rows is None else rows).indices(X.shape[0])
    if kept is None:
        return _new_documents(X, start, stop)
    key = id(X), start, stop
    if key not in kept or kept[key][0]() is not X:
        # Not a reference that keeps the matrix: many are copies for a moment.
        forget = partial(_forget, kept, key)
        kept[key] = weakref.ref(X, forget), _new_documents(X, start, stop)
    documents: Documents = kept[key][1]
    return documents


def _forget(kept: dict[Any, Any], key: Any, _: Any) -> None:
    kept.pop(key, None)


def _new_documents(X: Any, start: int, stop: int) -> Documents:
    if sparse.issparse(X):
        return CsrDocuments.from_scipy(X, start, stop)
    return DenseDocuments(X[start:stop])
