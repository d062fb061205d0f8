"""Loops over the rows of factors with one row per term, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels.plain.documents import gram_of, normalized_rows

Array = NDArray[Any]


def word_rows(
    clusters: Array,
    profiles: Array,
    products: Array,
    associations: Array,
    weighted: Array,
    anchor: Array,
    pull: Array,
    normalize: bool,
    sums: Array,
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
    clusters[rows] = normalized_rows(moved) if normalize else moved
    profiles[rows] = clusters[rows] @ associations.T
    sums += profiles[rows].T @ clusters[rows]


def cluster_products(clusters: Array, products: Array, sums: Array, start: int, stop: int) -> None:
    sums += products[start:stop].T @ clusters[start:stop]


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


def scale_topics(topics: Array, scale: Array, start: int, stop: int) -> None:
    part = topics[start:stop]
    part *= scale
    part[part <= np.sqrt(np.finfo(topics.dtype).tiny)] = 0
