"""Classifiers that assign a document to the class whose word distribution is nearest to its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from isthmus.domains.model import Domain
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import FittedModel, array
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.class_prior.parameter import match_class_prior
from isthmus.estimators.components.linear_models import (
    check_init_classifier,
    fit_inverse_temperature,
)
from isthmus.estimators.components.parameters import check_flag, check_number, check_whole_number
from isthmus.matrices.engines import current_engine
from isthmus.matrices.protocols import Documents
from isthmus.numerics.progress import Stopping

# Upper bound of the inverse temperature: classes that hardly differ would ask for any value.
_MAX_INVERSE_TEMPERATURE = 1e4


@dataclass(frozen=True, kw_only=True)
class WordDistributionModel(FittedModel):
    """Class probabilities are a softmax of ``-KL(p(W|d) || p(W|class))``.

    Up to a constant, the divergence is linear in the document: ``coef`` holds the logarithms of
    ``p(w|class)``, minus their mean over the classes.
    """

    coef: NDArray[Any] = array("classes", "terms")
    intercept: NDArray[Any] = array("classes")

    def coef_of(self, domain: int) -> NDArray[Any]:
        """The weights for documents of a domain."""
        return self.coef

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        return self.memberships_of(current_engine().documents(X), domain)

    def memberships_of(self, documents: Documents, domain: int) -> NDArray[Any]:
        """Class memberships of documents on an engine."""
        coef = self.coef_of(domain)
        # The last column is zero for documents without a word that occurs in some class: nothing
        # is known about them.
        factor = np.vstack([coef, coef.any(axis=0)]).T.astype(documents.dtype)
        engine = documents.engine
        scores = engine.to_host(documents.unit_rows().times(engine.asarray(factor)))
        memberships = softmax(scores[:, :-1] + self.intercept, axis=1)
        return np.asarray(np.where(scores[:, -1:] == 0, 0, memberships), documents.dtype)

    def word_weights(self) -> dict[int, NDArray[Any]]:
        return {n: totals[:, None] * self.coef_of(n).T for n, totals in self.term_totals.items()}


class WordDistributionClassifier(TransferClassifier):
    """Base of the classifiers that fit a word distribution per class.

    The inverse temperature of the softmax maximizes the likelihood of the labeled rows.

    Parameters
    ----------
    unit_rows : bool, default=True
        Whether documents are scaled to unit norm, so that long documents do not dominate.
    max_iter : int, default=50
        Maximum number of iterations.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class prior of every target. The initial memberships and the labels are matched to it by one
        log shift per class; see :func:`isthmus.estimate_class_prior` for "estimate". None leaves
        the labels unchanged.

    Attributes
    ----------
    intercept_ : array of shape (n_classes,)
        Zeros.
    n_iter_ : int
        Number of iterations.
    alignment_certainty_ : float
        Evidence of the shared words that classes are not swapped, see :class:`MTrick`. A warning is
        given below 4. 0 for input with negative values.
    """

    _has_objective: ClassVar[bool] = True
    _model_class: ClassVar[type[FittedModel]] = WordDistributionModel
    _needs_nonnegative: ClassVar[bool] = True
    _checks_class_swap: ClassVar[bool] = True
    # scikit-learn's checks use points in two dimensions; these methods read the angle only.
    _poor_score: ClassVar[bool] = True

    smoothing: float
    unit_rows: bool
    init_classifier: Any
    max_iter: int
    tol: float

    def _check_parameters(self) -> None:
        check_number("smoothing", self.smoothing, least=0, most=1e6)
        check_flag("unit_rows", self.unit_rows)
        if self.init_classifier is not None:
            check_init_classifier(self.init_classifier)
        check_whole_number("max_iter", self.max_iter, least=1)
        check_number("tol", self.tol, least=0)

    @property
    def _stopping(self) -> Stopping:
        return Stopping(self.max_iter, self.tol, criterion="labels")

    def _documents_of(self, domains: Sequence[Domain]) -> list[Documents]:
        """The documents of every domain, scaled as ``unit_rows`` says."""
        if not self.unit_rows:
            return [domain.documents for domain in domains]
        return [domain.documents.unit_rows() for domain in domains]

    def _initial_memberships(self, data: TrainingData) -> list[NDArray[Any]]:
        """One array per domain: one-hot for labeled rows, zeros without a classifier."""
        problem, n_classes = data.problem, data.problem.n_classes
        if self.init_classifier is None:
            memberships = [
                np.zeros((len(d.labels), n_classes), data.X.dtype) for d in problem.domains
            ]
        else:
            memberships = data.initial_memberships(self.init_classifier)
            if data.target_prior:
                memberships = match_class_prior(problem, memberships, data.target_prior)
        return [
            np.where(domain.labeled[:, None], np.eye(n_classes)[domain.labels], part)
            for domain, part in zip(problem.domains, memberships, strict=True)
        ]

    def _calibrated_coef(
        self, data: TrainingData, log_probabilities: NDArray[np.float64]
    ) -> tuple[NDArray[Any], float]:
        """Weights of the terms from ``log p(w|class)`` (one row per term), and their scale."""
        coef = centered_over_classes(log_probabilities)
        engine = data.engine
        factor = engine.asarray(coef.T.astype(data.X.dtype))
        domains = [domain for domain in data.problem.domains if domain.labeled.any()]
        scores = [
            engine.to_host(domain.documents.unit_rows().times(factor))[domain.labeled]
            for domain in domains
        ]
        labels = np.concatenate([domain.labels[domain.labeled] for domain in domains])
        fitted = fit_inverse_temperature(np.concatenate(scores).astype(np.float64), labels)
        scale = min(fitted, _MAX_INVERSE_TEMPERATURE)
        return (scale * coef).astype(data.X.dtype), scale

    def _rows_by_model(self, model: Any, data: TrainingData) -> list[NDArray[Any]]:
        """Memberships of the fitted rows by the rule for new documents, one array per domain."""
        return [model.memberships_of(d.documents, d.number) for d in data.problem.domains]


def centered_over_classes(log_probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log p(w|class)`` minus its mean over the classes, transposed to one row per class."""
    means = log_probabilities.mean(axis=1, keepdims=True)
    return np.asarray((log_probabilities - means).T)
