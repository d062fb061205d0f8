"""Logistic regression on the labeled rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.baselines._source_only import SourceOnlyClassifier
from isthmus.estimators.components.linear_models import (
    fit_linear_blocks,
    fit_logistic,
    fit_logistic_on_engine,
    have_unit_norm,
)
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import with_unit_rows
from isthmus.solvers.linear.logistic import LinearFit


class SourceLogistic(SourceOnlyClassifier):
    """Logistic regression on the labeled rows (LG in the tables of the papers).

    Minimizes ``1/2 ||w||^2 + C sum_labeled log-loss``. Rows are used as they are weighted.


    Examples
    --------
    The weights are positive for the terms that speak for a class:

    >>> from isthmus import SourceLogistic
    >>> X = [[2, 0, 1, 0], [0, 2, 0, 1], [1, 0, 2, 0], [0, 1, 0, 2]]
    >>> model = SourceLogistic().fit(X, ["art", "sport", None, None])
    >>> model.transduction_.tolist()
    ['art', 'sport', 'art', 'sport']
    >>> (model.coef_[0] > 0).tolist()
    [True, False, True, False]
    """

    def _fit_linear(self, X: Any, labels: Any, data: TrainingData) -> LogisticRegression:
        if self.C == 1.0 and self.class_weight is None and with_unit_rows(X) is X:
            # The same fit as the initial classifier of many methods.
            return fit_logistic(X, labels, self.max_iter, data.shared)
        return LogisticRegression(
            C=self.C, max_iter=self.max_iter, class_weight=self._weights_of_codes(data)
        ).fit(X, labels)

    def _fit_blocks(
        self,
        blocks: Sequence[Documents],
        labels: Sequence[NDArray[np.intp]],
        data: TrainingData,
    ) -> LinearFit:
        if self.C == 1.0 and self.class_weight is None and have_unit_norm(blocks):
            return fit_logistic_on_engine(data.problem, self.max_iter, data.shared)
        return fit_linear_blocks(
            "logistic",
            blocks,
            labels,
            data.problem.n_classes,
            C=self.C,
            max_iter=self.max_iter,
            class_weight=self._class_weights(data, labels),
        )
