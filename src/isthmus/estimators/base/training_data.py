"""The data of one fit, validated once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.components.init_classifier import predict_initial_memberships

__all__ = ["TrainingData"]


@dataclass(frozen=True)
class TrainingData:
    """Documents, labels and domains of a fit.

    Methods that fit other methods pass this object on, so that input is validated once and the
    classifier of the labelled rows is fitted once for all of them.
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
    _shared: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def term_totals(self) -> dict[int, NDArray[Any]]:
        """Column sums of the documents of every domain."""
        return {d.number: d.documents.column_sums() for d in self.problem.domains}

    def initial_memberships(self, classifier: Any) -> list[NDArray[Any]]:
        """Class probabilities of the unlabelled rows by a classifier of the labelled rows.

        Returns one array per domain. Labelled rows get zeros.
        """
        return predict_initial_memberships(self.problem, self.X, classifier, self._shared)

    @property
    def shared(self) -> dict[Any, Any]:
        """Fitted classifiers of the labelled rows that later fits on the same data reuse."""
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

    def with_labels(self, labels: Mapping[int, NDArray[np.intp]]) -> TrainingData:
        """The data with labels added to unlabelled rows of targets.

        ``labels`` has one entry per target number: a class or ``UNLABELLED`` for every row.
        """
        domains = []
        for domain in self.problem.domains:
            codes = domain.labels
            if domain.number in labels:
                codes = np.where(domain.labelled, codes, labels[domain.number]).astype(codes.dtype)
            domains.append(replace(domain, labels=codes))
        return self._with_domains(domains)

    @property
    def has_target_labels(self) -> bool:
        """Whether a row of a target is labelled."""
        return any(bool(domain.labelled.any()) for domain in self.problem.targets)

    def _with_domains(self, domains: list[Any]) -> TrainingData:
        return replace(self, problem=replace(self.problem, domains=tuple(domains)), _shared={})
