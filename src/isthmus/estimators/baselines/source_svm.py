"""Linear support vector machine on the labeled rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.baselines._source_only import SourceOnlyClassifier
from isthmus.estimators.components.linear_models import fit_linear_blocks
from isthmus.matrices.protocols import Documents
from isthmus.solvers.linear.logistic import LinearFit


class SourceSVM(SourceOnlyClassifier):
    """Linear support vector machine on the labeled rows (SVM in the tables of the papers).

    Minimizes ``1/2 ||w||^2 + C sum_labeled squared hinge``. The memberships are a softmax of the
    decision values. They rank documents well but are not calibrated.

    Parameters
    ----------
    C : float, default=1.0
        Inverse regularization strength.
    max_iter : int, default=1000
        Maximum number of iterations of the solver.
    class_weight : None, "balanced" or dict, default=None
        Weight of the rows of every class, by label; a class that is not in the dict has weight 1.
        "balanced" gives all classes the same total weight.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class prior of every target. The labels are matched to it by one log shift per class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None leaves the labels unchanged.
    missing_label : object, default=-1
        Marks unlabeled rows, in addition to None and NaN. None turns it off.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Labels of the classes, sorted. Columns of memberships have this order.
    transduction_ : array of shape (n_rows,)
        Label of every fitted row; labeled rows keep theirs.
    label_distributions_ : array of shape (n_rows, n_classes)
        Class memberships of every fitted row; rows sum to 1.
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms, one row per class also for two classes.
    intercept_ : array of shape (n_classes,)
        Intercept of every class.
    n_iter_ : int
        Number of iterations.
    domains_ : array of int of shape (n_domains,)
        Numbers of the fitted domains.
    class_prior_ : array of shape (n_classes,)
        Class proportions of the labeled source rows.
    domain_prior_ : dict of domain number to array of shape (n_classes,)
        Class prior of every domain: what ``class_prior`` says for a target, or else
        ``class_prior_``.
    term_totals_ : dict of domain number to array of shape (n_terms,)
        Sum of every term over the documents of a domain, as the method scales them.

    Examples
    --------
    Target documents without a word of the source get both classes with the same membership:

    >>> from isthmus import SourceSVM
    >>> X = [[2, 0, 1, 0], [0, 2, 1, 0], [1, 0, 2, 0], [0, 0, 0, 2]]
    >>> model = SourceSVM().fit(X, ["art", "sport", None, None])
    >>> model.transduction_[2]
    'art'
    >>> model.label_distributions_[3].round(1).tolist()
    [0.5, 0.5]
    """

    def _fit_linear(self, X: Any, labels: Any, data: TrainingData) -> LinearSVC:
        # The primal solver of liblinear draws no random order of the rows.
        return LinearSVC(
            C=self.C,
            max_iter=self.max_iter,
            class_weight=self._weights_of_codes(data),
            dual=False,
        ).fit(X, labels)

    def _fit_blocks(
        self,
        blocks: Sequence[Documents],
        labels: Sequence[NDArray[np.intp]],
        data: TrainingData,
    ) -> LinearFit:
        return fit_linear_blocks(
            "svm",
            blocks,
            labels,
            data.problem.n_classes,
            C=self.C,
            max_iter=self.max_iter,
            class_weight=self._class_weights(data, labels),
        )
