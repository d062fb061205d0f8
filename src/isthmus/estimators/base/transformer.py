"""Transformers that bring the documents of all domains into one space."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from isthmus.domains.model import Problem
from isthmus.estimators.base.callbacks import end_callbacks, join_callbacks, with_callbacks
from isthmus.estimators.base.domain_estimator import DomainEstimator
from isthmus.numerics.progress import Callback


class TransferTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, DomainEstimator):
    """Base of the transformers that read no label.

    A subclass writes ``_learn`` and ``_new_rows``.
    """

    # What ``fit_transform`` asks for follows from ``fit`` and this.
    __metadata_request__transform: ClassVar[dict[str, bool]] = {"sample_domain": True}

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> Self:
        """Learn the space from the documents of all domains.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
        y : ignored
        sample_domain : array-like of int of shape (n_rows,), default=None
            The domain of every row; all belong to one without it.
        callback : function, default=None
            Called after every iteration; a true answer stops the fit.
        """
        self._check_parameters()
        X, problem = self._read_unlabelled(X, sample_domain)
        self.domains_ = np.array([domain.number for domain in problem.domains])
        self._learn(problem, join_callbacks(self, callback))
        end_callbacks(self)
        return self

    def fit_transform(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> NDArray[Any]:
        """``fit``, then ``transform`` of the same rows."""
        fitted = self.fit(X, y, sample_domain=sample_domain, callback=callback)
        return fitted.transform(X, sample_domain=sample_domain)

    def transform(self, X: Any, sample_domain: Any = None) -> NDArray[Any]:
        """New documents in the learnt space.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
        sample_domain : array-like of int of shape (n_rows,), default=None
            The domain of every row, for methods that treat domains apart.
        """
        check_is_fitted(self)
        return self._new_rows(self._read_matrix(X, reset=False), sample_domain)

    @property
    @abstractmethod
    def _n_features_out(self) -> int:
        """Columns of the result."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ValueError if a constructor parameter makes no sense."""

    @abstractmethod
    def _learn(self, problem: Problem, callback: Callback | None) -> None:
        """Set the fitted attributes."""

    @abstractmethod
    def _new_rows(self, X: Any, sample_domain: Any) -> NDArray[Any]:
        """The transformed rows."""
