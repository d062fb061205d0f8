"""The data of one fit, validated once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.components.init_classifier import predict_initial_memberships
from isthmus.matrices.engines import current_engine
from isthmus.matrices.protocols import Engine

__all__ = ["TrainingData"]


@dataclass(frozen=True)
class TrainingData:
    """Documents, labels and domains of a fit.

    Methods that fit other methods pass this object on, so that input is validated once and the
    classifier of the labeled rows is fitted once for all of them.
    """

    problem: Problem
    X: Any
    """The validated matrix of all rows, in the caller's order."""
    feature_names: Any = None
    """Names of the terms, if they are known."""
    target_prior: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    """Class prior that the labels of each target must match; empty if there is no such prior."""
    domain_prior: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    """Class prior of every domain: ``target_prior``, or else the class prior of the sources."""
    second_view: Any = None
    """A second matrix with the same rows, such as character n-grams; None for most methods."""
    given_memberships: Sequence[NDArray[Any]] | None = None
    """Initial memberships, one array per domain, in place of a classifier's."""
    _shared: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def term_totals(self) -> dict[int, NDArray[Any]]:
        """Column sums of the documents of every domain."""
        return {d.number: d.term_totals for d in self.problem.domains}

    @property
    def engine(self) -> Engine:
        """The engine of the documents."""
        return self.problem.domains[0].documents.engine

    def initial_memberships(self, classifier: Any) -> list[NDArray[Any]]:
        """Class probabilities of the unlabeled rows by a classifier of the labeled rows.

        Returns one array per domain. Labeled rows get zeros.
        """
        if self.given_memberships is not None:
            return [part.copy() for part in self.given_memberships]
        return predict_initial_memberships(self.problem, self.X, classifier, self._shared)

    @property
    def shared(self) -> dict[Any, Any]:
        """Fitted classifiers of the labeled rows that later fits on the same data reuse."""
        return self._shared

    def with_prior(
        self,
        target_prior: Mapping[int, NDArray[np.float64]],
        domain_prior: Mapping[int, NDArray[np.float64]],
    ) -> TrainingData:
        """The same data with a class prior."""
        return replace(self, target_prior=target_prior, domain_prior=domain_prior)

    def with_matrix(self, X: Any) -> TrainingData:
        """The same rows with other values; the documents of the domains are kept."""
        return replace(self, X=X, _shared={})

    def with_documents(self, X: Any) -> TrainingData:
        """The same rows and labels with another matrix and other terms."""
        engine = current_engine()
        domains = [replace(d, documents=engine.documents(X, d.rows)) for d in self.problem.domains]
        problem = replace(self.problem, domains=tuple(domains))
        return TrainingData(
            problem, X, target_prior=self.target_prior, domain_prior=self.domain_prior
        )

    def on_engine(self, engine: Engine) -> TrainingData:
        """The same data with documents on another engine."""
        domains = [
            replace(d, documents=engine.documents(self.X, d.rows)) for d in self.problem.domains
        ]
        return replace(self, problem=replace(self.problem, domains=tuple(domains)))

    def with_second_view(self, second_view: Any) -> TrainingData:
        """The same data with a second matrix for the same rows, or without one (None)."""
        return replace(self, second_view=second_view)

    def with_initial_memberships(self, memberships: Sequence[NDArray[Any]]) -> TrainingData:
        """The same data for a method that starts from these memberships, one array per domain."""
        return replace(self, given_memberships=memberships)

    def with_labels(self, labels: Mapping[int, NDArray[np.intp]]) -> TrainingData:
        """The data with labels added to unlabeled rows of targets.

        ``labels`` has one entry per target number: a class or ``UNLABELED`` for every row.
        """
        domains = []
        for domain in self.problem.domains:
            codes = domain.labels
            if domain.number in labels:
                codes = np.where(domain.labeled, codes, labels[domain.number]).astype(codes.dtype)
            domains.append(replace(domain, labels=codes))
        return self._with_domains(domains)

    @property
    def has_target_labels(self) -> bool:
        """Whether a row of a target is labeled."""
        return any(bool(domain.labeled.any()) for domain in self.problem.targets)

    def _with_domains(self, domains: list[Any]) -> TrainingData:
        return replace(self, problem=replace(self.problem, domains=tuple(domains)), _shared={})
