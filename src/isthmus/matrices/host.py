"""The engine of the local processor: NumPy arrays and compiled factor updates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels.factors import word_rows
from isthmus.matrices.chunks import chunk_count, cut_evenly, run_chunks
from isthmus.matrices.protocols import Array


class HostEngine:
    """Dense factors as NumPy arrays."""

    xp: Any = np

    def word_step(
        self,
        clusters: Array,
        products: Array,
        associations: Array,
        gram: Array,
        *,
        normalise: bool = True,
    ) -> NDArray[Any]:
        clusters = np.ascontiguousarray(clusters)
        across = np.ascontiguousarray(associations.T, clusters.dtype)
        weighted = np.ascontiguousarray(gram @ across, clusters.dtype)
        products = np.ascontiguousarray(products, clusters.dtype)
        out = np.empty_like(clusters)
        n_terms, n_clusters = clusters.shape
        ranges = cut_evenly(n_terms, chunk_count(n_terms * n_clusters * across.shape[0]))
        run_chunks(
            lambda _, rows: word_rows(clusters, products, across, weighted, normalise, out, *rows),
            ranges,
        )
        return out

    def multiplied(self, factor: Array, numerator: Array, denominator: Array) -> NDArray[Any]:
        floor = np.finfo(factor.dtype).tiny
        return np.asarray(factor * np.sqrt(numerator / np.maximum(denominator, floor)))

    def normalised_rows(self, factor: Array) -> NDArray[Any]:
        totals = factor.sum(axis=1, keepdims=True)
        shares = np.divide(factor, totals, out=np.zeros_like(factor), where=totals > 0)
        return self.without_dust(shares)

    def without_dust(self, factor: Array) -> NDArray[Any]:
        factor[factor < np.sqrt(np.finfo(factor.dtype).tiny)] = 0
        return factor

    def to_host(self, array: Array) -> NDArray[Any]:
        return np.asarray(array)
