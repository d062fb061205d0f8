"""Spectral feature alignment (Pan et al. 2010): eigenvectors of the graph of terms and pivots.

With the weights ``X`` of all documents, ``M = X_ds' X_di`` (other terms x pivots) measures how
often a term and a pivot occur together. The leading eigenvectors of the bipartite graph

``L = D^-1/2 [0 M; M' 0] D^-1/2``  with the degrees ``D`` of terms and pivots

are the leading singular vectors ``U``, ``V`` of ``N = D_1^-1/2 M D_2^-1/2``. The eigenvalues are
its singular values ``s``, at most 1. ``L`` has one row per term and is never formed: ``N'N`` has
one row per pivot, and ``U = N V / s``.

The first pair of singular vectors is the square roots of the degrees, with ``s = 1``, for any
documents. It is subtracted beforehand, so that it cannot be confused with another pair with
``s = 1`` if the graph is disconnected. With negative weights, which the paper does not consider,
degrees are sums of absolute values (so that ``s`` is at most 1), and there is no such pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from isthmus.matrices.protocols import Array
from isthmus.matrices.threads import one_blas_thread
from isthmus.numerics.derived_documents import inverse_sqrt
from isthmus.numerics.eigen import with_fixed_signs
from isthmus.numerics.truncated_svd import Rows

# Number of pivots whose products are computed at once.
_BLOCK = 64
# Number of terms whose part of a sum is computed at once, in float64.
_ROWS = 8192
# Squared singular values below this are rounding of float32 products.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class SpectralAlignment:
    """Leading singular vectors of the normalized co-occurrences, strongest first."""

    terms: Array
    """``U``: one row per term, on the engine; zeros for pivots and for terms that occur with none.
    One column of zeros if there are no co-occurrences."""
    pivots: NDArray[np.float64]
    """``V``: one row per pivot, the other half of the graph's eigenvectors."""
    singular_values: NDArray[np.float64]
    """``s``, between 0 and 1."""


def spectral_alignment(
    documents: Rows, pivots: NDArray[np.intp], n_components: int
) -> SpectralAlignment:
    """The ``n_components`` leading vectors of the documents, or fewer if the rank is lower."""
    engine, xp = documents.engine, documents.engine.xp
    M = cooccurrences(documents, pivots)
    M[engine.asarray(pivots)] = 0
    term_degrees, pivot_degrees = _degrees(M, xp)
    degrees = engine.to_host(pivot_degrees)
    constant = np.zeros(len(pivots))
    if float(M.min()) >= 0:
        constant = np.sqrt(degrees / max(degrees.sum(), np.finfo(float).tiny))
    filled = term_degrees > 0
    term_scale = xp.where(filled, xp.where(filled, term_degrees, 1.0) ** -0.5, 0.0)
    M *= term_scale.astype(M.dtype)[:, None]
    scale = inverse_sqrt(degrees)
    with one_blas_thread():
        gram = engine.to_host(_gram(M, xp)) * np.outer(scale, scale) - np.outer(constant, constant)
        values, V = eigh(gram)
    kept = np.flatnonzero(values > _ROUNDING)[::-1][:n_components]
    if len(kept) == 0:
        no_terms = xp.zeros((len(M), 1), M.dtype)
        return SpectralAlignment(no_terms, np.zeros((len(pivots), 1)), np.zeros(1))
    s, V = np.sqrt(values[kept]), with_fixed_signs(V[:, kept])
    return SpectralAlignment(engine.product(M, scale[:, None] * V / s), V, s)


def cooccurrences(documents: Rows, pivots: NDArray[np.intp]) -> Array:
    """``X' X_di``: how often every term occurs with each pivot."""
    engine, xp, n_terms = documents.engine, documents.engine.xp, documents.shape[1]
    products = xp.empty((n_terms, len(pivots)), documents.dtype)
    for start in range(0, len(pivots), _BLOCK):
        block = engine.asarray(pivots[start : start + _BLOCK])
        selection = xp.zeros((n_terms, len(block)), documents.dtype)
        selection[block, xp.arange(len(block))] = 1
        columns = documents.transposed_times(documents.times(selection))
        products[:, start : start + len(block)] = columns
    return products


def _degrees(M: Array, xp: Any) -> tuple[Array, Array]:
    terms, pivots = xp.empty(len(M)), xp.zeros(M.shape[1])
    for start in range(0, len(M), _ROWS):
        part = xp.abs(M[start : start + _ROWS])
        terms[start : start + _ROWS] = part.sum(axis=1, dtype=np.float64)
        pivots += part.sum(axis=0, dtype=np.float64)
    return terms, pivots


def _gram(M: Array, xp: Any) -> Array:
    gram = xp.zeros((M.shape[1],) * 2)
    for start in range(0, len(M), _ROWS):
        part = M[start : start + _ROWS].astype(np.float64)
        gram += part.T @ part
    return gram
