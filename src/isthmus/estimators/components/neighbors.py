"""Nearest neighbor graphs of documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.matrices.neighbors import nearest_rows_by_kind
from isthmus.matrices.rows import as_documents, with_unit_rows


def neighbor_graph(
    X: Any,
    n_neighbors: int,
    *,
    signed: bool,
    with_self: bool,
    cross_domain: tuple[NDArray[np.bool_], float] | None = None,
) -> Any:
    """Cosines between documents and their nearest neighbors, as a symmetric CSR matrix.

    A pair is kept if one is among the nearest neighbors of the other. With ``signed`` the weight of
    an edge is (1 + cosine) / 2. ``cross_domain`` holds a mask of the target rows and a number of
    additional neighbors, relative to ``n_neighbors``, that every document gets in the other kind of
    domain. All pairs are compared, so time grows with the square of the number of documents, but
    memory does not. Ties are resolved by row order.
    """
    n_rows = X.shape[0]
    is_target, n_across = None, 0
    if cross_domain is not None:
        is_target, proportion = cross_domain
        n_across = max(1, round(n_neighbors * proportion))
    results = nearest_rows_by_kind(
        with_unit_rows(X), n_neighbors, is_target, n_across, negative=signed
    )
    graph = sparse.csr_matrix((n_rows, n_rows))
    for near in results:
        is_edge = near.rows >= 0
        weights = near.similarities[is_edge].astype(np.float64)
        weights = (1 + weights) / 2 if signed else weights
        edges = (np.nonzero(is_edge)[0], near.rows[is_edge])
        graph = graph.maximum(sparse.csr_matrix((weights, edges), shape=graph.shape))
    graph = graph.maximum(graph.T).tocsr()
    filled = (as_documents(X).row_norms() > 0).astype(float)  # empty documents have no neighbors
    if with_self:
        graph.setdiag(filled)
    graph = (sparse.diags(filled) @ graph @ sparse.diags(filled)).tocsr()
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph
