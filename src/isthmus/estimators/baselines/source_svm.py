"""Linear support vector machine on the labelled rows alone."""

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
    """Linear support vector machine on the labelled rows (SVM in the tables of the papers).

    Minimises ``1/2 ||w||^2 + C sum_labelled squared hinge``. The memberships are a softmax of the
    decision values. They rank documents well but are not calibrated.

    Parameters
    ----------
    C : float, default=1.0
    max_iter : int, default=1000
    class_weight : None, "balanced" or dict, default=None
        Weight of the rows of every class, by label; a class that is not in the dict has weight 1.
        "balanced" gives all classes the same total weight.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class prior of every target. The labels are matched to it by one log shift per class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None leaves the labels unchanged.
    missing_label : object, default=-1
        Marks unlabelled rows, in addition to None and NaN. None turns it off.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms, one row per class also for two classes.
    intercept_ : array of shape (n_classes,)
    n_iter_ : int
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
