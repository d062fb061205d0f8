"""Clusterers of several domains at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from isthmus.domains.model import Problem
from isthmus.estimators.base.callbacks import end_callbacks, join_callbacks, with_callbacks
from isthmus.estimators.base.domain_estimator import DomainEstimator
from isthmus.estimators.components.parameters import check_whole_number
from isthmus.numerics.progress import Callback


class TransferClusterer(ClusterMixin, DomainEstimator):
    """Base of the clusterers; no label is read.

    A subclass writes ``_check_parameters``, ``_cluster``, which gives a cluster number for every
    fitted row, and ``_new_labels``, which gives those of new documents of one domain. Every row
    belongs to the domain that ``sample_domain`` says, all to one without it.
    """

    __metadata_request__predict: ClassVar[dict[str, bool]] = {"sample_domain": True}

    _fitted_shapes: ClassVar[dict[str, str]] = {"domains_": "d", "n_clusters_": ""}

    n_clusters: int

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> Self:
        """Cluster the rows of all domains.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents of all domains, one a row.
        y : ignored
        sample_domain : array-like of int of shape (n_rows,), default=None
            The domain of every row, any whole number; all belong to one without it.
        callback : function, default=None
            Called after every iteration; a true answer stops the fit.

        Returns
        -------
        self
        """
        check_whole_number("n_clusters", self.n_clusters, least=1)
        self._check_parameters()
        X, problem = self._read_unlabelled(X, sample_domain)
        self._check_sizes(problem)
        self.domains_ = np.array([domain.number for domain in problem.domains])
        self.n_clusters_ = int(self.n_clusters)
        labels = self._cluster(problem, X, join_callbacks(self, callback))
        self.labels_ = problem.gather([np.asarray(part, np.intp) for part in labels])
        end_callbacks(self)
        return self

    def fit_predict(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> NDArray[np.intp]:
        """``fit``, then the clusters of the same rows."""
        return self.fit(X, y, sample_domain=sample_domain, callback=callback).labels_

    def predict(self, X: Any, sample_domain: Any = None) -> NDArray[np.intp]:
        """Clusters of new documents.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
        sample_domain : array-like of int of shape (n_rows,), default=None
            The domain of every row. Without it rows belong to the target, or to the only domain;
            needed when several targets, or several domains and no target, were fitted.
        """
        check_is_fitted(self)
        X = self._read_matrix(X, reset=False)
        labels = np.zeros(X.shape[0], np.intp)
        for number, rows, part in self._new_documents(X, sample_domain):
            labels[rows] = self._new_labels(part, number)
        return labels

    def _check_sizes(self, problem: Problem) -> None:
        """Raise ValueError if a domain has too few documents for so many clusters."""
        for domain in problem.domains:
            check_enough(self.n_clusters, domain.documents.shape[0], domain.name)

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ValueError if a constructor parameter makes no sense; ``n_clusters`` is seen to."""

    @abstractmethod
    def _cluster(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[np.intp]]:
        """A cluster number, 0 to ``n_clusters - 1``, for every row of every domain."""

    @abstractmethod
    def _new_labels(self, X: Any, number: int) -> NDArray[np.intp]:
        """Clusters of new documents of the domain ``number``."""


def check_enough(n_clusters: int, n_documents: int, where: str) -> None:
    """Raise ValueError if there are more clusters than documents."""
    if n_clusters > n_documents:
        raise ValueError(
            f"n_clusters={n_clusters} is more than the documents of {where} "
            f"(n_samples={n_documents}): ask for at most {n_documents}."
        )
