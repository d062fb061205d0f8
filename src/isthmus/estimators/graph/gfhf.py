"""GFHF, the harmonic functions of Zhu, Ghahramani and Lafferty (2003)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.nodes import Nodes
from isthmus.estimators.components.parameters import check_flag, check_number
from isthmus.estimators.graph._base import GraphClassifier
from isthmus.numerics.affinity import Affinity
from isthmus.solvers.graph.gfhf import harmonic, with_class_masses


class GFHF(GraphClassifier):
    """Every document without a label is the mean of its neighbours.

    On the graph ``W`` of all documents, with degrees ``D``, the memberships of the unlabelled ones
    ``U`` minimise ``sum_ij w_ij ||f_i - f_j||^2`` while the labelled ones ``L`` keep their labels:

    ``f_U = (D_UU - W_UU)^-1 W_UL y_L``

    which are the chances that a random walk meets a label of each class first. Class mass
    normalisation then scales every class until its memberships sum to its share of the target.

    It was made for documents of one kind, of which a few are labelled. Between domains a label
    reaches the target over the edges that lead there, so every document gets some
    (``cross_share``); and since these favour one class or the other, much hangs on the scaling,
    which leans on the class shares of the source unless ``class_prior`` names others.

    Parameters
    ----------
    n_neighbors : int, "auto" or None, default="auto"
        A document is tied to so many that are most like it, and to those that it is among the
        nearest of; an edge weighs their cosine. "auto" is 1.6 times the root of the number of
        documents, at most 100. All pairs are looked at, so the time grows with the square of the
        number of documents. None ties it to all others, which costs products with the documents
        instead of a graph.
    cross_share : float or None, default=0.2
        A document is tied to so many more, as a share of ``n_neighbors``, on the other side: among
        the sources for a target's, among the targets for a source's. None does without, as the
        original: where the domains have few words in common, no label then finds its way across.
        Not read where all are tied.
    class_masses : bool, default=True
        Whether classes are scaled to the class shares of every target: those of ``class_prior``,
        the source's if that is None. False leaves the harmonic function as it is.
    solver_tol : float, default=1e-8
        Where conjugate gradients end, as a share of the right-hand side.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the labels of every target are held to, by one shift a class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, domains_, class_prior_
        As of :class:`MTrick`. A document that no path joins to a labelled one is read as a new one.
    coef_ : array of shape (n_classes, n_terms)
    intercept_ : array of shape (n_classes,)
        How new documents, of length 1, are read: a logistic regression on the labels found.
    alignment_certainty_ : float
        How clearly words speak for the names of the targets' classes, as of :class:`MTrick`; a
        warning tells of less than 4. 0 for documents with values below zero.

    Notes
    -----
    The original weighs edges by a Gaussian of the distance, with a width a term that it learns;
    cosines of tf-idf documents, which the tables that compare with it use, stand here. Its mass
    normalisation takes class shares from the labelled documents, as here. ``from_preset("paper")``
    searches no neighbours on the other side.

    References
    ----------
    X. Zhu, Z. Ghahramani, J. Lafferty. Semi-Supervised Learning Using Gaussian Fields and Harmonic
    Functions. ICML 2003.

    Examples
    --------
    >>> from isthmus import GFHF
    >>> X = [[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 2, 0], [0, 1, 0, 2]]
    >>> GFHF().fit(X, ["art", "sport", None, None]).transduction_.tolist()
    ['art', 'sport', 'art', 'sport']
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {"paper": {"cross_share": None}}

    def __init__(
        self,
        n_neighbors: int | Literal["auto"] | None = "auto",
        *,
        cross_share: float | None = 0.2,
        class_masses: bool = True,
        solver_tol: float = 1e-8,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.cross_share = cross_share
        self.class_masses = class_masses
        self.solver_tol = solver_tol
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("class_masses", self.class_masses)
        check_number("solver_tol", self.solver_tol, least=1e-12, most=0.1)

    def _label_nodes(
        self, affinity: Affinity, nodes: Nodes, data: TrainingData, X: Any
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        solution = harmonic(affinity, nodes.labels, data.problem.n_classes, tol=self.solver_tol)
        self._warn_if_unsolved(solution.converged)
        values = solution.values
        if self.class_masses:
            for number in np.unique(nodes.domains).tolist():
                unlabelled = (nodes.domains == number) & (nodes.labels < 0)
                values = with_class_masses(values, unlabelled, data.domain_prior[number])
        return values, {}
