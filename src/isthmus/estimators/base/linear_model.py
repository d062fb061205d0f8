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
    calibrate_by_scores,
    fit_logistic_to_memberships,
    linear_scores,
    softmax_memberships,
    softmax_of_documents,
    with_unit_norm,
)
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.engines import current_engine
from isthmus.matrices.protocols import Documents
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
        engine = current_engine()
        if engine.name != "cpu":
            return self.memberships_of(engine.documents(X))
        memberships = softmax_memberships(X, self.coef, self.intercept, unit_norm=self.unit_norm)
        memberships = memberships.astype(X.dtype)
        if self.skips_empty:
            memberships[as_documents(X).row_norms() == 0] = 0
        return memberships

    def memberships_of(self, documents: Documents) -> NDArray[Any]:
        """Class memberships of documents of any engine, as a NumPy array."""
        rows = with_unit_norm(documents) if self.unit_norm else documents
        memberships = softmax_of_documents(rows, self.coef, self.intercept, documents.dtype)
        if self.skips_empty:
            memberships[documents.engine.to_host(documents.row_norms()) == 0] = 0
        return memberships

    def word_weights(self) -> dict[int, NDArray[Any]]:
        return {n: totals[:, None] * self.coef.T for n, totals in self.term_totals.items()}


def predict_rows(model: FittedModel, data: TrainingData) -> list[NDArray[Any]]:
    """Memberships of the fitted rows by the rule for new documents, one array per domain."""
    if isinstance(model, LinearModel) and data.engine.name != "cpu":
        # The documents of the domains are on the engine already.
        return [model.memberships_of(domain.documents) for domain in data.problem.domains]
    parts = rows_of_domains(data.problem, data.X)
    return [model.predict_memberships(part, number) for number, part in parts]


def fit_to_memberships(
    data: TrainingData, memberships: NDArray[Any], *, predict_unreached: bool = True
) -> Fit:
    """A fit for methods that label the given documents only.

    ``memberships`` has one row per row of ``data.X``, zeros for documents that the method did not
    reach; labeled rows are ignored. New documents are predicted by a logistic regression on these
    labels, scaled to the mean confidence of the method. It also predicts the unreached documents,
    or else they get the class prior.
    """
    memberships = np.array(memberships, data.X.dtype)
    model = _fit_rule(data, memberships)
    labels = data.problem.labels
    unreached = np.flatnonzero(~memberships.any(axis=1) & (labels < 0))
    if len(unreached):
        predicted = model.predict_memberships(data.X[unreached], 0)
        n_unreached, n_unlabeled = int(predicted.any(axis=1).sum()), int((labels < 0).sum())
        if n_unreached > _MANY * n_unlabeled:
            remedy = (
                "a classifier of the other documents labels them"
                if predict_unreached
                else "they get the class prior of the source"
            )
            warn_user(
                f"{n_unreached} of {n_unlabeled} unlabeled documents are not connected to any "
                f"labeled document: {remedy}. Check that the documents of all domains were "
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
    coef, intercept = fit_logistic_to_memberships(X, targets, _C_FOR_LABELS, data.problem)
    reached = np.flatnonzero(~known & targets.any(axis=1))
    if len(reached):
        probabilities = targets[reached] / targets[reached].sum(axis=1, keepdims=True)
        confidence = float(probabilities.max(axis=1).mean())
        scores = unit_norm_scores(data, coef, intercept, reached)
        coef, intercept = calibrate_by_scores(coef, intercept, scores, confidence)
    return LinearModel(
        term_totals=data.term_totals,
        coef=coef.astype(X.dtype),
        intercept=intercept.astype(X.dtype),
        unit_norm=True,
        skips_empty=True,
    )


def unit_norm_scores(
    data: TrainingData, coef: NDArray[Any], intercept: NDArray[Any], rows: NDArray[np.intp]
) -> NDArray[Any]:
    """Linear scores of some rows, scaled to unit norm."""
    engine = data.engine
    if engine.name == "cpu":
        return np.asarray(with_unit_rows(data.X[rows]) @ coef.T + intercept)
    parts = [
        engine.to_host(linear_scores(with_unit_norm(domain.documents), coef, intercept))
        for domain in data.problem.domains
    ]
    return np.asarray(data.problem.gather(parts)[rows])
