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
from isthmus.estimators.base.domain_estimator import DomainEstimator, check_same_index
from isthmus.estimators.base.fitted_model import ClusterFit, ClusterModel
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.parameters import check_whole_number
from isthmus.numerics.progress import Callback


class TransferClusterer(ClusterMixin, DomainEstimator):
    """Base of the clusterers; they use no labels.

    A subclass implements ``_check_parameters()`` and ``_fit(data, callback)``, which returns a
    :class:`ClusterFit` and sets no attribute. All rows belong to one domain if ``sample_domain`` is
    not given.

    Attributes
    ----------
    labels_ : array of shape (n_rows,)
        Cluster of every fitted document.
    n_clusters_ : int
        Number of clusters.
    """

    _kind: ClassVar[str] = "clusterer"

    __metadata_request__predict: ClassVar[dict[str, bool]] = {"sample_domain": True}

    n_clusters: int
    model_: ClusterModel

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> Self:
        """Cluster the rows of all domains.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents of all domains, one per row.
        y : ignored
        sample_domain : array-like of int of shape (n_rows,), default=None
            The domain of every row, any whole number. By default all rows belong to one domain.
        callback : function, default=None
            Called after every iteration; return True to stop the fit.

        Returns
        -------
        self
        """
        check_whole_number("n_clusters", self.n_clusters, least=1)
        self._check_parameters()
        with self._on_engine(X, fits=True) as X:
            data = self._read_unlabeled(X, sample_domain)
            self._check_sizes(data.problem)
            model, labels, diagnostics = self._fit(data, join_callbacks(self, callback))
        self._clear_fitted_attributes()
        self.domains_ = np.array([domain.number for domain in data.problem.domains])
        self.n_clusters_ = int(self.n_clusters)
        self.model_ = model
        self._set_fields(model)
        for name, value in diagnostics.items():
            setattr(self, name, value)
        self.labels_ = data.problem.gather([np.asarray(part, np.intp) for part in labels])
        end_callbacks(self)
        return self

    def fit_predict(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> NDArray[np.intp]:
        """Fit, then return the clusters of the same rows.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents of all domains, one per row.
        y : ignored
        sample_domain : array-like of int of shape (n_rows,), default=None
            The domain of every row, any whole number. By default all rows belong to one domain.
        callback : function, default=None
            Called after every iteration; return True to stop the fit.

        Returns
        -------
        array of int of shape (n_rows,)
            Cluster of every row.
        """
        return self.fit(X, y, sample_domain=sample_domain, callback=callback).labels_

    def predict(self, X: Any, sample_domain: Any = None) -> NDArray[np.intp]:
        """Predict the clusters of new documents.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents, one per row, with the columns of the fit.
        sample_domain : array-like of int of shape (n_rows,), default=None
            Domain of every row. By default rows belong to the target, or to the only domain.
            Required if several targets, or several domains and no target, were fitted.

        Returns
        -------
        array of int of shape (n_rows,)
            Cluster of every row.
        """
        check_is_fitted(self)
        check_same_index(X, sample_domain, "sample_domain")
        with self._on_engine(X) as X:
            X = self._read_matrix(X, reset=False)
            labels = np.zeros(X.shape[0], np.intp)
            for number, rows, part in self._new_documents(X, sample_domain):
                labels[rows] = self.model_.predict_labels(part, number)
        return labels

    def _check_sizes(self, problem: Problem) -> None:
        """Raise ValueError if a domain has too few documents for this many clusters."""
        for domain in problem.domains:
            check_enough(self.n_clusters, domain.documents.shape[0], domain.name)

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ValueError if a parameter other than ``n_clusters`` makes no sense."""

    @abstractmethod
    def _fit(self, data: TrainingData, callback: Callback | None) -> ClusterFit:
        """Cluster the data; attributes of the estimator are only read."""


def check_enough(n_clusters: int, n_documents: int, where: str) -> None:
    """Raise ValueError if there are more clusters than documents."""
    if n_clusters > n_documents:
        raise ValueError(
            f"n_clusters={n_clusters} is larger than the number of documents of {where} "
            f"(n_samples={n_documents}): use at most {n_documents}."
        )
