"""Loops over the rows of the word factors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from isthmus.kernels.compiled import compiled

Array = Any


@compiled
def word_rows(
    clusters: Array,
    products: Array,
    associations: Array,
    weighted: Array,
    normalise: bool,
    out: Array,
    start: int,
    stop: int,
) -> None:
    """One pass over the word clusters: numerator, denominator, root and row sum, no temporaries.

    ``f <- f * sqrt((products @ S.T) / (f @ S @ G.T @ G @ S.T))``, with ``associations = S.T`` and
    ``weighted = G.T @ G @ S.T``.
    Shares whose square is not a normal number become zero, as in the row pass of the documents.
    """
    n_clusters = clusters.shape[1]
    n_classes = associations.shape[0]
    floor = np.finfo(out.dtype).tiny
    smallest = math.sqrt(floor)
    # The long side, the clusters, is always the inner loop, so that it becomes vector code.
    row = np.empty(n_clusters, out.dtype)
    numerator = np.empty(n_clusters, out.dtype)
    denominator = np.empty(n_clusters, out.dtype)
    for j in range(start, stop):
        for z in range(n_clusters):
            row[z] = clusters[j, z]
            numerator[z] = 0
            denominator[z] = floor
        for y in range(n_classes):
            profile = row[0] * 0
            for z in range(n_clusters):
                profile += row[z] * associations[y, z]
            product = products[j, y]
            for z in range(n_clusters):
                numerator[z] += product * associations[y, z]
            for z in range(n_clusters):
                denominator[z] += profile * weighted[y, z]
        total = row[0] * 0
        for z in range(n_clusters):
            row[z] *= math.sqrt(numerator[z] / denominator[z])
            total += row[z]
        scale = 1 / total if normalise and total > 0 else 1
        least = smallest if normalise else 0
        for z in range(n_clusters):
            share = row[z] * scale
            out[j, z] = share if share > least else 0
