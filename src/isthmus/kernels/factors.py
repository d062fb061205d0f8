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

    ``f <- f * sqrt((products @ S.T) / (f @ S @ G.T @ G @ S.T))`` with ``weighted = S @ G.T @ G``.
    Shares whose square is not a normal number become zero, as in the row pass of the documents.
    """
    n_clusters = clusters.shape[1]
    n_classes = associations.shape[1]
    floor = np.finfo(out.dtype).tiny
    smallest = math.sqrt(floor)
    profile = np.empty(n_classes, out.dtype)
    for j in range(start, stop):
        for y in range(n_classes):
            profile[y] = 0
        for z in range(n_clusters):
            for y in range(n_classes):
                profile[y] += clusters[j, z] * associations[z, y]
        total = profile[0] * 0
        for z in range(n_clusters):
            numerator = profile[0] * 0
            denominator = profile[0] * 0
            for y in range(n_classes):
                numerator += products[j, y] * associations[z, y]
                denominator += profile[y] * weighted[z, y]
            updated = clusters[j, z] * math.sqrt(numerator / max(denominator, floor))
            out[j, z] = updated
            total += updated
        if normalise and total > 0:
            for z in range(n_clusters):
                share = out[j, z] / total
                out[j, z] = share if share > smallest else 0
