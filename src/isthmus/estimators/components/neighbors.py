"""The graph of the documents that are most alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.matrices.conversion import as_documents
from isthmus.matrices.neighbours import nearest_rows
from isthmus.matrices.rows import with_unit_rows


def neighbour_graph(
    X: Any,
    n_neighbors: int,
    *,
    signed: bool,
    with_self: bool,
    other_side: tuple[NDArray[np.bool_], float] | None = None,
) -> Any:
    """Cosines between every document and those most like it, as a symmetric CSR matrix.

    A pair is kept if either is among the neighbours of the other. ``signed`` makes a cosine
    (1 + cosine) / 2. ``other_side`` says which rows are of one side, and how many more, as a share
    of ``n_neighbors``, are searched for on the other. Every pair is looked at, so the time grows
    with the square of the number of documents; the memory does not. Of documents that are equally
    near those that stand first are taken.
    """
    n_rows = X.shape[0]
    unit = with_unit_rows(X)
    graph = sparse.csr_matrix((n_rows, n_rows))
    for rows, among, k in _searches(n_rows, n_neighbors, other_side):
        searched = None if rows is among else unit[among]
        near = nearest_rows(unit[rows], k, among=searched, negative=signed)
        there = near.rows >= 0
        begins = np.broadcast_to(rows[:, None], there.shape)[there]
        weights = near.similarities[there].astype(np.float64)
        weights = (1 + weights) / 2 if signed else weights
        places = (begins, among[near.rows[there]])
        graph = graph.maximum(sparse.csr_matrix((weights, places), shape=graph.shape))
    graph = graph.maximum(graph.T).tocsr()
    filled = (as_documents(X).row_norms() > 0).astype(float)  # an empty document is near to nobody
    if with_self:
        graph.setdiag(filled)
    graph = (sparse.diags(filled) @ graph @ sparse.diags(filled)).tocsr()
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph


def _searches(
    n_rows: int, k: int, other_side: tuple[NDArray[np.bool_], float] | None
) -> list[tuple[NDArray[np.intp], NDArray[np.intp], int]]:
    """Which rows are searched for the neighbours of which, and how many of them."""
    everyone = np.arange(n_rows)
    found = [(everyone, everyone, k)]
    if other_side is None:
        return found
    is_target, share = other_side
    sides = [np.flatnonzero(~is_target), np.flatnonzero(is_target)]
    if all(len(side) for side in sides):
        across = max(1, round(k * share))
        found += [(own, other, across) for own, other in (sides, sides[::-1])]
    return found
