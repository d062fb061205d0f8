"""LLGC, the local and global consistency of Zhou et al. (2003)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.neighbor_graph import GraphNodes
from isthmus.estimators.components.parameters import check_flag, check_number
from isthmus.estimators.graph._base import GraphClassifier
from isthmus.numerics.affinity import Affinity
from isthmus.solvers.graph.llgc import consistency


class LLGC(GraphClassifier):
    """Propagate labels along a graph, with a penalty for changes of the given labels.

    On the graph ``W`` of all documents, with degrees ``D`` and one-hot labels ``Y``, minimizes

    ``1/2 sum_ij w_ij ||f_i / sqrt(d_i) - f_j / sqrt(d_j)||^2 + (1/alpha - 1) ||F - Y||^2``

    by ``F = (I - alpha D^-1/2 W D^-1/2)^-1 Y`` up to a factor. The largest entry of a row is its
    label.

    Parameters
    ----------
    alpha : float, default=0.99
        Weight of the neighbors, below 1; the rest is the weight of the given label. Near 1,
        ``n_neighbors=None`` hardly separates classes.
    equal_classes : bool, default=True
        Whether labels are scaled so that all classes propagate the same total. Without it the
        larger class wins nearly everywhere for ``alpha`` near 1, as in the paper.

    Attributes
    ----------
    label_distributions_ : array of shape (n_rows, n_classes)
        Class memberships of every fitted row; rows sum to 1. Distributions are rows of ``F`` scaled
        to sum 1. For ``alpha`` near 1 they are all similar, and only their order is meaningful. A
        document that is not connected to a labeled one is predicted like a new document.

    Notes
    -----
    ``from_preset("paper")`` does not scale the labels and adds no neighbors in the other kind of
    domain. The paper weights edges between all documents by a Gaussian of the distance; here they
    are weighted by cosine, and only nearest neighbors are connected.
    :class:`SklearnLabelSpreading` is the implementation of scikit-learn with its default settings.

    References
    ----------
    D. Zhou, O. Bousquet, T. N. Lal, J. Weston, B. Schölkopf. Learning with Local and Global
    Consistency. NIPS 2003.

    Examples
    --------
    >>> from isthmus import LLGC
    >>> X = [[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 2, 0], [0, 1, 0, 2]]
    >>> LLGC().fit(X, ["art", "sport", None, None]).transduction_.tolist()
    ['art', 'sport', 'art', 'sport']
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {"cross_share": None, "equal_classes": False}
    }

    def __init__(
        self,
        n_neighbors: int | Literal["auto"] | None = "auto",
        *,
        cross_share: float | None = 0.2,
        alpha: float = 0.99,
        equal_classes: bool = True,
        solver_tol: float = 1e-8,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.cross_share = cross_share
        self.alpha = alpha
        self.equal_classes = equal_classes
        self.solver_tol = solver_tol
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("alpha", self.alpha, above=0, most=0.9999)
        check_flag("equal_classes", self.equal_classes)
        check_number("solver_tol", self.solver_tol, least=1e-12, most=0.1)

    def _label_nodes(
        self, affinity: Affinity, nodes: GraphNodes, data: TrainingData, X: Any
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        solution = consistency(
            affinity,
            nodes.labels,
            data.problem.n_classes,
            alpha=self.alpha,
            equal_classes=self.equal_classes,
            tol=self.solver_tol,
        )
        self._warn_if_unsolved(solution.converged)
        return solution.values, {}
