"""Clusterers of several domains at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin

from isthmus.domains.model import Problem
from isthmus.estimators.base import DomainEstimator
from isthmus.estimators.callbacks import end_callbacks, join_callbacks, with_callbacks
from isthmus.solvers.progress import Callback


class TransferClusterer(ClusterMixin, DomainEstimator):
    """Base of the clusterers: a subclass writes ``_cluster``; no label is read.

    Every row belongs to the domain that ``sample_domain`` says, all to one without it.
    """

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> Self:
        """Cluster the rows of all domains.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
        y : ignored
        sample_domain : array-like of int of shape (n_rows,), default=None
        callback : function, default=None
            Called after every iteration; a true answer stops the fit.
        """
        self._check_parameters()
        X, problem = self._read_unlabelled(X, sample_domain)
        self.domains_ = np.array([domain.number for domain in problem.domains])
        labels = self._cluster(problem, X, join_callbacks(self, callback))
        self.labels_ = problem.gather(labels)
        end_callbacks(self)
        return self

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ValueError if a constructor parameter makes no sense."""

    @abstractmethod
    def _cluster(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[np.intp]]:
        """A cluster number for every row of every domain."""
