"""Loops over the rows of factors with one row per term, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels.plain.documents import gram_of, shares

Array = NDArray[Any]


def word_rows(
    clusters: Array,
    profiles: Array,
    products: Array,
    associations: Array,
    weighted: Array,
    anchor: Array,
    pull: Array,
    normalise: bool,
    use: Array,
    start: int,
    stop: int,
) -> None:
    rows = slice(start, stop)
    numerator = products[rows] @ associations
    denominator = profiles[rows] @ weighted + np.finfo(clusters.dtype).tiny
    if pull[rows].any():
        strength = pull[rows, None]
        numerator += np.where(strength > 0, anchor[rows], 0)
        denominator += strength * clusters[rows]
    moved = clusters[rows] * np.sqrt(numerator / denominator)
    clusters[rows] = shares(moved) if normalise else moved
    profiles[rows] = clusters[rows] @ associations.T
    use += profiles[rows].T @ clusters[rows]


def word_use(clusters: Array, products: Array, use: Array, start: int, stop: int) -> None:
    use += products[start:stop].T @ clusters[start:stop]


def profile_rows(
    clusters: Array,
    associations: Array,
    products: Array,
    profiles: Array,
    gram: Array,
    start: int,
    stop: int,
) -> float:
    rows = slice(start, stop)
    profiles[rows] = clusters[rows] @ associations.T
    gram += np.tril(gram_of(profiles[rows]))
    return float(np.einsum("jy,jy->", profiles[rows], products[rows], dtype=np.float64))


def topic_counts(topics: Array, word_side: Array, totals: Array, start: int, stop: int) -> None:
    topics[start:stop] *= word_side[start:stop]
    totals += topics[start:stop].sum(axis=0, dtype=np.float64)


def topic_shares(topics: Array, scale: Array, start: int, stop: int) -> None:
    part = topics[start:stop]
    part *= scale
    part[part <= np.sqrt(np.finfo(topics.dtype).tiny)] = 0
