"""Base of DKT and KTW: updates without normalization, on balanced columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.base.fitted_model import FittedModel, array, flag, unit_norm_scores
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import (
    calibrate_by_scores,
    fit_logistic_to_memberships,
    softmax_memberships,
)
from isthmus.estimators.components.parameters import check_choice, check_number
from isthmus.estimators.tri_factorization._base import (
    EXPLAINED,
    TriFactorClassifier,
    TriFactorModel,
    with_documents,
)
from isthmus.matrices.engines import current_engine
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import with_unit_rows
from isthmus.numerics.derived_documents import column_balance
from isthmus.solvers.tri_factorization._base import TriFactorization
from isthmus.solvers.tri_factorization.dkt import scaled_by_class_size

#: Upper bound of penalty weights; larger ones overflow in float32.
MAX_WEIGHT = 1e9

# Chosen on held-out German reviews. With 3, topics are equally accurate and opinions a point less.
_C_FOR_LABELS = 10.0


@dataclass(frozen=True, kw_only=True)
class ExactFactorModel(TriFactorModel):
    """Factors, and a linear classifier fitted to their labels."""

    column_scale: NDArray[Any] = array("terms", nonnegative=True)
    coef: NDArray[Any] = array("classes", "terms")
    intercept: NDArray[Any] = array("classes")
    folds_in: bool = flag()
    """Whether new documents are folded in instead of classified."""

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        if self.folds_in:
            return self._fold_in(self._scaled_documents(X), domain)
        memberships = softmax_memberships(with_unit_rows(X), self.coef, self.intercept)
        in_use = np.any(list(self.term_totals.values()), axis=0).astype(X.dtype)
        memberships[X @ in_use == 0] = 0  # no term that any domain uses
        return memberships.astype(X.dtype)

    def explained_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        if not self.folds_in:
            return self.predict_memberships(X, domain)
        return self._fold_in(self._scaled_documents(X), domain, **EXPLAINED)

    def _scaled_documents(self, X: Any) -> Documents:
        engine = current_engine()
        return engine.documents(X).scaled(columns=engine.asarray(self.column_scale))


class ExactFactorClassifier(TriFactorClassifier):
    """Base of the tri-factorizations without row normalization, which need early stopping.

    Parameters
    ----------
    unit_rows : bool, default=True
        Whether documents are scaled to unit norm, after the columns.
    column_power : float, default=0.4
        Every term is divided by its total weight to this power, so that frequent terms do not
        dominate. 0 leaves the columns unchanged. ``init_classifier`` uses the unscaled ``X``.
    tol : float, default=0.005
        Tolerance of ``stopping``; 0 runs ``max_iter`` iterations.
    new_documents : {"classifier", "fold_in"}, default="classifier"
        How ``predict`` labels new documents: by a logistic regression on the labels of all fitted
        rows, or by memberships under the fitted factors. The latter is faster, but was less
        accurate in our measurements, because the factors are stopped early.

    Attributes
    ----------
    word_clusters_ : dict of domain number to array of shape (n_terms, n_word_clusters)
        ``F``, not normalized; uniform for a term that the domain does not use.
    column_scale_ : array of shape (n_terms,)
        Factor of every term.
    coef_, intercept_ : arrays of shape (n_classes, n_terms) and (n_classes,)
        The classifier for new documents; zeros with ``new_documents="fold_in"``.
    """

    _model_class: ClassVar[type[FittedModel]] = ExactFactorModel

    column_power: float
    new_documents: str

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("alpha", self.alpha, most=MAX_WEIGHT)
        check_number("column_power", self.column_power, least=0, most=1)
        check_choice("new_documents", self.new_documents, ("classifier", "fold_in"))

    def _scaled(self, problem: Problem) -> tuple[Problem, NDArray[Any]]:
        blocks = [domain.documents for domain in problem.domains]
        column_scale: NDArray[Any] = np.ones(blocks[0].shape[1])
        if self.column_power > 0:
            scale = column_balance(blocks, self.column_power)
            blocks = [block.scaled(columns=scale) for block in blocks]
            column_scale = blocks[0].engine.to_host(scale)
        if self.unit_rows:
            blocks = [block.unit_rows() for block in blocks]
        return with_documents(problem, blocks), column_scale

    def _make_model(
        self,
        data: TrainingData,
        result: TriFactorization,
        column_scale: NDArray[Any],
        memberships: Sequence[NDArray[Any]],
    ) -> ExactFactorModel:
        problem, X = data.problem, data.X
        coef = np.zeros((problem.n_classes, X.shape[1]), X.dtype)
        intercept = np.zeros(problem.n_classes, X.dtype)
        if self.new_documents == "classifier":
            labels = problem.gather(list(memberships)).copy()
            known = problem.labels >= 0
            labels[known] = np.eye(problem.n_classes)[problem.labels[known]]
            # The documents of the problem are scaled for the factorization.
            unscaled = data.on_engine(data.engine)
            rule = fit_logistic_to_memberships(X, labels, _C_FOR_LABELS, unscaled.problem)
            coef, intercept = _with_equal_confidence(labels, known, unscaled, rule)
        return ExactFactorModel(
            **self._factor_fields(problem, _on_one_scale(result)),
            column_scale=column_scale,
            coef=coef,
            intercept=intercept,
            folds_in=self.new_documents == "fold_in",
        )


def _with_equal_confidence(
    memberships: NDArray[Any], known: NDArray[np.bool_], data: TrainingData, rule: tuple[Any, Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The rule, scaled to the mean confidence of the factorization on unlabeled rows."""
    rows = np.flatnonzero(~known & memberships.any(axis=1))
    if len(rows) == 0 or not rule[0].any():
        return rule
    probabilities = memberships[rows] / memberships[rows].sum(axis=1, keepdims=True)
    confidence = float(probabilities.max(axis=1).mean())
    scores = unit_norm_scores(data, *rule, rows)
    coef, intercept = calibrate_by_scores(*rule, scores, confidence)
    return coef.astype(data.X.dtype), intercept.astype(data.X.dtype)


def _on_one_scale(result: TriFactorization) -> TriFactorization:
    """Memberships of every domain scaled to a mean row sum of 1, its clusters inversely.

    The factors of different domains are on unrelated scales, but the word profile of one domain
    may have to replace that of another.
    """
    sums = [float(G.sum()) / max(1, int(G.any(axis=1).sum())) for G in result.memberships]
    sums = [total if total > 0 else 1.0 for total in sums]
    scaled = zip(result.clusters, result.memberships, sums, strict=True)
    parts = [(F * F.dtype.type(total), G / G.dtype.type(total)) for F, G, total in scaled]
    return replace(result, clusters=[F for F, _ in parts], memberships=[G for _, G in parts])


def weights_of_domains(weight: float, problem: Problem, *, relative: bool) -> list[float]:
    """The weight of a penalty in every domain; a relative one is scaled by the class size."""
    if not relative:
        return [weight] * len(problem.domains)
    return [scaled_by_class_size(weight, d, problem.n_classes) for d in problem.domains]
