"""Classifiers that carry labels along a graph of documents."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.estimators.base.linear_classifier import FoundLabelsClassifier
from isthmus.estimators.components.neighbors import neighbour_graph
from isthmus.estimators.components.nodes import Nodes, nodes_of
from isthmus.estimators.components.parameters import check_number, check_whole_number
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.rows import is_signed
from isthmus.numerics.affinity import Affinity, CosineAffinity, GraphAffinity
from isthmus.numerics.progress import Callback

# "auto": times the root of the number of documents, but not more than SGT's authors have.
_OF_THE_ROOT = 1.6
_MOST_NEIGHBOURS = 100


class GraphClassifier(FoundLabelsClassifier):
    """Base: all documents of all domains in one graph.

    A subclass writes ``_label``. With ``n_neighbors`` a document is tied to those most like it, by
    their cosine, and to some more of the other side (``cross_share``): sources for a target's,
    targets for a source's. Without it to all others, and the graph is never formed. Copies of a
    document count once.
    """

    n_neighbors: int | Literal["auto"] | None
    cross_share: float | None

    def _check_parameters(self) -> None:
        k = self.n_neighbors
        if isinstance(k, str) and k != "auto":
            wanted = "a whole number, 'auto' or None (at the prompt null)"
            raise ValueError(f"n_neighbors must be {wanted}, got {k!r}.")
        if k is not None and not isinstance(k, str):
            check_whole_number("n_neighbors", k, least=1)
        if self.cross_share is not None:
            check_number("cross_share", self.cross_share, above=0, most=1)

    @abstractmethod
    def _label(self, affinity: Affinity, nodes: Nodes, n_classes: int, X: Any) -> NDArray[Any]:
        """Memberships of every node, from the labels of some; zeros where none reaches."""

    def _find_memberships(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> NDArray[Any]:
        nodes = nodes_of(problem, X)
        if not len(nodes.rows):
            return np.zeros((problem.n_rows, problem.n_classes))
        X = X[nodes.rows]
        return nodes.spread(self._label(self._affinity(nodes, X), nodes, problem.n_classes, X))

    def _affinity(self, nodes: Nodes, X: Any) -> Affinity:
        signed = is_signed(X)
        if self.n_neighbors is None:
            return CosineAffinity.of([as_documents(X)], signed=signed, with_self=False)
        if self.n_neighbors == "auto":
            k = min(_MOST_NEIGHBOURS, round(_OF_THE_ROOT * np.sqrt(X.shape[0])))
        else:
            k = int(self.n_neighbors)
        share = self.cross_share
        other_side = None if share is None else (nodes.is_target, float(share))
        graph = neighbour_graph(X, k, signed=signed, with_self=False, other_side=other_side)
        return GraphAffinity.of(as_documents(graph.astype(X.dtype)), [X.shape[0]])

    def _warn_if_unsolved(self, converged: bool) -> None:
        if not converged:
            warn_user(
                "Conjugate gradients ended before their answer was as exact as solver_tol asks: "
                "parts of the graph hang together by a thread. Raise n_neighbors or cross_share.",
                ConvergenceWarning,
            )
