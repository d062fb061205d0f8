"""The fitted model of the automatic method: one linear rule per domain, on one matrix or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array

from isthmus.estimators.base.domain_estimator import check_same_index
from isthmus.estimators.base.fitted_model import FittedModel, array_per_domain
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import (
    calibrate_temperature,
    fit_logistic_to_memberships,
    softmax_memberships,
)
from isthmus.estimators.components.repeatable_kmeans import random_projections
from isthmus.matrices.engines import current_engine, is_distributed
from isthmus.matrices.rows import as_documents, canonical, take_rows, with_unit_rows

# Inverse regularization strength; rows have unit norm.
_C = 10.0
# Documents that a rule is fitted to; more change it very little.
_MAX_ROWS = 50_000


def read_second_view(second_view: Any, X: Any, dtype: Any) -> Any:
    """The second matrix as CSR; None stays None.

    ``X`` is the first matrix as the caller passed it, and ``dtype`` that of the validated one.
    """
    if second_view is None:
        return None
    check_same_index(X, second_view, "second_view")
    if is_distributed(second_view) or is_distributed(X):
        return _read_distributed(second_view, X)
    # Values that are too large for the dtype are refused, because they become infinite first.
    with np.errstate(over="ignore"):
        Z = check_array(second_view, accept_sparse="csr", dtype=dtype, input_name="second_view")
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if Z.shape[0] != n_rows:
        raise ValueError(
            f"second_view has {Z.shape[0]} rows but X has {n_rows}: it must have one row per row "
            "of X, in the same order."
        )
    return canonical(sparse.csr_matrix(Z))


def _read_distributed(second_view: Any, X: Any) -> Any:
    """A second matrix of distributed rows, in the blocks of the first one."""
    if not is_distributed(X):
        raise ValueError("second_view is a distributed matrix, but X is not: distribute both.")
    if second_view.shape[0] != X.shape[0]:
        raise ValueError(
            f"second_view has {second_view.shape[0]} rows but X has {X.shape[0]}: it must have one "
            "row per row of X, in the same order."
        )
    if is_distributed(second_view):
        return second_view
    return X.with_same_blocks(canonical(sparse.csr_matrix(second_view, dtype=X.dtype)))


def side_by_side(X: Any, second_view: Any) -> Any:
    """Both matrices as one, without scaling; ``X`` if there is no second one."""
    if second_view is None:
        return X
    if is_distributed(X):
        return X.joined(second_view)
    return sparse.csr_matrix(sparse.hstack([sparse.csr_matrix(X), second_view]), dtype=X.dtype)


def joined(X: Any, second_view: Any) -> Any:
    """Both matrices with unit-norm rows, each times the square root of one half."""
    if second_view is None:
        return with_unit_rows(X)
    if is_distributed(X):
        return X.joined(second_view, float(np.sqrt(0.5)))
    scale = X.dtype.type(np.sqrt(0.5))
    parts = [scale * with_unit_rows(sparse.csr_matrix(X)), scale * with_unit_rows(second_view)]
    return canonical(sparse.csr_matrix(sparse.hstack(parts), dtype=X.dtype))


@dataclass(frozen=True, kw_only=True)
class AutoModel(FittedModel):
    """A linear rule per domain, fitted to the labels that the members agreed on.

    A new document has the columns of ``X`` followed by those of the second matrix, if there was
    one.
    """

    coef: Mapping[int, NDArray[Any]] = array_per_domain("classes", "terms")
    intercept: Mapping[int, NDArray[Any]] = array_per_domain("classes")
    second_coef: Mapping[int, NDArray[Any]] | None = array_per_domain(
        "classes", "second_terms", optional=True
    )
    """Weights of the columns of the second matrix; None if there was none."""

    @property
    def n_second(self) -> int:
        """Number of columns of the second matrix; 0 if there was none."""
        if self.second_coef is None:
            return 0
        return int(next(iter(self.second_coef.values())).shape[1])

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        coef = self.coef[domain]
        if self.second_coef is None:
            rows = joined(X, None)
        else:
            n_terms = coef.shape[1]
            rows = joined(X[:, :n_terms], X[:, n_terms:])
            coef = np.hstack([coef, self.second_coef[domain]])
        memberships = softmax_memberships(rows, coef, self.intercept[domain]).astype(X.dtype)
        memberships[_row_norms(rows) == 0] = 0
        return memberships

    def word_weights(self) -> dict[int, NDArray[Any]]:
        return {n: totals[:, None] * self.coef[n].T for n, totals in self.term_totals.items()}


def _row_norms(rows: Any) -> NDArray[Any]:
    if not is_distributed(rows):
        return np.asarray(as_documents(rows).row_norms())
    engine = current_engine()
    return engine.to_host(engine.documents(rows).row_norms())


def fit_rules(
    data: TrainingData, rows: Any, memberships: Sequence[NDArray[Any]], source_only: Any
) -> AutoModel:
    """One rule per domain.

    The rule of a target is fitted to its labels. That of a source is the source-only classifier.
    ``rows`` are all rows of both matrices with unit norm.
    """
    n_terms = data.X.shape[1]
    coef, second, intercept = {}, {}, {}
    for domain, part in zip(data.problem.domains, memberships, strict=True):
        number = domain.number
        targets = _with_labels(domain, part)
        if domain.is_target and targets.any():
            positions = np.arange(data.problem.n_rows)[domain.rows]
            rule = _fit_rule(take_rows(rows, positions), targets)
        else:
            weights, bias = source_only.model_.coef, source_only.model_.intercept
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
