"""Leading singular directions of documents, centered or not, without forming ``X'X``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.numerics.eigen import largest_eigenpairs

# Squared singular values below this part of the largest one are rounding errors.
_NEGLIGIBLE = 1e-10
#: Relative tolerance of eigenvectors; products in float32 do not allow more.
TOLERANCE = {"float64": 1e-8, "float32": 1e-4}


@dataclass(frozen=True)
class Principal:
    """Right singular vectors of the documents in float64, by falling singular value."""

    directions: NDArray[np.float64]
    """One row per term and one column per direction; a column of zeros if there is none."""
    squares: NDArray[np.float64]
    """Their squared singular values."""
    mean: NDArray[np.float64]
    """The vector that was subtracted from every document: the mean, or zeros."""
    total: float
    """Sum of the squared singular values of all directions."""


def principal_directions(
    documents: Documents, n_directions: int, start: NDArray[Any], *, centered: bool = False
) -> Principal:
    """The leading directions by Lanczos iteration from the vector ``start``, one number per term.

    The eigenproblem has the size of the shorter axis, documents or terms. Centering is a
    correction of rank one, so sparse documents stay sparse. Fewer directions are returned if the
    matrix has a lower rank.
    """
    n_rows, n_terms = documents.shape
    sums = documents.column_sums() if centered else np.zeros(n_terms)
    mean = sums / n_rows

    def times(right: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(documents.times(right), np.float64) - mean @ right

    def transposed_times(left: NDArray[Any]) -> NDArray[np.float64]:
        product = np.asarray(documents.transposed_times(left), np.float64)
        return product - np.outer(mean, left.sum(axis=0))

    total = max(documents.squared_norm() - n_rows * float(mean @ mean), 0.0)
    if total <= _NEGLIGIBLE * documents.squared_norm():
        return Principal(np.zeros((n_terms, 1)), np.zeros(1), mean, 0.0)
    column = times(np.asarray(start, np.float64)[:, None])
    by_document = n_rows < n_terms
    pairs = largest_eigenpairs(
        (lambda left: times(transposed_times(left)))
        if by_document
        else (lambda right: transposed_times(times(right))),
        (column if by_document else transposed_times(column))[:, 0],
        n_directions,
        tol=TOLERANCE[np.dtype(documents.dtype).name],
    )
    n_kept = max(1, int(np.count_nonzero(pairs.values > _NEGLIGIBLE * pairs.values[0])))
    vectors = pairs.vectors[:, :n_kept]
    if by_document:
        vectors = transposed_times(vectors)
        vectors /= np.linalg.norm(vectors, axis=0)
    return Principal(vectors, pairs.values[:n_kept], mean, total)
