"""NCut: the relaxed normalized cut of documents (Shi and Malik 2000; Ng, Jordan and Weiss 2002).

The graph has the inner products of different documents as edges: ``A = X X' - diag(X X')``, with
row sums ``D``. The leading eigenvectors of ``D^-1/2 A D^-1/2`` are computed from products with
``X``. (With self-loops it is cheap to cut off single documents that are similar to no other, and in
small domains the cut does just that.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.numerics.affinity import inverse_sqrt_degrees
from isthmus.numerics.eigen import largest_eigenpairs
from isthmus.numerics.truncated_svd import TOLERANCE

# Smaller degrees, relative to the squared norm, and smaller eigenvalues are rounding errors.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Cut:
    """Coordinates that separate the parts of the graph."""

    coordinates: NDArray[np.float64]
    """Unit-norm rows, one per document; zeros for a document that shares no term with another."""
    projection: NDArray[np.float64]
    """Maps a document to its coordinates before scaling to unit norm; one row per term."""
    values: NDArray[np.float64]
    """The eigenvalues, at most 1."""


def normalized_cut(documents: Documents, n_parts: int, start: NDArray[Any]) -> Cut:
    """The ``n_parts`` leading eigenvectors; ``start`` has one number per term.

    The Nyström extension gives new documents ``u(x) = x X' D^-1/2 u / value``, up to a factor per
    document. Eigenvectors with an eigenvalue of 0 or less carry no cluster and are left out.
    """
    squares = documents.row_norms() ** 2
    degrees = documents.times(documents.column_sums()[:, None])[:, 0] - squares
    linked = degrees > _ROUNDING * squares
    scales = inverse_sqrt_degrees(degrees, linked)
    scaled = documents.scaled(rows=scales)
    loops = (scales**2 * squares)[:, None]

    def product(columns: NDArray[Any]) -> NDArray[np.float64]:
        through_terms = scaled.times(scaled.transposed_times(columns))
        return np.asarray(through_terms, np.float64) - loops * columns

    if not linked.any():
        return Cut(np.zeros((len(squares), 1)), np.zeros((documents.shape[1], 1)), np.zeros(1))
    first = np.asarray(scaled.times(np.asarray(start)[:, None]), np.float64)[:, 0]
    tol = TOLERANCE[np.dtype(documents.dtype).name]
    pairs = largest_eigenpairs(product, first, n_parts, tol=tol)
    kept = max(1, int(np.count_nonzero(pairs.values > _ROUNDING)))
    values, vectors = pairs.values[:kept], pairs.vectors[:, :kept]
    projection = np.asarray(scaled.transposed_times(vectors), np.float64) / values
    return Cut(unit_norm_rows(vectors * linked[:, None]), projection, values)


def unit_norm_rows(rows: NDArray[Any]) -> NDArray[Any]:
    """The rows scaled to unit norm; rows of zeros stay zeros."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
