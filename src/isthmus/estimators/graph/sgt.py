"""SGT, the spectral graph transducer of Joachims (2003)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.nodes import Nodes
from isthmus.estimators.components.parameters import check_number, check_whole_number
from isthmus.estimators.graph._base import GraphClassifier
from isthmus.matrices.conversion import as_documents
from isthmus.numerics.affinity import Affinity
from isthmus.numerics.connected_components import reached_from
from isthmus.numerics.eigen import start_vector
from isthmus.solvers.graph.sgt import smooth_vectors, transduce


class SGT(GraphClassifier):
    """A cut of the neighbour graph that keeps to the labels, by eigenvectors.

    With the ``d`` smoothest eigenvectors ``V`` of the normalised Laplacian of the graph of all
    documents, the constant one left out, and 1, 4, 9, ... ``d^2`` in ``D`` in place of their
    eigenvalues, minimises for every class against the rest

    ``z' V D V' z + c (z - g)' C (z - g)``  where ``z = V u``, ``z'z = n``

    and ``g`` is ``sqrt(n- / n+)`` for documents of the class, ``-sqrt(n+ / n-)`` for labelled ones
    of other classes and 0 for the rest; both sides weigh the same in ``C``. A document belongs to
    the class whose ``z`` lies farthest beyond the middle of the two.

    It needs nothing of the source but where its labels lie in the graph, and finds cuts that a
    classifier of the source does not see; where the strongest cut is not that of the classes, it
    may follow that.

    Parameters
    ----------
    n_neighbors : int, "auto" or None, default="auto"
        A document is tied to so many that are most like it, and to those that it is among the
        nearest of; an edge weighs their cosine. "auto" is 1.6 times the root of the number of
        documents, at most 100. All pairs are looked at, so the time grows with the square of the
        number of documents. None ties it to all others, which costs products with the documents
        instead of a graph.
    cross_share : float or None, default=0.05
        A document is tied to so many more, as a share of ``n_neighbors``, on the other side: among
        the sources for a target's, among the targets for a source's. None does without, as the
        original: where the domains have few words in common, no label then finds its way across.
        Not read where all are tied.
    n_eigenvectors : int, default=80
        ``d``.
    c : float, default=3200
        How much it costs to depart from a label.
    eigen_tol : float, default=1e-4
        Relative accuracy of the eigenvalues.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the labels of every target are held to, by one shift a class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, domains_, class_prior_
        As of :class:`MTrick`. Distributions are a softmax of how far ``z`` lies beyond the middle,
        with 1 where labels pull to: good for ranking, not calibrated. A document that no path joins
        to a labelled one is read as a new one.
    coef_ : array of shape (n_classes, n_terms)
    intercept_ : array of shape (n_classes,)
        How new documents, of length 1, are read: a logistic regression on the labels found.
    eigenvalues_ : array of shape (n_eigenvectors,)
        Of the normalised Laplacian, in rising order, before their ranks took their place.
    alignment_certainty_ : float
        How clearly words speak for the names of the targets' classes, as of :class:`MTrick`; a
        warning tells of less than 4. 0 for documents with values below zero.

    Notes
    -----
    The original settles one class against another; several classes are taken one against the rest
    here. Its minimum on the sphere comes from an eigenvalue problem of twice the size; here the
    multiplier of the length is found by halving an interval, to the same end.
    ``from_preset("paper")`` has its 100 neighbours, and searches none on the other side.

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
        self, affinity: Affinity, nodes: Nodes, data: TrainingData, X: Any
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        smooth = smooth_vectors(
            affinity, start_vector([as_documents(X)]), self.n_eigenvectors, tol=self.eigen_tol
        )
        # Without a label in reach nothing decides the side of a document.
        reached = smooth.linked & reached_from(affinity, nodes.labels >= 0)
        vectors, labels = smooth.vectors[reached], nodes.labels[reached]
        n_classes = data.problem.n_classes
        memberships = np.zeros((len(nodes.rows), n_classes))
        if (labels >= 0).any():
            scores = [
                transduce(vectors, labels == code, labels >= 0, self.c) for code in range(n_classes)
            ]
            memberships[reached] = softmax(np.column_stack(scores), axis=1)
        return memberships, {"eigenvalues_": smooth.eigenvalues}
