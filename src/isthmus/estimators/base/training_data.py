"""The data of one fit, validated once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.components.linear_models import predict_initial_memberships
from isthmus.matrices.engines import current_engine
from isthmus.matrices.protocols import Engine


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
    shared: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """Fitted classifiers of the labeled rows that later fits on the same data reuse."""

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
        return predict_initial_memberships(self.problem, self.X, classifier, self.shared)

    def with_prior(
        self,
        target_prior: Mapping[int, NDArray[np.float64]],
        domain_prior: Mapping[int, NDArray[np.float64]],
    ) -> TrainingData:
        """The same data with a class prior."""
        return replace(self, target_prior=target_prior, domain_prior=domain_prior)

    def with_documents(self, X: Any) -> TrainingData:
        """The same rows and labels with another matrix and other terms."""
        problem = _with_documents(self.problem, X, current_engine())
        return TrainingData(
            problem, X, target_prior=self.target_prior, domain_prior=self.domain_prior
        )

    def on_engine(self, engine: Engine) -> TrainingData:
        """The same data with documents on another engine."""
        return replace(self, problem=_with_documents(self.problem, self.X, engine))

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
        return replace(self, problem=replace(self.problem, domains=tuple(domains)), shared={})

    @property
    def has_target_labels(self) -> bool:
        """Whether a row of a target is labeled."""
        return any(bool(domain.labeled.any()) for domain in self.problem.targets)


def _with_documents(problem: Problem, X: Any, engine: Engine) -> Problem:
    """The problem with the documents of another matrix or on another engine."""
    domains = [replace(d, documents=engine.documents(X, d.rows)) for d in problem.domains]
    return replace(problem, domains=tuple(domains))
