"""Base of the classifiers that use the labeled rows only."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from isthmus._warnings import warn_user
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.domain_estimator import ALL_ENGINES
from isthmus.estimators.base.fitted_model import Fit, FittedModel, LinearModel
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import (
    labeled_blocks,
    one_row_per_class,
    uses_sklearn,
)
from isthmus.estimators.components.parameters import (
    MAX_C,
    check_choice,
    check_number,
    check_whole_number,
)
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import take_rows, with_narrow_indices
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback
from isthmus.solvers.linear.logistic import LinearFit

# Beyond this range liblinear does not converge in reasonable time and cannot be interrupted.
_LARGEST = 1e12


class SourceOnlyClassifier(TransferClassifier):
    """Base: a linear classifier that ignores unlabeled rows.

    Parameters
    ----------
    C : float, default=1.0
        Inverse regularization strength.
    max_iter : int, default=1000
        Maximum number of iterations of the solver.
    class_weight : None, "balanced" or dict, default=None
        Weight of the rows of every class, by label; a class that is not in the dict has weight 1.
        "balanced" gives all classes the same total weight.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms, one row per class also for two classes.
    intercept_ : array of shape (n_classes,)
        Intercept of every class.
    n_iter_ : int
        Number of iterations.
    """

    _engines: ClassVar[tuple[str, ...]] = ALL_ENGINES
    _model_class: ClassVar[type[FittedModel]] = LinearModel
    _sources_need_labels: ClassVar[bool] = False

    def __init__(
        self,
        C: float = 1.0,
        *,
        max_iter: int = 1000,
        class_weight: str | Mapping[Any, float] | None = None,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.C = C
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        check_number("C", self.C, above=0, most=MAX_C)
        check_whole_number("max_iter", self.max_iter, least=1)
        if isinstance(self.class_weight, Mapping):
            for label, weight in self.class_weight.items():
                check_number(f"class_weight[{label!r}]", weight, above=0, most=MAX_C)
        elif self.class_weight is not None:
            check_choice("class_weight", self.class_weight, ("balanced",))

    def _weights_of_codes(self, data: TrainingData) -> str | dict[int, float] | None:
        """``class_weight`` with class numbers in place of labels."""
        if not isinstance(self.class_weight, Mapping):
            return self.class_weight
        labels = data.problem.classes.tolist()
        unknown = [label for label in self.class_weight if label not in labels]
        if unknown:
            raise ValueError(
                f"class_weight has the class {unknown[0]!r}, which no row has: use classes of y."
            )
        return {code: self.class_weight.get(y, 1.0) for code, y in enumerate(labels)}

    @abstractmethod
    def _fit_linear(self, X: Any, labels: Any, data: TrainingData) -> Any:
        """A scikit-learn classifier fitted to the labeled rows."""

    @abstractmethod
    def _fit_blocks(
        self,
        blocks: Sequence[Documents],
        labels: Sequence[NDArray[np.intp]],
        data: TrainingData,
    ) -> LinearFit:
        """The same classifier, fitted to blocks of labeled rows on their engine."""

    def _class_weights(
        self, data: TrainingData, labels: Sequence[NDArray[np.intp]]
    ) -> NDArray[np.float64] | None:
        """One weight per class, as scikit-learn computes it; None if all are 1."""
        if self.class_weight is None:
            return None
        weights = self._weights_of_codes(data)
        n_classes = data.problem.n_classes
        if isinstance(weights, dict):
            return np.array([weights[code] for code in range(n_classes)])
        counts = np.bincount(np.concatenate(labels), minlength=n_classes)
        return np.asarray(counts.sum() / (n_classes * counts))

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        if uses_sklearn(data.engine, data.problem.n_labeled):
            return self._fit_by_sklearn(data)
        return self._fit_on_engine(data)

    def _fit_on_engine(self, data: TrainingData) -> Fit:
        problem = data.problem
        blocks, labels = labeled_blocks(problem)
        _check_norms(blocks)
        fit = self._fit_blocks(blocks, labels, data)
        if not fit.converged:
            warn_user(
                f"{type(self).__name__} stopped after max_iter={self.max_iter} iterations before "
                "the objective converged: increase max_iter.",
                ConvergenceWarning,
            )
        model = _linear_model(data, fit.coef, fit.intercept)
        memberships = []
        for domain in problem.domains:
            part = np.zeros((len(domain.labels), problem.n_classes), data.X.dtype)
            unknown = ~domain.labeled
            if unknown.any():
                part[unknown] = model.memberships_of(domain.documents)[unknown]
            memberships.append(part)
        return Fit(model, memberships, {"n_iter_": fit.n_iter})

    def _fit_by_sklearn(self, data: TrainingData) -> Fit:
        X, problem = data.X, data.problem
        labels = problem.labels
        known, unknown = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
        _check_scale(take_rows(X, known))
        with one_thread():
            linear = self._fit_linear(with_narrow_indices(take_rows(X, known)), labels[known], data)
        model = _linear_model(data, linear.coef_, linear.intercept_)
        memberships = np.zeros((problem.n_rows, problem.n_classes), X.dtype)
        if len(unknown):
            memberships[unknown] = model.predict_memberships(take_rows(X, unknown), 0)
        return Fit(
            model,
            [memberships[domain.rows] for domain in problem.domains],
            {"n_iter_": int(np.max(linear.n_iter_))},
        )


def _linear_model(data: TrainingData, coef: NDArray[Any], intercept: NDArray[Any]) -> LinearModel:
    coef, intercept = one_row_per_class(coef, intercept)
    return LinearModel(
        term_totals=data.term_totals,
        coef=coef,
        intercept=intercept,
        unit_norm=False,
        skips_empty=False,
    )


def _check_scale(X: Any) -> None:
    values = X.data if sparse.issparse(X) else X
    _check_largest(float(np.abs(values).max(initial=0.0)))


def _check_norms(blocks: Sequence[Documents]) -> None:
    # Documents have no largest entry; that of a row is close enough to its norm.
    _check_largest(max(float(block.row_norms().max()) for block in blocks))


def _check_largest(largest: float) -> None:
    if largest > _LARGEST or 0 < largest < 1 / _LARGEST:
        raise ValueError(
            f"The largest value of X is {largest:.1g}, too far from 1 for a linear classifier: "
            "scale the values."
        )
