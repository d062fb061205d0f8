"""The self-training of scikit-learn, with domains."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import SelfTrainingClassifier

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel, LinearModel, predict_rows
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import one_row_per_class
from isthmus.estimators.components.parameters import (
    MAX_C,
    check_choice,
    check_number,
    check_whole_number,
)
from isthmus.matrices.rows import with_narrow_indices, with_unit_rows
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback


class SklearnSelfTraining(TransferClassifier):
    """Logistic regression that adds its own confident predictions to the training set.

    Minimizes ``1/2 ||w||^2 + C sum_{i in L} log-loss(y_i, x_i)``. Every unlabeled document ``x``
    with ``max_c p(c | x) > threshold`` is then added to ``L`` with that class, permanently. This
    repeats until no document is added. It is
    :class:`sklearn.semi_supervised.SelfTrainingClassifier` with the settings of scikit-learn on
    unit-norm rows, as a baseline.

    :class:`SelfTraining` differs in three ways that matter between domains. It uses a quota per
    class, so that a bias towards one class does not grow. It selects documents anew in every round,
    so that errors can be corrected. And it works with any method. Unlabeled rows of all domains
    are used in the same way.

    Parameters
    ----------
    threshold : float, default=0.75
        Minimum confidence, for ``criterion="threshold"``.
    criterion : {"threshold", "k_best"}, default="threshold"
        With "k_best" the most confident documents are added in every iteration.
    k_best : int, default=10
        Number of documents per iteration, for ``criterion="k_best"``.
    max_iter : int or None, default=10
        Maximum number of iterations; None continues until no document is added.
    C : float, default=1.0
        Inverse regularization strength.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class prior of every target. The labels are matched to it by one log shift per class; see
        :func:`isthmus.estimate_class_prior` for "estimate". It does not affect which documents are
        added. None leaves the labels unchanged.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms in the last fit.
    intercept_ : array of shape (n_classes,)
        Intercept of every class.
    n_iter_ : int
        Number of iterations that added documents; 1 if there were none. Not stored in model files.
    labeled_iter_ : array of shape (n_rows,)
        Iteration in which every row was added: 0 for labeled rows, -1 for rows that were not
        added. Not stored in model files.

    References
    ----------
    D. Yarowsky. Unsupervised Word Sense Disambiguation Rivaling Supervised Methods. ACL 1995.

    Examples
    --------
    The last document shares a term with an added document, but its confidence is too low:

    >>> from isthmus import SklearnSelfTraining
    >>> X = [[3, 0, 0, 0], [0, 3, 0, 0], [2, 0, 1, 0], [0, 2, 0, 1], [0, 0, 3, 0]]
    >>> model = SklearnSelfTraining(0.6, C=3).fit(X, ["a", "b", None, None, None])
    >>> model.transduction_.tolist()
    ['a', 'b', 'a', 'b', 'a']
    >>> model.labeled_iter_.tolist()
    [0, 0, 1, 1, -1]
    """

    _model_class: ClassVar[type[FittedModel]] = LinearModel

    def __init__(
        self,
        threshold: float = 0.75,
        *,
        criterion: str = "threshold",
        k_best: int = 10,
        max_iter: int | None = 10,
        C: float = 1.0,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.threshold = threshold
        self.criterion = criterion
        self.k_best = k_best
        self.max_iter = max_iter
        self.C = C
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        check_number("threshold", self.threshold, least=0)
        if self.threshold >= 1:
            raise ValueError(f"threshold must be below 1, got {self.threshold}.")
        check_choice("criterion", self.criterion, ("threshold", "k_best"))
        check_whole_number("k_best", self.k_best, least=1)
        if self.max_iter is not None:
            check_whole_number("max_iter", self.max_iter, least=0)
        check_number("C", self.C, above=0, most=MAX_C)

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        X, problem = data.X, data.problem
        documents = with_unit_rows(with_narrow_indices(X))
        labels = problem.labels  # -1 for unlabeled rows, as in scikit-learn
        linear: Any = LogisticRegression(C=self.C, max_iter=1000)
        n_iter, labeled_iter = 1, np.zeros(problem.n_rows, np.intp)
        with one_thread():
            if (labels >= 0).all():  # scikit-learn would warn
                linear.fit(documents, labels)
            else:
                wrapper = self._wrapped(linear, int((labels < 0).sum())).fit(documents, labels)
                linear = wrapper.estimator_
                n_iter, labeled_iter = max(wrapper.n_iter_, 1), wrapper.labeled_iter_
        coef, intercept = one_row_per_class(linear.coef_, linear.intercept_)
        model = LinearModel.of(data, coef, intercept)
        diagnostics = {"n_iter_": n_iter, "labeled_iter_": labeled_iter}
        return Fit(model, predict_rows(model, data), diagnostics)

    def _wrapped(self, model: LogisticRegression, n_unlabeled: int) -> SelfTrainingClassifier:
        return SelfTrainingClassifier(
            model,
            threshold=self.threshold,
            criterion=self.criterion,
            # scikit-learn warns if k_best exceeds the number of unlabeled rows.
            k_best=min(self.k_best, n_unlabeled),
            max_iter=self.max_iter,
        )
