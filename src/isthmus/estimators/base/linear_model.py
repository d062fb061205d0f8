"""A linear rule as the model of a classifier, fitted directly or to the labels of a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus._warnings import warn_user
from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.base.fitted_model import Fit, FittedModel, array, flag
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import (
    fit_logistic_to_memberships,
    softmax_memberships,
)
from isthmus.estimators.components.temperature import calibrate_temperature
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.rows import with_unit_rows

__all__ = ["LinearModel", "fit_to_memberships", "predict_rows"]

# C of the logistic regression that is fitted to the labels of a method.
_C_FOR_LABELS = 1.0
# A larger proportion of unreached documents is worth a warning.
_MANY = 0.05


@dataclass(frozen=True, kw_only=True)
class LinearModel(FittedModel):
    """Class probabilities are the softmax of ``x @ coef.T + intercept``."""

    coef: NDArray[Any] = array("classes", "terms")
    intercept: NDArray[Any] = array("classes")
    unit_norm: bool = flag()
    """Whether rows are scaled to unit norm first."""
    skips_empty: bool = flag()
    """Whether nothing is predicted for a document without a term."""

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        rows = with_unit_rows(X) if self.unit_norm else X
        memberships = softmax_memberships(rows, self.coef, self.intercept).astype(X.dtype)
        if self.skips_empty:
            memberships[as_documents(X).row_norms() == 0] = 0
        return memberships

    def word_weights(self) -> dict[int, NDArray[Any]]:
        return {n: totals[:, None] * self.coef.T for n, totals in self.term_totals.items()}


def predict_rows(model: FittedModel, data: TrainingData) -> list[NDArray[Any]]:
    """Memberships of the fitted rows by the rule for new documents, one array per domain."""
    parts = rows_of_domains(data.problem, data.X)
    return [model.predict_memberships(part, number) for number, part in parts]


def fit_to_memberships(
    data: TrainingData, memberships: NDArray[Any], *, predict_unreached: bool = True
) -> Fit:
    """A fit for methods that label the given documents only.

    ``memberships`` has one row per row of ``data.X``, zeros for documents that the method did not
    reach; labelled rows are ignored. New documents are predicted by a logistic regression on these
    labels, scaled to the mean confidence of the method. It also predicts the unreached documents,
    or else they get the class prior.
    """
    memberships = np.array(memberships, data.X.dtype)
    model = _fit_rule(data, memberships)
    labels = data.problem.labels
    unreached = np.flatnonzero(~memberships.any(axis=1) & (labels < 0))
    if len(unreached):
        predicted = model.predict_memberships(data.X[unreached], 0)
        n_unreached, n_unlabelled = int(predicted.any(axis=1).sum()), int((labels < 0).sum())
        if n_unreached > _MANY * n_unlabelled:
            remedy = (
                "a classifier of the other documents labels them"
                if predict_unreached
                else "they get the class prior of the source"
            )
            warn_user(
                f"{n_unreached} of {n_unlabelled} unlabelled documents are not connected to any "
                f"labelled document: {remedy}. Check that the documents of all domains were "
                "counted with one vocabulary."
            )
        if predict_unreached:
            memberships[unreached] = predicted
    return Fit(model, [memberships[domain.rows] for domain in data.problem.domains])


def _fit_rule(data: TrainingData, memberships: NDArray[Any]) -> LinearModel:
    X, labels = data.X, data.problem.labels
    known = labels >= 0
    targets = memberships.copy()
    targets[known] = np.eye(data.problem.n_classes)[labels[known]]
    coef, intercept = fit_logistic_to_memberships(X, targets, _C_FOR_LABELS)
    reached = np.flatnonzero(~known & targets.any(axis=1))
    if len(reached):
        probabilities = targets[reached] / targets[reached].sum(axis=1, keepdims=True)
        confidence = float(probabilities.max(axis=1).mean())
        coef, intercept = calibrate_temperature(
            coef, intercept, with_unit_rows(X[reached]), confidence
        )
    return LinearModel(
        term_totals=data.term_totals,
        coef=coef.astype(X.dtype),
        intercept=intercept.astype(X.dtype),
        unit_norm=True,
        skips_empty=True,
    )
