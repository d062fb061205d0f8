"""Classifiers that carry labels along a graph of documents."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from isthmus._warnings import warn_user
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel
from isthmus.estimators.base.linear_model import LinearModel, fit_to_memberships
from isthmus.estimators.base.training_data import TrainingData
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


class GraphClassifier(TransferClassifier):
    """Base: all documents of all domains in one graph.

    A subclass writes ``_label``. With ``n_neighbors`` a document is tied to those most like it, by
    their cosine, and to some more of the other side (``cross_share``): sources for a target's,
    targets for a source's. Without it to all others, and the graph is never formed. Copies of a
    document count once.
    """

    _model_class: ClassVar[type[FittedModel]] = LinearModel
    _checks_class_swap: ClassVar[bool] = True

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
    def _label_nodes(
        self, affinity: Affinity, nodes: Nodes, data: TrainingData, X: Any
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Memberships of all nodes from the labels of some, and diagnostics.

        ``X`` has one row per node. Nodes that no label reaches get zeros.
        """

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        nodes = nodes_of(data.problem, data.X)
        if not len(nodes.rows):
            return fit_to_memberships(data, np.zeros((data.problem.n_rows, data.problem.n_classes)))
        X = data.X[nodes.rows]
        memberships, diagnostics = self._label_nodes(self._affinity(nodes, X), nodes, data, X)
        return fit_to_memberships(data, nodes.spread(memberships))._replace(diagnostics=diagnostics)

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
                "Conjugate gradients did not converge: the neighbor graph is nearly disconnected. "
                "Increase n_neighbors or cross_share.",
                ConvergenceWarning,
            )
