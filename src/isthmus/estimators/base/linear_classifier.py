"""Classifiers that read a new document by the weights of its terms."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.estimators.base.class_swap_check import target_alignments, warn_of_class_swaps
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.diagnostics import warn_of_no_shared_terms
from isthmus.estimators.components.linear_models import (
    calibrate_temperature,
    learn_found_labels,
    linear_memberships,
)
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.rows import is_signed, with_unit_rows
from isthmus.numerics.progress import Callback

# Of the logistic regression on the labels that a method found.
_C_OF_FOUND = 1.0
# A greater share of documents that a method could not reach is worth a warning.
_MANY = 0.05


class LinearRuleClassifier(TransferClassifier):
    """Base: a fit ends with ``coef_`` and ``intercept_``, whatever it does on its way there.

    Class probabilities are a softmax of ``x @ coef_.T + intercept_``.
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **TransferClassifier._fitted_shapes,
        "coef_": "cm",
        "intercept_": "c",
    }
    _signed: ClassVar[tuple[str, ...]] = (*TransferClassifier._signed, "coef_", "intercept_")

    #: Whether documents are scaled to length 1 before they are read.
    _reads_unit_rows: ClassVar[bool] = False

    #: Whether labels of the target are found in the light of its other documents: then they may be
    #: right about the groups and wrong about their names.
    _learns_from_targets: ClassVar[bool] = False

    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    alignment_certainty_: float

    def _learn_problem(self, problem: Problem, X: Any, callback: Callback | None) -> None:
        super()._learn_problem(problem, X, callback)
        if not self._learns_from_targets:
            return
        warn_of_no_shared_terms(problem, X)
        self.alignment_certainty_ = 0.0
        if not is_signed(X):  # words speak by standing there
            memberships = [self.label_distributions_[domain.rows] for domain in problem.domains]
            found = target_alignments(problem, X, memberships)
            self.alignment_certainty_ = min((one.certainty for one in found.values()), default=0.0)
            warn_of_class_swaps(problem, found)

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        rows = with_unit_rows(X) if self._reads_unit_rows else X
        return linear_memberships(rows, self.coef_, self.intercept_).astype(X.dtype)

    def _word_strengths(self) -> dict[int, NDArray[Any]]:
        return {number: use[:, None] * self.coef_.T for number, use in self.term_totals_.items()}


class FoundLabelsClassifier(LinearRuleClassifier):
    """Base of methods that label given documents only, each in the light of all others.

    A subclass writes ``_find_memberships``. New documents, and those of which the method has found
    nothing, are read by a logistic regression on the labels found, with rows of length 1, as
    certain in the mean as the method itself was.
    """

    _reads_unit_rows: ClassVar[bool] = True
    _learns_from_targets: ClassVar[bool] = True
    #: Whether documents of which the method found nothing are read as new ones.
    _reads_lost: ClassVar[bool] = True

    @abstractmethod
    def _find_memberships(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> NDArray[Any]:
        """Class memberships of every row of ``X``, in its order; zeros where nothing is known.

        Those of labelled rows are not read.
        """

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        found = np.array(self._find_memberships(problem, X, callback), X.dtype)
        self._learn_rule(problem, X, found)
        lost = np.flatnonzero(~found.any(axis=1) & (problem.labels < 0))
        if len(lost):
            read = self._new_memberships(X[lost], 0)
            n_lost, n_asked = int(read.any(axis=1).sum()), int((problem.labels < 0).sum())
            if n_lost > _MANY * n_asked:
                warn_user(
                    f"Nothing leads from labelled documents to {n_lost} of {n_asked} that have no "
                    f"label: {self._what_of_lost}. Check that all documents were counted with one "
                    "vocabulary."
                )
            if self._reads_lost:
                found[lost] = read
        return [found[domain.rows] for domain in problem.domains]

    @property
    def _what_of_lost(self) -> str:
        if self._reads_lost:
            return "they were read by a classifier of the others"
        return "they get the class shares of the source"

    def _learn_rule(self, problem: Problem, X: Any, found: NDArray[Any]) -> None:
        labels = problem.labels
        known = labels >= 0
        taught = found.copy()
        taught[known] = np.eye(problem.n_classes)[labels[known]]
        coef, intercept = learn_found_labels(X, taught, _C_OF_FOUND)
        asked = np.flatnonzero(~known & taught.any(axis=1))
        if len(asked):
            shares = taught[asked] / taught[asked].sum(axis=1, keepdims=True)
            certainty = float(shares.max(axis=1).mean())
            coef, intercept = calibrate_temperature(
                coef, intercept, with_unit_rows(X[asked]), certainty
            )
        self.coef_, self.intercept_ = coef.astype(X.dtype), intercept.astype(X.dtype)

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        memberships = super()._new_memberships(X, number)
        memberships[as_documents(X).row_norms() == 0] = 0  # nothing is known of an empty document
        return memberships
