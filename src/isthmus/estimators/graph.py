"""Classifiers that carry labels along a graph of documents."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.linear_rule import FoundLabelsClassifier
from isthmus.estimators.neighbours import neighbour_graph
from isthmus.estimators.parameters import check_choice, check_number, check_whole_number
from isthmus.estimators.spectral import is_signed
from isthmus.matrices.adopt import adopt
from isthmus.solvers.affinity import Affinity, CosineAffinity, GraphAffinity
from isthmus.solvers.progress import Callback

# "auto": times the root of the number of documents, but not more than SGT's authors have.
_OF_THE_ROOT = 1.6
_MOST_NEIGHBOURS = 100


class GraphClassifier(FoundLabelsClassifier):
    """Base: all documents of all domains in one graph.

    A subclass writes ``_label``. With ``n_neighbors`` a document is tied to those most like it, by
    their cosine, and to some more of the other side (``cross_share``): sources for a target's,
    targets for a source's. Without it to all others, and the graph is never formed.
    """

    n_neighbors: int | Literal["auto"] | None
    cross_share: float | None

    def _check_parameters(self) -> None:
        if isinstance(self.n_neighbors, str):
            check_choice("n_neighbors", self.n_neighbors, ("auto",))
        elif self.n_neighbors is not None:
            check_whole_number("n_neighbors", self.n_neighbors, least=1)
        if self.cross_share is not None:
            check_number("cross_share", self.cross_share, above=0, most=1)

    @abstractmethod
    def _label(
        self, affinity: Affinity, labels: NDArray[np.intp], problem: Problem, X: Any
    ) -> NDArray[Any]:
        """Memberships of every row, from the labels of some (-1 for none)."""

    def _find_memberships(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> NDArray[Any]:
        return self._label(self._affinity(problem, X), problem.labels, problem, X)

    def _affinity(self, problem: Problem, X: Any) -> Affinity:
        signed = is_signed(X)
        if self.n_neighbors is None:
            return CosineAffinity.of([adopt(X)], signed=signed, with_self=False)
        if self.n_neighbors == "auto":
            k = min(_MOST_NEIGHBOURS, round(_OF_THE_ROOT * np.sqrt(problem.n_rows)))
        else:
            k = int(self.n_neighbors)
        other_side = None
        if self.cross_share is not None:
            is_target = np.zeros(problem.n_rows, bool)
            for domain in problem.targets:
                is_target[domain.rows] = True
            other_side = (is_target, float(self.cross_share))
        graph = neighbour_graph(X, k, signed=signed, with_self=False, other_side=other_side)
        return GraphAffinity.of(adopt(graph.astype(X.dtype)), [problem.n_rows])
