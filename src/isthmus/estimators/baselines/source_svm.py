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
