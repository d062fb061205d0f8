"""Transformers that bring the documents of all domains into one space."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from isthmus.estimators.base.domain_estimator import (
    DomainEstimator,
    check_same_index,
    end_callbacks,
    join_callbacks,
    with_callbacks,
)
from isthmus.estimators.base.fitted_model import TransformerFit, TransformerModel
from isthmus.estimators.base.training_data import TrainingData
from isthmus.matrices.engines import current_engine
from isthmus.numerics.progress import Callback


class TransferTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, DomainEstimator):
    """Base of the transformers; they use no labels.

    A subclass implements ``_check_parameters()`` and ``_fit(data, callback)``, which returns a
    :class:`TransformerFit` and sets no attribute, and the property ``_n_features_out``.
    """

    _kind: ClassVar[str] = "transformer"

    # The metadata request of ``fit_transform`` follows from ``fit`` and this.
    __metadata_request__transform: ClassVar[dict[str, bool]] = {"sample_domain": True}

    model_: TransformerModel

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> Self:
        """Fit to the documents of all domains.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents of all domains, one per row.
        y : ignored
        sample_domain : array-like of int of shape (n_rows,), default=None
            Domain of every row. By default all rows belong to one domain.
        callback : function, default=None
            Called after every iteration; return True to stop the fit.

        Returns
        -------
        self
        """
        self._check_parameters()
        with self._on_engine(X, fits=True) as X:
            data = self._read_optional_labels(X, None, sample_domain)
            joined = join_callbacks(self, callback)
            model, diagnostics = data.engine.run(lambda: self._fit(data, joined))
        self._set_unlabeled_fit(data, model, diagnostics)
        end_callbacks(self)
        return self

    def fit_transform(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> NDArray[Any]:
        """Fit, then transform the same rows.

        Returns
        -------
        array of shape (n_rows, n_features)
            One row per document.
        """
        fitted = self.fit(X, y, sample_domain=sample_domain, callback=callback)
        return fitted.transform(X, sample_domain=sample_domain)

    def transform(self, X: Any, sample_domain: Any = None) -> NDArray[Any]:
        """Transform new documents.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents, one per row, with the columns of the fit.
        sample_domain : array-like of int of shape (n_rows,), default=None
            Not used; accepted for consistency with other estimators.

        Returns
        -------
        array of shape (n_rows, n_features)
            One row per document.
        """
        check_is_fitted(self)
        check_same_index(X, sample_domain, "sample_domain")
        with self._on_engine(X) as X:
            X = self._read_matrix(X, reset=False)
            return current_engine().run(lambda: self.model_.transform(X))

    @property
    @abstractmethod
    def _n_features_out(self) -> int:
        """Number of output columns."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ValueError if a constructor parameter makes no sense."""

    @abstractmethod
    def _fit(self, data: TrainingData, callback: Callback | None) -> TransformerFit:
        """Fit to the data; attributes of the estimator are only read."""
