"""SGT, the spectral graph transducer of Joachims (2003)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.neighbor_graph import GraphNodes
from isthmus.estimators.components.parameters import check_number, check_whole_number
from isthmus.estimators.graph._base import GraphClassifier
from isthmus.matrices.rows import as_documents
from isthmus.numerics.affinity import Affinity, reachable_rows
from isthmus.numerics.eigen import start_vector
from isthmus.solvers.graph.sgt import smooth_vectors, transduce


class SGT(GraphClassifier):
    """Cut the neighbor graph consistently with the labels, by its eigenvectors.

    ``V`` holds the ``d`` smoothest eigenvectors of the normalized Laplacian of the graph of all
    documents without the constant one, and ``D`` holds 1, 4, 9, ... ``d^2`` in place of their
    eigenvalues. Minimizes for every class against the rest

    ``z' V D V' z + c (z - g)' C (z - g)``  where ``z = V u``, ``z'z = n``

    and ``g`` is ``sqrt(n- / n+)`` for documents of the class, ``-sqrt(n+ / n-)`` for labeled
    documents of other classes and 0 for the rest. ``C`` gives both groups the same total weight. A
    document belongs to the class whose ``z`` is farthest above the midpoint of the two values.

    The method uses only the positions of the labels in the graph. It can find cuts that a
    classifier of the source does not find, but it may also follow a stronger cut that is not that
    of the classes.

    Parameters
    ----------
    cross_share : float or None, default=0.05
        Number of additional neighbors in the other kind of domain, relative to ``n_neighbors``:
        sources for a target document, targets for a source document. None adds none, as in the
        paper: labels then hardly reach a target that shares few words with the sources. Not used
        if all documents are connected.
    n_eigenvectors : int, default=80
        Number ``d`` of eigenvectors.
    c : float, default=3200
        Weight of the loss for labeled documents.
    eigen_tol : float, default=1e-4
        Relative accuracy of the eigenvalues.

    Attributes
    ----------
    label_distributions_ : array of shape (n_rows, n_classes)
        Class memberships of every fitted row; rows sum to 1. Distributions are a softmax of ``z``,
        scaled so that the values of ``g`` are 1 and -1. They rank documents well but are not
        calibrated. A document that is not connected to a labeled one is predicted like a new
        document.
    eigenvalues_ : array of shape (n_eigenvectors,)
        Eigenvalues of the normalized Laplacian in rising order. Not stored in model files.

    Notes
    -----
    The paper treats two classes; several classes are treated one against the rest. The paper finds
    the minimum on the sphere by an eigenvalue problem of twice the size. Here the Lagrange
    multiplier is found by bisection, with the same result. ``from_preset("paper")`` uses 100
    neighbors and adds none in the other kind of domain.

    References
    ----------
    T. Joachims. Transductive Learning via Spectral Graph Partitioning. ICML 2003.

    Examples
    --------
    >>> from isthmus import SGT
    >>> X = [[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 2, 0], [0, 1, 0, 2]]
    >>> SGT().fit(X, ["art", "sport", None, None]).transduction_.tolist()
    ['art', 'sport', 'art', 'sport']
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {"n_neighbors": 100, "cross_share": None}
    }

    def __init__(
        self,
        n_neighbors: int | Literal["auto"] | None = "auto",
        *,
        cross_share: float | None = 0.05,
        n_eigenvectors: int = 80,
        c: float = 3200.0,
        eigen_tol: float = 1e-4,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.cross_share = cross_share
        self.n_eigenvectors = n_eigenvectors
        self.c = c
        self.eigen_tol = eigen_tol
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole_number("n_eigenvectors", self.n_eigenvectors, least=1)
        check_number("c", self.c, above=0)
        check_number("eigen_tol", self.eigen_tol, least=1e-12, most=0.1)

    def _label_nodes(
        self, affinity: Affinity, nodes: GraphNodes, data: TrainingData, X: Any
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        smooth = smooth_vectors(
            affinity, start_vector([as_documents(X)]), self.n_eigenvectors, tol=self.eigen_tol
        )
        # Documents that are not connected to a label cannot be assigned.
        reached = smooth.connected & reachable_rows(affinity, nodes.labels >= 0)
        vectors, labels = smooth.vectors[reached], nodes.labels[reached]
        n_classes = data.problem.n_classes
        memberships = np.zeros((len(nodes.rows), n_classes))
        if (labels >= 0).any():
            scores = [
                transduce(vectors, labels == code, labels >= 0, self.c) for code in range(n_classes)
            ]
            memberships[reached] = softmax(np.column_stack(scores), axis=1)
        return memberships, {"eigenvalues_": smooth.eigenvalues}
