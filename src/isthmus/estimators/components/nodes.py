"""Documents as the nodes of a graph: copies are one, and empty ones none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.duplicates import duplicate_groups

# Draws the order of the nodes; any number does.
_SEED = 0


@dataclass(frozen=True)
class Nodes:
    """What differs in its words, its domain or its label, in an order that only these decide.

    Were copies nodes of their own, their order would decide which of them is among the nearest.
    """

    rows: NDArray[np.intp]
    """A row for every node."""
    labels: NDArray[np.intp]
    domains: NDArray[np.int64]
    node_of_row: NDArray[np.intp]
    """The node of every row, -1 for an empty one."""

    @property
    def is_target(self) -> NDArray[np.bool_]:
        return self.domains < 0

    def spread(self, found: NDArray[Any]) -> NDArray[Any]:
        """What was found of the nodes, for every row; zeros for an empty one."""
        values = np.zeros((len(self.node_of_row), found.shape[1]), found.dtype)
        there = self.node_of_row >= 0
        values[there] = found[self.node_of_row[there]]
        return values


def nodes_of(problem: Problem, X: Any) -> Nodes:
    """The nodes of all documents."""
    domains = np.empty(problem.n_rows, np.int64)
    for domain in problem.domains:
        domains[domain.rows] = domain.number
    filled = np.flatnonzero(as_documents(X).row_norms() > 0)
    what = np.column_stack([duplicate_groups(X), domains, problem.labels])[filled]
    _, first, group = np.unique(what, axis=0, return_index=True, return_inverse=True)
    rows = filled[first]
    weights = np.random.default_rng(_SEED).standard_normal(X.shape[1])
    places = np.asarray(as_documents(X).times(weights[:, None]), np.float64)[rows, 0]
    order = np.lexsort((problem.labels[rows], domains[rows], places))
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    node_of_row = np.full(problem.n_rows, -1)
    node_of_row[filled] = rank[group.ravel()]
    rows = rows[order]
    return Nodes(rows, problem.labels[rows], domains[rows], node_of_row)
