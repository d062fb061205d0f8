"""Graphs of nearest neighbors: documents as nodes, and cosines as edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.domains.model import Problem
from isthmus.matrices.neighbors import nearest_rows_by_kind
from isthmus.matrices.rows import as_documents, duplicate_groups, with_unit_rows

# Seed of the random projection that orders the nodes.
_SEED = 0


@dataclass(frozen=True)
class GraphNodes:
    """One node per distinct combination of words, domain and label.

    The order of the nodes does not depend on the order of the rows. Duplicates share a node,
    because otherwise their order would decide which of them are nearest neighbors.
    """

    rows: NDArray[np.intp]
    """One row of the matrix for every node."""
    labels: NDArray[np.intp]
    domains: NDArray[np.int64]
    node_of_row: NDArray[np.intp]
    """The node of every row; -1 for an empty document."""

    @property
    def is_target(self) -> NDArray[np.bool_]:
        return self.domains < 0

    def to_rows(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of all rows from the values of the nodes; zeros for empty documents."""
        row_values = np.zeros((len(self.node_of_row), values.shape[1]), values.dtype)
        has_node = self.node_of_row >= 0
        row_values[has_node] = values[self.node_of_row[has_node]]
        return row_values


def graph_nodes(problem: Problem, X: Any) -> GraphNodes:
    """The nodes of all documents."""
    domains = np.empty(problem.n_rows, np.int64)
    for domain in problem.domains:
        domains[domain.rows] = domain.number
    filled = np.flatnonzero(as_documents(X).row_norms() > 0)
    keys = np.column_stack([duplicate_groups(X), domains, problem.labels])[filled]
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    rows = filled[first]
    weights = np.random.default_rng(_SEED).standard_normal(X.shape[1])
    projections = np.asarray(as_documents(X).times(weights[:, None]), np.float64)[rows, 0]
    order = np.lexsort((problem.labels[rows], domains[rows], projections))
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    node_of_row = np.full(problem.n_rows, -1)
    node_of_row[filled] = rank[group.ravel()]
    rows = rows[order]
    return GraphNodes(rows, problem.labels[rows], domains[rows], node_of_row)


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
