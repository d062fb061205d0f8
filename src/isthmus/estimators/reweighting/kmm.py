"""Kernel mean matching as a classifier."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel, LinearModel, predict_rows
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import linear_model, one_row_per_class, rows_where
from isthmus.estimators.components.parameters import (
    MAX_C,
    check_choice,
    check_number,
    check_whole_number,
)
from isthmus.matrices.rows import unit_rows_of
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback, Stopping
from isthmus.solvers.reweighting.covariate_shift import effective_size
from isthmus.solvers.reweighting.kmm import MatchedMeans, kernel_mean_matching, mean_document

# A smaller effective proportion of the source is worth a warning.
_MIN_EFFECTIVE_PROPORTION = 0.05
# Weight of documents that match nothing: a class with weights of 0 would not be learned at all.
_LEAST_WEIGHT = 1e-3
# Number of consecutive small changes: one step without progress only ends the momentum.
_PATIENCE = 2


class KernelMeanMatching(TransferClassifier):
    """Train a linear classifier on source documents weighted so that their mean is the target's.

    The weights ``b`` minimize ``||sum_i b_i x_i / n - m||^2 / ||m||^2``, where ``m`` is the mean of
    the target documents, subject to ``0 <= b_i <= max_weight`` and ``|mean(b) - 1| <= epsilon``.
    Then the classifier minimizes ``1/2 ||w||^2 + C sum_i b_i loss(y_i, w'x_i)``. If the domains
    differ in ``p(x)`` but not in ``p(y|x)``, this is the loss on the target, as far as the mean
    determines ``p(x)``. Unlike :class:`CovariateShift` it estimates no density ratio.

    Documents are scaled to unit norm, so the kernel is the cosine similarity, and a fit needs
    products with the documents only. The sources are pooled, and so are the targets: one rule
    predicts all of them. Labeled target documents have a weight of 1, and so have empty source
    documents.

    This implementation follows descriptions of the method, not the original paper, which uses
    Gaussian kernels. The cosine similarity, the accelerated projected gradient and the default of
    ``max_weight`` are our own choices. Weights cannot add words that the source does not have: on
    short texts the gain over the unweighted SVM is small.

    Parameters
    ----------
    max_weight : float, default=2.0
        Upper bound of the weights, at least 1. With 1 (and ``epsilon=0``) all weights are 1; with
        large values a few documents may get all the weight.
    epsilon : float or None, default=0.0
        By how much the mean weight may differ from 1. None is ``1 - 1 / sqrt(n)`` for n source
        documents, the usual choice for this method.
    classifier : {"svm", "logistic"}, default="svm"
        Fitted with the weights.
    C : float, default=1.0
        Inverse regularization strength of the classifier.
    max_iter : int, default=200
        Maximum number of iterations of the projected gradient.
    tol : float, default=0.0001
        The fit stops when two iterations in turn change the objective by less.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms.
    intercept_ : array of shape (n_classes,)
        Intercept of every class.
    sample_weight_ : array of shape (n_rows,)
        Weight of every labeled row, at least 0.001; 0 for unlabeled rows. Not stored in model
        files.
    effective_size_ : float
        Effective sample size of the source, ``(sum b)^2 / sum b^2``. A warning is given if it is
        below 5 % of the source. Not stored in model files.
    objective_ : array of shape (n_iterations + 1,)
        The squared distance of the means relative to the target's, for equal weights and after
        every iteration. Not stored in model files.
    n_iter_ : int
        Number of iterations. Not stored in model files.

    References
    ----------
    J. Huang, A. Smola, A. Gretton, K. Borgwardt, B. Schölkopf. Correcting Sample Selection Bias by
    Unlabeled Data. NIPS 2006.

    Examples
    --------
    The first term indicates "no" in most of the source, and "yes" in the source documents that are
    similar to the target:

    >>> from isthmus import KernelMeanMatching
    >>> X = [[1, 0, 3]] * 6 + [[0, 1, 3]] * 6 + [[1, 3, 0], [0, 3, 0]] * 3
    >>> y = ["no"] * 6 + ["yes"] * 6 + ["yes", "no"] + [None] * 4
    >>> model = KernelMeanMatching(max_weight=10, C=10).fit(X, y)
    >>> model.transduction_[-2:].tolist()
    ['yes', 'no']
    >>> KernelMeanMatching(max_weight=1, C=10).fit(X, y).transduction_[-2:].tolist()
    ['no', 'yes']
    """

    _has_objective: ClassVar[bool] = True
    _model_class: ClassVar[type[FittedModel]] = LinearModel
    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {"max_weight": 1000.0, "epsilon": None}
    }

    def __init__(
        self,
        max_weight: float = 2.0,
        *,
        epsilon: float | None = 0.0,
        classifier: str = "svm",
        C: float = 1.0,
        max_iter: int = 200,
        tol: float = 0.0001,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.max_weight = max_weight
        self.epsilon = epsilon
        self.classifier = classifier
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        check_number("max_weight", self.max_weight, least=1)
        if self.epsilon is not None:
            check_number("epsilon", self.epsilon, least=0)
        check_choice("classifier", self.classifier, ("svm", "logistic"))
        check_number("C", self.C, above=0, most=MAX_C)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_number("tol", self.tol, least=0)

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        sample_weight, result = self._weights(data.problem, callback)
        self._warn_if_unfinished(result.converged, result.interrupted, self.tol)
        coef, intercept = self._fit_weighted(data, sample_weight)
        model = LinearModel.of(data, coef, intercept)
        diagnostics = {
            "sample_weight_": sample_weight,
            "effective_size_": self._effective_size(result),
            "objective_": np.array(result.objective),
            "n_iter_": result.n_iter,
        }
        return Fit(model, predict_rows(model, data), diagnostics)

    def _weights(
        self, problem: Problem, callback: Callback | None
    ) -> tuple[NDArray[np.float64], MatchedMeans]:
        """Weight of every row (0 for unlabeled rows), and the solution for the source."""
        matched = [  # an empty document has no weight of its own: it would only change the mean
            domain.labeled & domain.filled & (not domain.is_target) for domain in problem.domains
        ]
        result = kernel_mean_matching(
            [
                rows_where(domain.documents, rows).unit_rows()
                for domain, rows in zip(problem.domains, matched, strict=True)
                if rows.any()
            ],
            mean_document(
                [domain.documents.unit_rows() for domain in problem.targets],
                problem.domains[0].documents.shape[1],
            ),
            max_weight=self.max_weight,
            epsilon=self._slack(sum(int(rows.sum()) for rows in matched)),
            stopping=Stopping(self.max_iter, self.tol, criterion="absolute", patience=_PATIENCE),
            callback=callback,
        )
        parts = [domain.labeled.astype(np.float64) for domain in problem.domains]
        first = 0
        for part, rows in zip(parts, matched, strict=True):
            last = first + int(rows.sum())
            part[rows] = np.maximum(result.weights[first:last], _LEAST_WEIGHT)
            first = last
        return problem.gather(parts), result

    def _slack(self, n_rows: int) -> float:
        return 1 - max(n_rows, 1) ** -0.5 if self.epsilon is None else float(self.epsilon)

    def _effective_size(self, result: MatchedMeans) -> float:
        size = effective_size(result.weights)
        if size < _MIN_EFFECTIVE_PROPORTION * len(result.weights):
            warn_user(
                f"The weights reduce {len(result.weights)} source documents to an effective sample "
                f"size of {size:.1f}, because few of them resemble the target: lower max_weight "
                f"(now {self.max_weight})."
            )
        return size

    def _fit_weighted(
        self, data: TrainingData, sample_weight: NDArray[np.float64]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Coefficients and intercepts of the classifier of the labeled rows."""
        labels = data.problem.labels
        rows = np.flatnonzero(labels >= 0)
        documents = unit_rows_of(data.X, rows)
        linear = linear_model(self.classifier, self.C)
        with one_thread():
            linear.fit(documents, labels[rows], sample_weight=sample_weight[rows])
        return one_row_per_class(linear.coef_, linear.intercept_)
