"""Documents as the nodes of a graph, without duplicates and empty documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.matrices.rows import as_documents, duplicate_groups

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
