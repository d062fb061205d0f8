"""Support vector machines with a Gaussian kernel, one class against the rest, as in DKT's paper."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from isthmus.domains.labels import code_labels
from isthmus.domains.parse import read_sample_domain
from isthmus.estimators.base.fitted_model import Fit
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.parameters import MAX_C, check_number
from isthmus.estimators.self_training.tsvm import TSVM
from isthmus.matrices.rows import with_narrow_indices, with_unit_rows
from isthmus.numerics.progress import Callback
from isthmus_bench.peers.gaussian_graphs import check_rows

__all__ = ["GaussianSVM", "GaussianTSVM"]


class GaussianSVM(ClassifierMixin, BaseEstimator):
    """Support vector machines with the kernel ``exp(-gamma ||x - y||^2)`` of unit-norm rows.

    There is one machine per class against the rest, with the hinge loss, and the largest decision
    value decides.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the hinge loss.
    gamma : float or None, default=None
        None is 1 divided by the number of terms, as in the paper of DKT.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    transduction_ : array of shape (n_rows,)
        The class of every row; rows that were trained on keep their label.
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {}

    #: Nothing is random.
    is_random: ClassVar[bool] = False

    def __init__(self, C: float = 1.0, *, gamma: float | None = None) -> None:
        self.C = C
        self.gamma = gamma

    def _check_parameters(self) -> None:
        _check_parameters(self)

    def fit(self, X: Any, y: Any, sample_domain: Any) -> Self:
        """Fit labeled rows and predict the others (label None); target domains are below 0."""
        self._check_parameters()
        is_target = read_sample_domain(sample_domain, X.shape[0]) < 0
        codes, self.classes_ = code_labels(y, None, is_target)
        known = codes >= 0
        check_rows(int(known.sum()), type(self).__name__)
        rows = with_narrow_indices(with_unit_rows(X))
        # Decision values are so close to each other that the default tolerance is too coarse.
        machine = SVC(C=self.C, gamma=_gamma(self, X), tol=1e-6, cache_size=1000)
        self.machines_ = OneVsRestClassifier(machine).fit(rows[known], codes[known])
        if not known.all():
            codes[~known] = self.machines_.predict(rows[~known])
        self.transduction_ = self.classes_[codes]
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The value of every class, or for two classes of the second one."""
        return np.asarray(self.machines_.decision_function(with_narrow_indices(with_unit_rows(X))))

    def predict(self, X: Any, sample_domain: Any = None) -> NDArray[Any]:
        """Labels of new documents, of any domain."""
        rows = with_narrow_indices(with_unit_rows(X))
        return np.asarray(self.classes_[self.machines_.predict(rows)])


class GaussianTSVM(TSVM):
    """TSVM with the kernel ``exp(-gamma ||x - y||^2)``, for a small ``gamma``.

    For unit-norm rows the kernel is a constant, which the intercept absorbs, plus ``2 gamma x y``
    up to a relative error of about ``gamma``: this is :class:`isthmus.TSVM` with both weights
    multiplied by ``2 gamma``. Two differences to SVM-light, which the paper of DKT uses, remain.
    The hinge loss is squared. And with several classes the machines share their labels: every
    document has one class, where SVM-light fits independent machines of one class against the rest.

    Parameters
    ----------
    C, unlabeled_C : float, default=1.0
        Weights of labeled and of unlabeled documents for the Gaussian kernel.
    gamma : float or None, default=None
        None is 1 divided by the number of terms, as in the paper of DKT; at most 0.01, so that the
        kernel is nearly linear.
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {}

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float | None = None,
        unlabeled_C: float = 1.0,
        initial_C_ratio: float = 1e-3,
        intercept_scaling: float = 10.0,
        max_iter: int = 10,
        tol: float = 0.0,
        class_prior: Any = "source",
        missing_label: Any = -1,
    ) -> None:
        super().__init__(
            C,
            unlabeled_C=unlabeled_C,
            initial_C_ratio=initial_C_ratio,
            intercept_scaling=intercept_scaling,
            max_iter=max_iter,
            tol=tol,
            class_prior=class_prior,
            missing_label=missing_label,
        )
        self.gamma = gamma

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _check_parameters(self)
        if self.gamma is not None:
            check_number("gamma", self.gamma, above=0, most=0.01)

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        scale = 2 * _gamma(self, data.X)
        linear = TSVM(
            self.C * scale,
            unlabeled_C=self.unlabeled_C * scale,
            initial_C_ratio=self.initial_C_ratio,
            # The penalty of the intercept is that of the machine with the kernel.
            intercept_scaling=self.intercept_scaling / np.sqrt(scale),
            max_iter=self.max_iter,
            tol=self.tol,
        )
        return linear._fit(data, callback)


def _check_parameters(machine: GaussianSVM | GaussianTSVM) -> None:
    check_number("C", machine.C, above=0, most=MAX_C)
    if machine.gamma is not None:
        check_number("gamma", machine.gamma, above=0, most=1e6)


def _gamma(machine: GaussianSVM | GaussianTSVM, X: Any) -> float:
    return 1 / X.shape[1] if machine.gamma is None else float(machine.gamma)
