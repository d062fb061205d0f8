"""Nearest rows by cosine similarity, through the rows that share a term."""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np

from isthmus.kernels.compiled.jit_loop import loop


@numba.njit(inline="always")
def _sift(heap, code, size):
    """Replace the smallest code of the heap."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= code:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = code


@loop(
    "row", "indices", "pointers", "pointers", "row", "indices", "pointers", "pointers",
    "new places", "new table", "number", "number",
)  # fmt: skip
def nearest_rows(width: int) -> Callable[..., None]:
    def rows(
        data,
        indices,
        indptr,
        own,
        columns,
        rows_of_columns,
        starts_of_columns,
        steps,
        neighbors,
        similarities,
        start,
        stop,
    ):
        k, least, n_searched = neighbors.shape[1], steps[1], steps[2]
        scores = np.zeros(n_searched, data.dtype)
        heap = np.empty(k, np.int64)
        for i in range(start, stop):
            for entry in range(indptr[i], indptr[i + 1]):
                term, value = indices[entry], data[entry]
                for other in range(starts_of_columns[term], starts_of_columns[term + 1]):
                    scores[rows_of_columns[other]] += value * columns[other]
            heap[:] = -1
            for j in range(n_searched):
                if (scores[j] == 0 and least > 0) or j == own[i]:
                    continue
                rank = np.int64(np.rint(scores[j] * steps[0]))
                if rank < least:
                    continue
                # Ties are broken by the lower row number.
                code = (rank - least + 1) * n_searched + (n_searched - 1 - j)
                if code > heap[0]:
                    _sift(heap, code, k)
            heap.sort()
            for place in range(k):
                code = heap[k - 1 - place]
                if code < 0:
                    neighbors[i, place] = -1
                    similarities[i, place] = 0
                else:
                    j = n_searched - 1 - code % n_searched
                    neighbors[i, place] = j
                    similarities[i, place] = scores[j]
            scores[:] = 0

    return rows
