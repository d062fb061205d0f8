"""Classifiers that propagate labels along a graph of documents."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from isthmus._warnings import warn_user
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel, LinearModel, fit_to_memberships
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.neighbor_graph import GraphNodes, graph_nodes, neighbor_graph
from isthmus.estimators.components.parameters import check_number, check_whole_number
from isthmus.matrices.rows import as_documents, is_signed
from isthmus.numerics.affinity import Affinity, CosineAffinity, GraphAffinity
from isthmus.numerics.progress import Callback

# n_neighbors="auto" is this factor times the square root of the number of documents, up to the
# number of neighbors in the paper of SGT.
_ROOT_FACTOR = 1.6
_MAX_NEIGHBORS = 100


class GraphClassifier(TransferClassifier):
    """Base of the classifiers that use one graph of the documents of all domains.

    A subclass implements ``_label_nodes``. Duplicate documents are one node. A node is connected to
    its nearest neighbors by cosine, and to additional ones in the other kind of domain
    (``cross_share``). With ``n_neighbors=None`` all nodes are connected, and the graph is never
    formed.

    Parameters
    ----------
    n_neighbors : int, "auto" or None, default="auto"
        Number of nearest neighbors that every document is connected to, in addition to the
        documents that have it as a neighbor. Edges are weighted by cosine. "auto" is 1.6 times the
        square root of the number of documents, at most 100. All pairs are compared, so time grows
        with the square of the number of documents. None connects all documents, by products
        instead of a graph.
    cross_share : float or None, default=0.2
        Number of additional neighbors in the other kind of domain, relative to ``n_neighbors``:
        sources for a target document, targets for a source document. None adds none, as in the
        paper: labels then hardly reach a target that shares few words with the sources. Not used
        if all documents are connected.
    solver_tol : float, default=1e-8
        Relative tolerance of conjugate gradients.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms: logistic regression on the labels of the fitted documents, for new
        unit-norm documents.
    intercept_ : array of shape (n_classes,)
        Intercepts of the same rule.
    alignment_certainty_ : float
        Evidence of the shared words that classes are not swapped, see :class:`MTrick`. A warning is
        given below 4. 0 for input with negative values.
    """

    _model_class: ClassVar[type[FittedModel]] = LinearModel
    _checks_class_swap: ClassVar[bool] = True
    _preset_weighting: ClassVar[dict[str, str]] = {"paper": "tfidf"}

    n_neighbors: int | Literal["auto"] | None
    cross_share: float | None

    def _check_parameters(self) -> None:
        k = self.n_neighbors
        if isinstance(k, str) and k != "auto":
            raise ValueError(
                f"n_neighbors must be a whole number, 'auto' or None (null on the command line), "
                f"got {k!r}."
            )
        if k is not None and not isinstance(k, str):
            check_whole_number("n_neighbors", k, least=1)
        if self.cross_share is not None:
            check_number("cross_share", self.cross_share, above=0, most=1)

    @abstractmethod
    def _label_nodes(
        self, affinity: Affinity, nodes: GraphNodes, data: TrainingData, X: Any
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Memberships of all nodes from the labels of some, and diagnostics.

        ``X`` has one row per node. Nodes that no label reaches get zeros.
        """

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        nodes = graph_nodes(data.problem, data.X)
        if not len(nodes.rows):
            return fit_to_memberships(data, np.zeros((data.problem.n_rows, data.problem.n_classes)))
        X = data.X[nodes.rows]
        memberships, diagnostics = self._label_nodes(self._affinity(nodes, X), nodes, data, X)
        return fit_to_memberships(data, nodes.to_rows(memberships))._replace(
            diagnostics=diagnostics
        )

    def _affinity(self, nodes: GraphNodes, X: Any) -> Affinity:
        signed = is_signed(X)
        if self.n_neighbors is None:
            return CosineAffinity.of([as_documents(X)], signed=signed, with_self=False)
        if self.n_neighbors == "auto":
            k = min(_MAX_NEIGHBORS, round(_ROOT_FACTOR * np.sqrt(X.shape[0])))
        else:
            k = int(self.n_neighbors)
        cross_domain = None
        if self.cross_share is not None:
            cross_domain = (nodes.is_target, float(self.cross_share))
        graph = neighbor_graph(X, k, signed=signed, with_self=False, cross_domain=cross_domain)
        return GraphAffinity.of(as_documents(graph.astype(X.dtype)), [X.shape[0]])

    def _warn_if_unsolved(self, converged: bool) -> None:
        if not converged:
            warn_user(
                "Conjugate gradients did not converge: the neighbor graph is nearly disconnected. "
                "Increase n_neighbors or cross_share.",
                ConvergenceWarning,
            )
