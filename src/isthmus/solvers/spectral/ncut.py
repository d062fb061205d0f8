"""The relaxed normalised cut of documents (Shi and Malik 2000; Ng, Jordan and Weiss 2002).

The graph has the inner products of documents as its edges, and no edge from a document to itself:
``A = X X' - diag(X X')``, with row sums ``D``. The leading eigenvectors of ``D^-1/2 A D^-1/2`` come
from products with ``X`` alone. (With edges to themselves, documents that have little in common with
any other are cheap to cut off one by one, and in small domains that is what the cut then does.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.numerics.affinity import inverse_roots
from isthmus.numerics.eigen import largest_eigenpairs
from isthmus.numerics.principal import TOLERANCE

# Degrees and eigenvalues up to this, against 1 for a document and for the first, are rounding.
_NOTHING = 1e-6


@dataclass(frozen=True)
class Cut:
    """Coordinates in which the parts of the graph lie apart."""

    coordinates: NDArray[np.float64]
    """A row a document, scaled to length 1; zeros for one that shares no term with another."""
    projection: NDArray[np.float64]
    """A row a term: leads from a document to its coordinates, but for their length."""
    values: NDArray[np.float64]
    """The eigenvalues, 1 and below."""


def normalized_cut(documents: Documents, n_parts: int, start: NDArray[Any]) -> Cut:
    """As many leading eigenvectors as parts, from a start with a number a term.

    New documents follow by Nystrom's extension: ``u(x) = x X' D^-1/2 u / value``, up to a factor of
    the document's own. Eigenvectors whose value is not above 0 hold no part together: left out.
    """
    own = documents.row_norms() ** 2
    degrees = documents.times(documents.column_sums()[:, None])[:, 0] - own
    linked = degrees > _NOTHING * own
    scales = inverse_roots(degrees, linked)
    scaled = documents.scaled(rows=scales)
    loops = (scales**2 * own)[:, None]

    def product(columns: NDArray[Any]) -> NDArray[np.float64]:
        through_terms = scaled.times(scaled.transposed_times(columns))
        return np.asarray(through_terms, np.float64) - loops * columns

    if not linked.any():
        return Cut(np.zeros((len(own), 1)), np.zeros((documents.shape[1], 1)), np.zeros(1))
    first = np.asarray(scaled.times(np.asarray(start)[:, None]), np.float64)[:, 0]
    tol = TOLERANCE[np.dtype(documents.dtype).name]
    pairs = largest_eigenpairs(product, first, n_parts, tol=tol)
    kept = max(1, int(np.count_nonzero(pairs.values > _NOTHING)))
    values, vectors = pairs.values[:kept], pairs.vectors[:, :kept]
    projection = np.asarray(scaled.transposed_times(vectors), np.float64) / values
    return Cut(unit_length(vectors * linked[:, None]), projection, values)


def unit_length(rows: NDArray[Any]) -> NDArray[Any]:
    """Rows of length 1; those of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
