"""The label spreading of scikit-learn, with domains."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.semi_supervised import LabelSpreading

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel, LinearModel, fit_to_memberships
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.neighbor_graph import graph_nodes
from isthmus.estimators.components.parameters import check_number, check_whole_number
from isthmus.matrices.rows import with_unit_rows
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback


class SklearnLabelSpreading(TransferClassifier):
    """:class:`sklearn.semi_supervised.LabelSpreading` on unit-norm rows.

    Iterates ``F <- alpha S F + (1 - alpha) Y`` on the nearest neighbor graph with equal edge
    weights. :class:`LLGC` solves the same problem to convergence, with edges weighted by cosine and
    equal class weights. This class is a baseline with the settings of scikit-learn.

    Parameters
    ----------
    n_neighbors : int, default=7
        Number of neighbors of a document in the graph.
    alpha : float, default=0.2
        Weight of the neighbors, between 0 and 1.
    max_iter : int, default=30
        Maximum number of iterations.

    Attributes
    ----------
    label_distributions_ : array of shape (n_rows, n_classes)
        Class memberships of every fitted row; rows sum to 1. A document that labels do not reach in
        ``max_iter`` iterations gets the class prior of its domain.
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms: logistic regression on the labels of the fitted documents, for new
        unit-norm documents.
    intercept_ : array of shape (n_classes,)
        Intercepts of the same rule.
    n_iter_ : int
        Number of iterations.
    alignment_certainty_ : float
        Evidence of the shared words that classes are not swapped, see :class:`MTrick`. A warning is
        given below 4. 0 for input with negative values.

    Notes
    -----
    All parameters have the default values of scikit-learn except the kernel, which is "knn": the
    Gaussian kernel would form a dense matrix of all pairs of documents. Duplicate documents count
    once.

    References
    ----------
    D. Zhou, O. Bousquet, T. N. Lal, J. Weston, B. Schölkopf. Learning with Local and Global
    Consistency. NIPS 2003.

    Examples
    --------
    >>> from isthmus import SklearnLabelSpreading
    >>> X = [[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 2, 0], [0, 1, 0, 2]]
    >>> y = ["art", "sport", None, None]
    >>> SklearnLabelSpreading(n_neighbors=2).fit(X, y).transduction_.tolist()
    ['art', 'sport', 'art', 'sport']
    """

    _model_class: ClassVar[type[FittedModel]] = LinearModel
    _checks_class_swap: ClassVar[bool] = True

    def __init__(
        self,
        n_neighbors: int = 7,
        *,
        alpha: float = 0.2,
        max_iter: int = 30,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.max_iter = max_iter
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        check_whole_number("n_neighbors", self.n_neighbors, least=1)
        check_number("alpha", self.alpha, above=0, most=0.9999)
        check_whole_number("max_iter", self.max_iter, least=1)

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        # scikit-learn resolves ties by row order; the order of nodes does not depend on it.
        nodes = graph_nodes(data.problem, data.X)
        memberships = np.zeros((len(nodes.rows), data.problem.n_classes))
        n_iter = 0
        if (nodes.labels >= 0).any():
            spreading = LabelSpreading(
                kernel="knn",
                n_neighbors=min(self.n_neighbors, len(nodes.rows)),
                alpha=self.alpha,
                max_iter=self.max_iter,
            )
            # scikit-learn divides 0 by 0 for documents that no label reaches.
            with one_thread(), np.errstate(invalid="ignore"):
                spreading.fit(sparse.csr_matrix(with_unit_rows(data.X[nodes.rows])), nodes.labels)
            n_iter = int(spreading.n_iter_)
            memberships[:, spreading.classes_] = np.nan_to_num(spreading.label_distributions_)
        # scikit-learn predicts nothing for unreached documents.
        fit = fit_to_memberships(data, nodes.to_rows(memberships), predict_unreached=False)
        return fit._replace(diagnostics={"n_iter_": n_iter})
