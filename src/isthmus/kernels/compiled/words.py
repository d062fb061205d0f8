"""Compiled loops over the rows of factors with one row per term."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from isthmus.kernels.compiled.jit_loop import loop
from isthmus.kernels.compiled.row_operations import (
    add_scaled,
    column_count,
    dot,
    rescale,
    row_times,
    times_root,
)


@loop(
    "new table", "new table", "table", "table", "table", "table", "row", "flag", "new table",
    "number", "number",
)  # fmt: skip
def word_rows(size: int) -> Callable[..., None]:
    def rows(
        clusters,
        profiles,
        products,
        associations,
        weighted,
        anchor,
        pull,
        normalize,
        sums,
        start,
        stop,
    ):
        n_classes = products.shape[1]
        floor = np.finfo(clusters.dtype).tiny
        smallest = math.sqrt(floor)
        width: int = column_count(clusters, size)
        numerator = np.empty((1, width), clusters.dtype)
        denominator = np.empty((1, width), clusters.dtype)
        ones = np.ones((1, width), clusters.dtype)
        for j in range(start, stop):
            occurs = pull[j] > 0
            for y in range(n_classes):
                occurs |= products[j, y] > 0
            if not occurs:  # a term that does not occur in the domain
                for z in range(width):
                    clusters[j, z] = 0
                for y in range(n_classes):
                    profiles[j, y] = 0
                continue
            row_times(products, j, n_classes, associations, numerator, 0, size)
            row_times(profiles, j, n_classes, weighted, denominator, 0, size)
            if pull[j] > 0:
                for z in range(width):
                    numerator[0, z] += anchor[j, z]
                    denominator[0, z] += pull[j] * clusters[j, z]
            times_root(clusters, j, numerator, denominator, floor, size)
            if normalize:
                total = dot(clusters, j, ones, 0, size)
                if total > 0:
                    rescale(clusters, j, 1 / total, smallest, size)
            for y in range(n_classes):
                profile = dot(clusters, j, associations, y, size)
                profiles[j, y] = profile
                add_scaled(profile, clusters, j, sums, y, size)

    return rows


@loop("table", "table", "new table", "number", "number")
def cluster_products(size: int) -> Callable[..., None]:
    def rows(clusters, products, sums, start, stop):
        for j in range(start, stop):
            for y in range(products.shape[1]):
                if products[j, y] > 0:
                    add_scaled(products[j, y], clusters, j, sums, y, size)

    return rows


@loop("table", "table", "table", "new table", "table of sums", "number", "number")
def profile_rows(size: int) -> Callable[..., float]:
    def rows(clusters, associations, products, profiles, gram, start, stop):
        n_classes = products.shape[1]
        overlap = 0.0
        for j in range(start, stop):
            for y in range(n_classes):
                profiles[j, y] = dot(clusters, j, associations, y, size)
                overlap += np.float64(profiles[j, y]) * products[j, y]
                for z in range(y + 1):
                    gram[y, z] += np.float64(profiles[j, y]) * profiles[j, z]
        return overlap

    return rows


@loop("new table", "table", "table of sums", "number", "number")
def topic_counts(_: int) -> Callable[..., None]:
    def rows(topics, word_side, totals, start, stop):
        width = topics.shape[1]
        for j in range(start, stop):
            for z in range(width):
                topics[j, z] *= word_side[j, z]
                totals[0, z] += topics[j, z]

    return rows


@loop("new table", "table", "number", "number")
def scale_topics(_: int) -> Callable[..., None]:
    def rows(topics, scale, start, stop):
        width = topics.shape[1]
        smallest = math.sqrt(np.finfo(topics.dtype).tiny)
        for j in range(start, stop):
            for z in range(width):
                scaled = topics[j, z] * scale[0, z]
                topics[j, z] = scaled if scaled > smallest else 0

    return rows
