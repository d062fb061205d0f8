"""Base of the classifiers that use the labelled rows only."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel
from isthmus.estimators.base.linear_model import LinearModel
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import one_row_per_class
from isthmus.estimators.components.parameters import (
    MAX_C,
    check_choice,
    check_number,
    check_whole_number,
)
from isthmus.matrices.rows import take_rows, with_narrow_indices
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback

# Beyond this range liblinear does not converge in reasonable time and cannot be interrupted.
_LARGEST = 1e12


class SourceOnlyClassifier(TransferClassifier):
    """Base: a linear classifier that ignores unlabelled rows."""

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
        """A scikit-learn classifier fitted to the labelled rows."""

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        X, problem = data.X, data.problem
        labels = problem.labels
        known, unknown = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
        _check_scale(take_rows(X, known))
        with one_thread():
            linear = self._fit_linear(with_narrow_indices(take_rows(X, known)), labels[known], data)
        coef, intercept = one_row_per_class(linear.coef_, linear.intercept_)
        model = LinearModel(
            term_totals=data.term_totals,
            coef=coef,
            intercept=intercept,
            unit_norm=False,
            skips_empty=False,
        )
        memberships = np.zeros((problem.n_rows, problem.n_classes), X.dtype)
        if len(unknown):
            memberships[unknown] = model.predict_memberships(take_rows(X, unknown), 0)
        return Fit(
            model,
            [memberships[domain.rows] for domain in problem.domains],
            {"n_iter_": int(np.max(linear.n_iter_))},
        )


def _check_scale(X: Any) -> None:
    values = X.data if sparse.issparse(X) else X
    largest = float(np.abs(values).max(initial=0.0))
    if largest > _LARGEST or 0 < largest < 1 / _LARGEST:
        raise ValueError(
            f"The largest value of X is {largest:.1g}, too far from 1 for a linear classifier: "
            "scale the values."
        )
