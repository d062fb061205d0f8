"""LLGC, the local and global consistency of Zhou et al. (2003)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.nodes import Nodes
from isthmus.estimators.components.parameters import check_flag, check_number
from isthmus.estimators.graph._base import GraphClassifier
from isthmus.numerics.affinity import Affinity
from isthmus.solvers.graph.llgc import consistency


class LLGC(GraphClassifier):
    """Labels spread along a graph, while every document remembers its own.

    On the graph ``W`` of all documents, with degrees ``D`` and ``Y`` a 1 for every label, minimises

    ``1/2 sum_ij w_ij ||f_i / sqrt(d_i) - f_j / sqrt(d_j)||^2 + (1/alpha - 1) ||F - Y||^2``

    by ``F = (I - alpha D^-1/2 W D^-1/2)^-1 Y``, but for a factor; the largest entry of a row is its
    label.

    Parameters
    ----------
    n_neighbors : int, "auto" or None, default="auto"
        A document is tied to so many that are most like it, and to those that it is among the
        nearest of; an edge weighs their cosine. "auto" is 1.6 times the root of the number of
        documents, at most 100. All pairs are looked at, so the time grows with the square of the
        number of documents. None ties it to all others, which costs products with the documents
        instead of a graph, and with ``alpha`` near 1 tells little apart.
    cross_share : float or None, default=0.2
        A document is tied to so many more, as a share of ``n_neighbors``, on the other side: among
        the sources for a target's, among the targets for a source's. None does without, as the
        original: where the domains have few words in common, no label then finds its way across.
        Not read where all are tied.
    alpha : float, default=0.99
        How much comes from the neighbours, below 1; the rest is the document's own label.
    equal_classes : bool, default=True
        Whether labels are scaled so that all classes give away the same in sum. For ``alpha`` near
        1, as the paper has it, the larger class wins nearly everywhere without.
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
        As of :class:`MTrick`. Distributions are rows of ``F`` over
        their sums: for ``alpha`` near 1 they all lie close together, and only their order means
        something. A document that no path joins to a labelled one is read as a new one.
    coef_ : array of shape (n_classes, n_terms)
    intercept_ : array of shape (n_classes,)
        How new documents, of length 1, are read: a logistic regression on the labels found.
    alignment_certainty_ : float
        How clearly words speak for the names of the targets' classes, as of :class:`MTrick`; a
        warning tells of less than 4. 0 for documents with values below zero.

    Notes
    -----
    ``from_preset("paper")`` leaves the labels as they are and searches no neighbours on the other
    side. The original weighs edges by a Gaussian of the distance; here it is the cosine, and
    the nearest only. :class:`SklearnLabelSpreading` is the same method in scikit-learn, with its
    settings.

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
        self, affinity: Affinity, nodes: Nodes, data: TrainingData, X: Any
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
