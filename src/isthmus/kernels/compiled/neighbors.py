"""Nearest rows by cosine similarity, through the rows that share a term."""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np

from isthmus.kernels.compiled.jit_loop import loop

# Rows whose nearest rows are searched in one tile before the next tile is read.
_BLOCK = 256
# Scores that are compared at a time.
_LANES = 16


@numba.njit(inline="always")
def _insert(heap, values, code, value):
    """Replace the smallest code of the heap, if the new one is larger."""
    size = len(heap)
    if size == 0 or code <= heap[0]:
        return
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= code:
            break
        heap[place], values[place] = heap[child], values[child]
        place = child
    heap[place], values[place] = code, value


@numba.njit(inline="always")
def _add_column(scores, value, column):
    for j in range(len(column)):
        scores[j] += value * column[j]


@numba.njit(inline="always")
def _any_above(scores, threshold):
    # A sum of comparisons is compiled to vector instructions, a loop with an exit is not.
    n_above = 0
    for j in range(_LANES):
        n_above += scores[j] > threshold
    return n_above > 0


@numba.njit(inline="always")
def _lowest_rank(heap, steps):
    """Return the lowest rank that can enter the heap."""
    if len(heap) == 0:
        return np.int64(2**40)
    return steps[1] if heap[0] < 0 else heap[0] // steps[2] + steps[1] - 1


@numba.njit(inline="always")
def _limits(heap, across_heap, steps, number):
    """Return the lowest rank that can enter a heap, and a product that is below this rank."""
    lowest = min(_lowest_rank(heap, steps), _lowest_rank(across_heap, steps))
    # A whole rank less, because the rank is rounded and so is the product.
    return lowest, type(number)((lowest - 1) / steps[0])


@numba.njit(inline="always")
def _write(heap, values, n_rows, neighbors, similarities):
    """Write the rows of a heap in the order of decreasing similarity."""
    order = np.argsort(heap)
    for place in range(len(heap)):
        best = order[len(heap) - 1 - place]
        if heap[best] < 0:
            neighbors[place] = -1
            similarities[place] = 0
        else:
            neighbors[place] = n_rows - 1 - heap[best] % n_rows
            similarities[place] = values[best]


@loop(
    "row", "indices", "pointers", "pointers", "row", "indices", "pointers", "pointers", "table",
    "pointers", "new places", "new table", "new places", "new table", "number", "number",
)  # fmt: skip
def nearest_rows(_: int) -> Callable[..., None]:
    def rows(
        data,
        indices,
        indptr,
        kinds,
        columns,
        rows_of_columns,
        starts_of_columns,
        dense_number,
        dense_columns,
        steps,
        neighbors,
        similarities,
        across,
        across_similarities,
        start,
        stop,
    ):
        resolution, least, n_rows, tile = steps[0], steps[1], steps[2], steps[3]
        n_terms, n_tiles = len(dense_number), (n_rows + tile - 1) // tile
        scores = np.zeros(tile + _LANES, data.dtype)
        heaps = np.empty((_BLOCK, neighbors.shape[1]), np.int64)
        values = np.empty(heaps.shape, data.dtype)
        across_heaps = np.empty((_BLOCK, across.shape[1]), np.int64)
        across_values = np.empty(across_heaps.shape, data.dtype)
        for first in range(start, stop, _BLOCK):
            last = min(stop, first + _BLOCK)
            heaps[:] = -1
            across_heaps[:] = -1
            for t in range(n_tiles):
                base = t * tile
                size = min(tile, n_rows - base)
                for i in range(first, last):
                    # The terms of a row are added in their order, so that the sums do not depend on
                    # the tiles and on which columns are dense.
                    for entry in range(indptr[i], indptr[i + 1]):
                        term, value = indices[entry], data[entry]
                        dense = dense_number[term]
                        if dense >= 0:
                            _add_column(scores, value, dense_columns[dense, base : base + size])
                        else:
                            place = t * n_terms + term
                            for p in range(starts_of_columns[place], starts_of_columns[place + 1]):
                                scores[np.uint64(rows_of_columns[p] - base)] += value * columns[p]
                    heap, across_heap = heaps[i - first], across_heaps[i - first]
                    lowest, threshold = _limits(heap, across_heap, steps, scores.dtype.type(0))
                    for j0 in range(0, size, _LANES):
                        if not _any_above(scores[j0 : j0 + _LANES], threshold):
                            continue
                        for j in range(j0, min(j0 + _LANES, size)):
                            if scores[j] <= threshold or base + j == i:
                                continue
                            rank = np.int64(np.rint(scores[j] * resolution))
                            if rank < lowest:
                                continue
                            # Ties are broken by the lower row number.
                            code = (rank - least + 1) * n_rows + (n_rows - 1 - base - j)
                            _insert(heap, values[i - first], code, scores[j])
                            if kinds[base + j] != kinds[i]:
                                _insert(across_heap, across_values[i - first], code, scores[j])
                        lowest, threshold = _limits(heap, across_heap, steps, threshold)
                    scores[:] = 0
            for i in range(first, last):
                _write(heaps[i - first], values[i - first], n_rows, neighbors[i], similarities[i])
                _write(
                    across_heaps[i - first],
                    across_values[i - first],
                    n_rows,
                    across[i],
                    across_similarities[i],
                )

    return rows
