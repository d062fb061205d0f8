"""Linear rules for new documents, fitted to the labels of the automatic method."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import (
    calibrate_temperature,
    fit_logistic_to_memberships,
)
from isthmus.estimators.components.repeatable_kmeans import random_projections
from isthmus.estimators.ensemble._combination import Combination
from isthmus.estimators.ensemble._model import AutoModel
from isthmus.matrices.rows import take_rows

__all__ = ["fit_rules"]

# Inverse regularization strength; rows have unit norm.
_C = 10.0
# Documents that a rule is fitted to; more change it very little.
_MAX_ROWS = 50_000


def fit_rules(data: TrainingData, combination: Combination) -> AutoModel:
    """One rule per domain.

    The rule of a target is fitted to its labels. That of a source is the source-only classifier.
    """
    n_terms = data.X.shape[1]
    rows = combination.rows
    coef, second, intercept = {}, {}, {}
    source = combination.source_only
    for domain, memberships in zip(data.problem.domains, combination.memberships, strict=True):
        number = domain.number
        targets = _with_labels(domain, memberships)
        if domain.is_target and targets.any():
            positions = np.arange(data.problem.n_rows)[domain.rows]
            rule = _fit_rule(take_rows(rows, positions), targets)
        else:
            weights, bias = source.model_.coef, source.model_.intercept  # type: ignore[attr-defined]
            scale = np.sqrt(2.0) if data.second_view is not None else 1.0
            padded = np.zeros((len(weights), rows.shape[1]), rows.dtype)
            padded[:, :n_terms] = scale * weights
            rule = padded, bias
        coef[number] = rule[0][:, :n_terms].astype(rows.dtype)
        second[number] = rule[0][:, n_terms:].astype(rows.dtype)
        intercept[number] = np.asarray(rule[1], rows.dtype)
    return AutoModel(
        term_totals=data.term_totals,
        coef=coef,
        intercept=intercept,
        second_coef=None if data.second_view is None else second,
    )


def _with_labels(domain: Any, memberships: NDArray[Any]) -> NDArray[Any]:
    """Memberships with the given labels of labeled rows."""
    targets = memberships.copy()
    known = domain.labeled
    targets[known] = np.eye(memberships.shape[1])[domain.labels[known]]
    return targets


def _fit_rule(rows: Any, targets: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Weights and intercepts with the mean confidence of the labels."""
    filled = np.flatnonzero(targets.any(axis=1))
    if len(filled) > _MAX_ROWS:
        order = random_projections(take_rows(rows, filled), np.random.default_rng(0))
        spread = np.linspace(0, len(filled) - 1, _MAX_ROWS).astype(np.intp)
        filled = np.sort(filled[np.argsort(order, kind="stable")[spread]])
        rows, targets = take_rows(rows, filled), targets[filled]
        filled = np.arange(len(filled))
    coef, intercept = fit_logistic_to_memberships(rows, targets, _C)
    confidence = float(targets[filled].max(axis=1).mean())
    return calibrate_temperature(coef, intercept, take_rows(rows, filled), confidence)
