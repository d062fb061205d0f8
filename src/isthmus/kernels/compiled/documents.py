"""Compiled loops over the rows of a CSR matrix.

A matrix is passed as its three arrays and a scale for every row. ``indptr`` need not begin at zero,
so a block of rows is passed as a slice of ``indptr`` with the complete arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numba
import numpy as np

from isthmus.kernels.compiled.jit_loop import loop
from isthmus.kernels.compiled.row_operations import (
    column_count,
    gather,
    row_times,
    sample,
    scaled_row,
    scatter,
)

# Rows that a fused pass processes per phase: few enough to stay in the cache, and enough to overlap
# the phases.
_TILE = 64
_CSR = ("row", "indices", "pointers", "row")


@numba.njit(inline="always")
def _first_not_below(indices, begin, end, term):
    """Return the first position in a sorted row with a column of at least ``term``."""
    while begin < end:
        middle = (begin + end) >> 1
        if indices[middle] < term:
            begin = middle + 1
        else:
            end = middle
    return begin


@loop(*_CSR, "table", "new table", "number", "number")
def times(size: int) -> Callable[..., None]:
    def rows(data, indices, indptr, row_scale, right, out, start, stop):
        for i in range(start, stop):
            gather(data, indices, indptr[i], indptr[i + 1], right, row_scale[i], out, i, size)

    return rows


@loop(*_CSR, "table", "new table", "number", "number", "number", "number")
def scattered(size: int) -> Callable[..., None]:
    def rows(data, indices, indptr, row_scale, left, out, start, stop, lowest, above):
        scaled = np.empty((1, column_count(left, size)), out.dtype)
        for i in range(start, stop):
            begin, end = indptr[i], indptr[i + 1]
            if lowest > 0:
                begin = _first_not_below(indices, begin, end, lowest)
            if above < out.shape[0]:
                end = _first_not_below(indices, begin, end, above)
            scaled_row(row_scale[i], left, i, scaled, 0, size)
            scatter(data, indices, begin, end, scaled, 0, out, size)

    return rows


@loop(
    *_CSR, "table", "table", "new table", "table", "row", "marks", "flag",
    "new table", "table of sums", "number", "number",
)  # fmt: skip
def membership_rows(size: int) -> Callable[..., int]:
    def rows(
        data,
        indices,
        indptr,
        row_scale,
        profiles,
        gram,
        memberships,
        anchor,
        pull,
        fixed,
        normalize,
        accumulator,
        new_gram,
        start,
        stop,
    ):
        floor = np.finfo(memberships.dtype).tiny
        smallest = math.sqrt(floor)
        width: int = column_count(memberships, size)
        numerators = np.empty((_TILE, width), memberships.dtype)
        denominator = np.empty((1, width), memberships.dtype)
        changed = 0
        for first in range(start, stop, _TILE):
            last = min(stop, first + _TILE)
            for i in range(first, last):
                if not fixed[i]:
                    begin, end, scale = indptr[i], indptr[i + 1], row_scale[i]
                    gather(data, indices, begin, end, profiles, scale, numerators, i - first, size)
            for i in range(first, last):
                scale, row = row_scale[i], i - first
                if not fixed[i]:
                    row_times(memberships, i, width, gram, denominator, 0, size)
                    before = 0
                    for z in range(width):
                        if memberships[i, z] > memberships[i, before]:
                            before = z
                    if pull[i] > 0:
                        for z in range(width):
                            numerators[row, z] += pull[i] * anchor[i, z]
                            denominator[0, z] += pull[i] * memberships[i, z]
                    total = scale * 0
                    for z in range(width):
                        ratio = numerators[row, z] / max(denominator[0, z], floor)
                        memberships[i, z] *= math.sqrt(ratio)
                        total += memberships[i, z]
                    if normalize:
                        divided = 1 / total if total > 0 else total * 0
                        for z in range(width):
                            proportion = memberships[i, z] * divided
                            memberships[i, z] = proportion if proportion > smallest else 0
                    now = 0
                    for z in range(width):
                        if memberships[i, z] > memberships[i, now]:
                            now = z
                    changed += now != before
                for z in range(width):
                    numerators[row, z] = memberships[i, z] * scale
                    for y in range(z + 1):
                        new_gram[z, y] += np.float64(memberships[i, z]) * memberships[i, y]
            for i in range(first, last):
                begin, end = indptr[i], indptr[i + 1]
                scatter(data, indices, begin, end, numerators, i - first, accumulator, size)
        return changed

    return rows


@loop(
    *_CSR, "row", "table", "table", "new row", "new row", "new table", "number", "number",
)  # fmt: skip
def topic_rows(size: int) -> Callable[..., None]:
    def rows(
        data,
        indices,
        indptr,
        row_scale,
        column_scale,
        mixtures,
        topics,
        expected,
        ratios,
        out,
        start,
        stop,
    ):
        width: int = column_count(topics, size)
        first = indptr[start]
        smallest = math.sqrt(np.finfo(out.dtype).tiny)
        for i in range(start, stop):
            begin, end = indptr[i], indptr[i + 1]
            length = end - begin
            columns = indices[begin:end]
            values = expected[begin - first : end - first]
            row_ratios = ratios[begin - first : end - first]
            sample(columns, 0, length, topics, mixtures, i, values, size)
            for p in range(length):
                value = data[begin + p] * row_scale[i] * column_scale[columns[p]]
                if value > 0 and values[p] > 0:
                    row_ratios[p] = value / values[p]
                else:
                    row_ratios[p] = 0
                    values[p] = 1
            one, total = row_scale[i] * 0 + 1, row_scale[i] * 0
            gather(row_ratios, columns, 0, length, topics, one, out, i - start, size)
            for z in range(width):
                out[i - start, z] *= mixtures[i, z]
                total += out[i - start, z]
            for z in range(width):
                proportion = out[i - start, z] / total
                out[i - start, z] = proportion if proportion > smallest else 0

    return rows


@loop(*_CSR, "row", "sums", "sums", "number", "number")
def row_moments(_: int) -> Callable[..., None]:
    def rows(data, indices, indptr, row_scale, column_scale, sums, squares, start, stop):
        for i in range(start, stop):
            total = 0.0
            square = 0.0
            for p in range(indptr[i], indptr[i + 1]):
                value = np.float64(data[p]) * row_scale[i] * column_scale[indices[p]]
                total += value
                square += value * value
            sums[i] = total
            squares[i] = square

    return rows
