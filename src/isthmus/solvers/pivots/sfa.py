"""Spectral feature alignment (Pan et al. 2010): words beside the same pivots fall together.

With the weights ``X`` of all documents, ``M = X_ds' X_di`` (terms that are no pivots x pivots) is
how much a term and a pivot occur together. The eigenvectors of the bipartite graph

``L = D^-1/2 [0 M; M' 0] D^-1/2``  with the degrees ``D`` of terms and pivots

that belong to its largest eigenvalues are the leading singular vectors ``U``, ``V`` of
``N = D_1^-1/2 M D_2^-1/2``, and the eigenvalues its singular values ``s``, none above 1. ``L`` has
a row a term and is never formed: ``N'N`` has one a pivot, and ``U = N V / s``.

The first pair is the square roots of the degrees, with ``s = 1``, whatever the documents say: it
is taken away beforehand, so that no other pair of a graph in several pieces, where ``s = 1`` too,
can be mistaken for it. Where weights may be below zero, which the paper does not foresee, degrees
are sums of absolute values (so that ``s`` is 1 at most), and there is no such pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from isthmus.matrices.threads import one_blas_thread
from isthmus.numerics.eigen import with_fixed_signs
from isthmus.numerics.scaling import inverse_root
from isthmus.numerics.truncated_svd import Rows

# Pivots whose products are made at a time.
_BLOCK = 64
# Terms whose part of a sum is made at a time, in float64.
_ROWS = 8192
# Squared singular values below this are the rounding of float32 products.
_NOTHING = 1e-6


@dataclass(frozen=True)
class Alignment:
    """Leading singular vectors of the normalised co-occurrences, the strongest first."""

    terms: NDArray[Any]
    """``U``: a row a term, of zeros for a pivot and for a term that stands beside none; one column
    of zeros if there is nothing at all."""
    pivots: NDArray[np.float64]
    """``V``: a row a pivot, the other half of the graph's eigenvectors."""
    singular_values: NDArray[np.float64]
    """``s``, between 0 and 1."""


def spectral_alignment(documents: Rows, pivots: NDArray[np.intp], n_components: int) -> Alignment:
    """The ``n_components`` leading vectors of the documents of all domains; fewer if need be."""
    M = cooccurrences(documents, pivots)
    M[pivots] = 0
    term_degrees, pivot_degrees = _degrees(M)
    constant = np.zeros(len(pivots))
    if M.min() >= 0:
        constant = np.sqrt(pivot_degrees / max(pivot_degrees.sum(), np.finfo(float).tiny))
    M *= inverse_root(term_degrees).astype(M.dtype)[:, None]
    scale = inverse_root(pivot_degrees)
    with one_blas_thread():
        gram = _gram(M) * np.outer(scale, scale) - np.outer(constant, constant)
        values, V = eigh(gram)
        kept = np.flatnonzero(values > _NOTHING)[::-1][:n_components]
        if len(kept) == 0:
            return Alignment(
                np.zeros((len(M), 1), M.dtype), np.zeros((len(pivots), 1)), np.zeros(1)
            )
        s, V = np.sqrt(values[kept]), with_fixed_signs(V[:, kept])
        U = M @ (scale[:, None] * V / s).astype(M.dtype)
    return Alignment(U, V, s)


def cooccurrences(documents: Rows, pivots: NDArray[np.intp]) -> NDArray[Any]:
    """``X' X_di``: how much every term stands beside each pivot."""
    n_terms = documents.shape[1]
    products = np.empty((n_terms, len(pivots)), documents.dtype)
    for start in range(0, len(pivots), _BLOCK):
        some = pivots[start : start + _BLOCK]
        choice = np.zeros((n_terms, len(some)), documents.dtype)
        choice[some, np.arange(len(some))] = 1
        products[:, start : start + len(some)] = documents.transposed_times(documents.times(choice))
    return products


def _degrees(M: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    terms, pivots = np.empty(len(M)), np.zeros(M.shape[1])
    for start in range(0, len(M), _ROWS):
        part = np.abs(M[start : start + _ROWS])
        terms[start : start + _ROWS] = part.sum(axis=1, dtype=np.float64)
        pivots += part.sum(axis=0, dtype=np.float64)
    return terms, pivots


def _gram(M: NDArray[Any]) -> NDArray[np.float64]:
    gram = np.zeros((M.shape[1],) * 2)
    for start in range(0, len(M), _ROWS):
        part = M[start : start + _ROWS].astype(np.float64)
        gram += part.T @ part
    return gram
