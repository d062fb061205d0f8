"""GFHF, the harmonic functions of Zhu, Ghahramani and Lafferty (2003)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.neighbor_graph import GraphNodes
from isthmus.estimators.components.parameters import check_flag, check_number
from isthmus.estimators.graph._base import GraphClassifier
from isthmus.numerics.affinity import Affinity
from isthmus.solvers.graph.gfhf import harmonic, with_class_masses


class GFHF(GraphClassifier):
    """Propagate labels so that every unlabeled document is the mean of its neighbors.

    On the graph ``W`` of all documents, with degrees ``D``, the memberships of the unlabeled ones
    ``U`` minimize ``sum_ij w_ij ||f_i - f_j||^2`` while the labeled ones ``L`` keep their labels:

    ``f_U = (D_UU - W_UU)^-1 W_UL y_L``

    These are the probabilities that a random walk reaches a label of each class first. Class mass
    normalization then scales every class so that its memberships sum to its prior in the target.

    The method was designed for documents of one domain with few labels. Labels reach another domain
    only through edges between the domains, so every document gets some (``cross_share``). These
    edges may favor one class. The result therefore depends on the class mass normalization, which
    uses the class prior of the source unless ``class_prior`` is given.

    Parameters
    ----------
    class_masses : bool, default=True
        Whether classes are scaled to the prior of every target: ``class_prior``, or the prior of
        the source if that is None. False leaves the harmonic function unchanged.

    Attributes
    ----------
    label_distributions_ : array of shape (n_rows, n_classes)
        Class memberships of every fitted row; rows sum to 1. A document that is not connected to a
        labeled one is predicted like a new document.

    Notes
    -----
    The paper weights edges by a Gaussian of the distance with one learned width per term. Published
    comparisons use cosines of tf-idf documents, as this implementation does. The class mass
    normalization of the paper uses the proportions of the labeled documents, as here.
    ``from_preset("paper")`` adds no neighbors in the other kind of domain.

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
        self, affinity: Affinity, nodes: GraphNodes, data: TrainingData, X: Any
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        solution = harmonic(affinity, nodes.labels, data.problem.n_classes, tol=self.solver_tol)
        self._warn_if_unsolved(solution.converged)
        values = solution.values
        if self.class_masses:
            for number in np.unique(nodes.domains).tolist():
                unlabeled = (nodes.domains == number) & (nodes.labels < 0)
                values = with_class_masses(values, unlabeled, data.domain_prior[number])
        return values, {}
