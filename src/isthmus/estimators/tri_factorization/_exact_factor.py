"""What DKT and KTW share: exact updates without normalisation, on balanced columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.components.linear_models import (
    calibrate_temperature,
    learn_found_labels,
    linear_memberships,
)
from isthmus.estimators.components.parameters import check_choice, check_number
from isthmus.estimators.tri_factorization._base import TriFactorClassifier, with_documents
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.host import HostEngine
from isthmus.matrices.rows import take_rows, with_unit_rows
from isthmus.numerics.progress import Callback
from isthmus.numerics.scaling import column_balance, unit_rows
from isthmus.solvers.tri_factorization._base import TriFactorization
from isthmus.solvers.tri_factorization._fold_in import fold_in

#: Weights beyond this leave nothing of the documents, and overflow in float32.
LARGEST_WEIGHT = 1e9

# Chosen on German reviews held out: with 3 topics are as good, and opinions a point worse.
_C_OF_FOUND_LABELS = 10.0


class ExactFactorClassifier(TriFactorClassifier):
    """Base of tri-factorizations whose rows are not normalised, and which therefore stop early."""

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **TriFactorClassifier._fitted_shapes,
        "column_scale_": "m",
        "coef_": "cm",
        "intercept_": "c",
    }
    _signed: ClassVar[tuple[str, ...]] = (*TriFactorClassifier._signed, "coef_", "intercept_")

    column_power: float
    new_documents: str

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("alpha", self.alpha, most=LARGEST_WEIGHT)
        check_number("column_power", self.column_power, least=0, most=1)
        check_choice("new_documents", self.new_documents, ("classifier", "fold_in"))

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        memberships = super()._fit_problem(problem, X, callback)
        self.coef_ = np.zeros((problem.n_classes, X.shape[1]), X.dtype)
        self.intercept_ = np.zeros(problem.n_classes, X.dtype)
        if self.new_documents == "classifier":
            found = problem.gather(memberships).copy()
            known = problem.labels >= 0
            found[known] = np.eye(problem.n_classes)[problem.labels[known]]
            rule = learn_found_labels(X, found, _C_OF_FOUND_LABELS)
            self.coef_, self.intercept_ = _as_certain_as(found, known, X, rule)
        return memberships

    def _scaled(self, problem: Problem) -> Problem:
        blocks = [domain.documents for domain in problem.domains]
        self.column_scale_ = np.ones(blocks[0].shape[1])
        if self.column_power > 0:
            self.column_scale_ = column_balance(blocks, self.column_power)
            blocks = [block.scaled(columns=self.column_scale_) for block in blocks]
        if self.unit_rows:
            blocks = [unit_rows(block) for block in blocks]
        return with_documents(problem, blocks)

    def _keep(self, problem: Problem, result: TriFactorization) -> None:
        super()._keep(problem, _on_one_scale(result))

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        if self.new_documents == "classifier":
            memberships = linear_memberships(with_unit_rows(X), self.coef_, self.intercept_)
            in_use = np.any(list(self.term_totals_.values()), axis=0).astype(X.dtype)
            memberships[X @ in_use == 0] = 0  # no word that any domain used
            return memberships.astype(X.dtype)
        documents = as_documents(X).scaled(columns=self.column_scale_)
        return np.asarray(fold_in(documents, self._profiles[number], engine=HostEngine()))


def _as_certain_as(
    found: NDArray[Any], known: NDArray[np.bool_], X: Any, rule: tuple[Any, Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The rule, with a confidence like that of the fitted rows whose label was found."""
    rows = np.flatnonzero(~known & found.any(axis=1))
    if len(rows) == 0 or not rule[0].any():
        return rule
    shares = found[rows] / found[rows].sum(axis=1, keepdims=True)
    own = with_unit_rows(take_rows(X, rows))
    coef, intercept = calibrate_temperature(*rule, own, float(shares.max(axis=1).mean()))
    return coef.astype(X.dtype), intercept.astype(X.dtype)


def _on_one_scale(result: TriFactorization) -> TriFactorization:
    """Every domain's memberships with a mean row sum of 1, its clusters scaled the other way.

    Nothing ties the scale of one domain's factors to another's, and what a domain knows of a word
    may have to stand in for another domain.
    """
    sums = [float(G.sum()) / max(1, int(G.any(axis=1).sum())) for G in result.memberships]
    sums = [total if total > 0 else 1.0 for total in sums]
    scaled = zip(result.clusters, result.memberships, sums, strict=True)
    parts = [(F * F.dtype.type(total), G / G.dtype.type(total)) for F, G, total in scaled]
    return replace(result, clusters=[F for F, _ in parts], memberships=[G for _, G in parts])
