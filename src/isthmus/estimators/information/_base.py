"""Classifiers that know of every class how much it uses every word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Domain, Problem
from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.base.linear_classifier import LinearRuleClassifier
from isthmus.estimators.components.class_balance import match_class_prior
from isthmus.estimators.components.init_classifier import check_init_classifier, initial_memberships
from isthmus.estimators.components.linear_models import linear_memberships
from isthmus.estimators.components.parameters import check_flag, check_number, check_whole_number
from isthmus.estimators.components.temperature import fit_inverse_temperature
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import take_rows, with_unit_rows
from isthmus.numerics.progress import Stopping
from isthmus.numerics.scaling import unit_rows

# Classes that hardly differ ask for a rule of any sharpness; certainty beyond this says no more.
_SHARPEST = 1e4


class ClassWordsClassifier(LinearRuleClassifier):
    """Base: a document belongs where ``KL(p(W|d) || p(W|class))`` is least.

    That is linear in the document: ``coef_`` are the logarithms of the classes' words, less their
    mean over the classes. Memberships are a softmax, as sharp as makes the labels of the labelled
    rows likeliest.
    """

    _needs_nonnegative: ClassVar[bool] = True
    _reads_unit_rows: ClassVar[bool] = True
    _learns_from_targets: ClassVar[bool] = True
    _fitted_shapes: ClassVar[dict[str, str]] = {
        **LinearRuleClassifier._fitted_shapes,
        "objective_": "i",
        "n_iter_": "",
    }
    _signed: ClassVar[tuple[str, ...]] = (*LinearRuleClassifier._signed, "objective_")

    smoothing: float
    unit_rows: bool
    init_classifier: Any
    max_iter: int
    tol: float

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's checks measure points in two dimensions, of which only the angle is read.
        tags.classifier_tags.poor_score = True
        return tags

    def _check_parameters(self) -> None:
        check_number("smoothing", self.smoothing, least=0, most=1e6)
        check_flag("unit_rows", self.unit_rows)
        if self.init_classifier is not None:
            check_init_classifier(self.init_classifier)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_number("tol", self.tol, least=0)

    @property
    def _stopping(self) -> Stopping:
        return Stopping(self.max_iter, self.tol, of="labels")

    def _documents_of(self, domains: Sequence[Domain]) -> list[Documents]:
        scale = unit_rows if self.unit_rows else _as_they_are
        return [scale(domain.documents) for domain in domains]

    def _first_memberships(self, problem: Problem, X: Any) -> list[NDArray[Any]]:
        """Of every domain's rows, those of labelled rows certain; zeros without a classifier."""
        n_classes = problem.n_classes
        if self.init_classifier is None:
            found = [np.zeros((len(d.labels), n_classes), X.dtype) for d in problem.domains]
        else:
            found = initial_memberships(problem, X, self.init_classifier)
            if self._held_to:
                found = match_class_prior(problem, found, self._held_to)
        return [
            np.where(domain.labelled[:, None], np.eye(n_classes)[domain.labels], part)
            for domain, part in zip(problem.domains, found, strict=True)
        ]

    def _keep_rule(self, problem: Problem, X: Any, log_shares: NDArray[np.float64]) -> float:
        """Set the rule, and give its sharpness."""
        coef = centred(log_shares)
        labels = problem.labels
        known = np.flatnonzero(labels >= 0)
        scores = with_unit_rows(take_rows(X, known)) @ coef.T
        sharpness = min(fit_inverse_temperature(scores, labels[known]), _SHARPEST)
        self.coef_ = (sharpness * coef).astype(X.dtype)
        self.intercept_ = np.zeros(problem.n_classes, X.dtype)
        return sharpness

    def _memberships(self, problem: Problem, X: Any) -> list[NDArray[Any]]:
        """What the rule says of every domain's rows."""
        return [self._new_memberships(part, number) for number, part in rows_of_domains(problem, X)]

    def _coef_of(self, number: int) -> NDArray[Any]:
        """By what a domain's documents are read."""
        return self.coef_

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        coef = self._coef_of(number)
        rows = with_unit_rows(X)
        memberships = linear_memberships(rows, coef, self.intercept_).astype(X.dtype)
        # Of a document without a word that some class has, nothing is known.
        memberships[rows @ coef.any(axis=0).astype(X.dtype) == 0] = 0
        return memberships

    def _word_strengths(self) -> dict[int, NDArray[Any]]:
        return {
            number: use[:, None] * self._coef_of(number).T
            for number, use in self.term_totals_.items()
        }


def centred(log_shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of the classes' words less their mean over the classes, a row a class."""
    return np.asarray((log_shares - log_shares.mean(axis=1, keepdims=True)).T)


def _as_they_are(documents: Documents) -> Documents:
    return documents
