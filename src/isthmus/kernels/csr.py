"""Loops over the rows of a CSR matrix.

A matrix arrives as its three arrays and a scale for every row. ``indptr`` need not begin at
zero, so a block of rows is passed as a slice of ``indptr`` with the arrays untouched.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from isthmus.kernels.compiled import compiled

Array = Any


@compiled
def times(
    data: Array,
    indices: Array,
    indptr: Array,
    row_scale: Array,
    right: Array,
    out: Array,
    start: int,
    stop: int,
) -> None:
    """``out[i] = row_scale[i] * (x_i @ right)``."""
    n_columns = right.shape[1]
    for i in range(start, stop):
        for z in range(n_columns):
            out[i, z] = 0
        for p in range(indptr[i], indptr[i + 1]):
            value = data[p] * row_scale[i]
            j = indices[p]
            for z in range(n_columns):
                out[i, z] += value * right[j, z]


@compiled
def scatter(
    data: Array,
    indices: Array,
    indptr: Array,
    row_scale: Array,
    left: Array,
    accumulator: Array,
    start: int,
    stop: int,
) -> None:
    """``accumulator += sum_i row_scale[i] * outer(x_i, left[i])``: a part of ``X.T @ left``."""
    n_columns = left.shape[1]
    for i in range(start, stop):
        for p in range(indptr[i], indptr[i + 1]):
            value = data[p] * row_scale[i]
            j = indices[p]
            for z in range(n_columns):
                accumulator[j, z] += value * left[i, z]


@compiled
def membership_rows(
    data: Array,
    indices: Array,
    indptr: Array,
    row_scale: Array,
    profiles: Array,
    gram: Array,
    memberships: Array,
    anchor: Array,
    pull: Array,
    fixed: Array,
    normalise: bool,
    out: Array,
    accumulator: Array,
    start: int,
    stop: int,
) -> None:
    """The fused row pass: product, multiplicative update, scatter of the new row.

    ``g <- g * sqrt((x @ profiles + pull * anchor) / (g @ gram + pull * g))``, rows optionally
    divided by their sum; rows marked ``fixed`` only take part in the scatter. A share so small
    that its square is not a normal number becomes zero: arithmetic on such numbers is slow.
    """
    n_classes = profiles.shape[1]
    floor = np.finfo(out.dtype).tiny
    smallest = math.sqrt(floor)
    numerator = np.empty(n_classes, out.dtype)
    for i in range(start, stop):
        if fixed[i]:
            for z in range(n_classes):
                out[i, z] = memberships[i, z]
        else:
            for z in range(n_classes):
                numerator[z] = pull[i] * anchor[i, z]
            for p in range(indptr[i], indptr[i + 1]):
                value = data[p] * row_scale[i]
                j = indices[p]
                for z in range(n_classes):
                    numerator[z] += value * profiles[j, z]
            total = pull[i] * 0
            for z in range(n_classes):
                denominator = pull[i] * memberships[i, z]
                for y in range(n_classes):
                    denominator += memberships[i, y] * gram[y, z]
                updated = memberships[i, z] * math.sqrt(numerator[z] / max(denominator, floor))
                out[i, z] = updated
                total += updated
            if normalise and total > 0:
                for z in range(n_classes):
                    share = out[i, z] / total
                    out[i, z] = share if share > smallest else 0
        for p in range(indptr[i], indptr[i + 1]):
            value = data[p] * row_scale[i]
            j = indices[p]
            for z in range(n_classes):
                accumulator[j, z] += value * out[i, z]


@compiled
def topic_ratios(
    data: Array,
    indices: Array,
    indptr: Array,
    row_scale: Array,
    column_scale: Array,
    mixtures: Array,
    topics: Array,
    ratios: Array,
    start: int,
    stop: int,
) -> float:
    """``x_ij / (mixtures @ topics.T)_ij`` at the non-zeros of some rows, in their order.

    Returns ``sum x_ij log(mixtures @ topics.T)_ij``. The products with these ratios are loops of
    their own: together in one loop they do not become vector code (measured: 86 ns a non-zero
    with 50 topics in one loop, 37 in three).
    """
    n_topics = mixtures.shape[1]
    log_likelihood = 0.0
    first = indptr[start]
    for i in range(start, stop):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            value = data[p] * row_scale[i] * column_scale[j]
            expected = value * 0
            for z in range(n_topics):
                expected += mixtures[i, z] * topics[j, z]
            if value > 0 and expected > 0:
                log_likelihood += value * math.log(expected)
                ratios[p - first] = value / expected
            else:
                ratios[p - first] = 0
    return log_likelihood


@compiled
def row_moments(
    data: Array,
    indices: Array,
    indptr: Array,
    row_scale: Array,
    column_scale: Array,
    sums: Array,
    squares: Array,
    start: int,
    stop: int,
) -> None:
    """Sum and sum of squares of every row, gathered in the precision of the outputs."""
    for i in range(start, stop):
        total = 0.0
        square = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            value = float(data[p]) * row_scale[i] * column_scale[indices[p]]
            total += value
            square += value * value
        sums[i] = total
        squares[i] = square
