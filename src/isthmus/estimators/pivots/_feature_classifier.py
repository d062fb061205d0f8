"""Linear classifiers on documents and their features in a space that all domains share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.base.callbacks import end_callbacks, join_callbacks, with_callbacks
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel, field_specs
from isthmus.estimators.base.linear_model import predict_rows
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import linear_model, one_row_per_class
from isthmus.estimators.components.parameters import MAX_C, check_choice, check_number
from isthmus.estimators.pivots._feature_model import FeatureMap, FeatureModel
from isthmus.matrices.rows import take_rows, with_narrow_indices, with_unit_rows
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback

__all__ = ["FeatureClassifier", "FeatureFit", "unscaled"]

# A standard deviation below this proportion of the largest one is rounding.
_ROUNDING = 1e-6


class FeatureFit(NamedTuple):
    """The result of fitting a feature map."""

    features: FeatureMap
    diagnostics: Mapping[str, Any] = {}
    """Further fitted attributes by name."""


class FeatureClassifier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TransferClassifier):
    """Base: a linear classifier on ``[x, gamma * z]`` with the scaled features ``z`` of ``x``.

    A subclass implements ``_fit_features(data, callback)``, which returns a :class:`FeatureFit`
    with an unscaled :class:`FeatureMap`, and names its model in ``_model_class``. The model derives
    from :class:`FeatureModel` and from the feature map.

    With ``classifier=None`` the estimator is a transformer only. Its ``model_`` is then the feature
    map, and labels are needed only if the features need them.
    """

    # The metadata request of ``fit_transform`` follows from ``fit`` and this.
    __metadata_request__transform: ClassVar[dict[str, bool]] = {"sample_domain": True}

    #: Whether every feature is standardized. Otherwise all features are multiplied by one number.
    #: In both cases the mean norm of a row of features is about ``feature_weight``.
    _standardizes: ClassVar[bool] = False

    feature_weight: float
    classifier: str | None
    C: float
    #: Whether the classifier uses the documents in addition to their features.
    include_input: bool = True

    feature_scale_: NDArray[np.float64]
    model_: Any  # a FeatureModel, or a FeatureMap if there is no classifier

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> Self:
        if self.classifier is not None:
            return super().fit(X, y, sample_domain, callback)
        self._check_settings()
        data = self._read_features_input(X, y, sample_domain, reset=True)
        fit = self._fit_scaled_features(data, join_callbacks(self, callback))
        self._clear_fitted_attributes()
        self.domains_ = np.array([domain.number for domain in data.problem.domains])
        self.model_ = fit.features
        self._set_fields(fit.features)
        for name, value in fit.diagnostics.items():
            setattr(self, name, value)
        end_callbacks(self)
        return self

    fit.__doc__ = TransferClassifier.fit.__doc__

    def transform(self, X: Any, sample_domain: Any = None) -> NDArray[Any]:
        """Features of documents, scaled as the classifier uses them.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
        sample_domain : array-like of int of shape (n_rows,), default=None
            Domain of every row. By default rows belong to the target.
        """
        check_is_fitted(self)
        X = self._read_matrix(X, reset=False)
        features = np.zeros((X.shape[0], self._n_features_out), X.dtype)
        for number, rows, part in self._new_documents(X, sample_domain):
            features[rows] = self.model_.transform(part, number)
        return features

    def fit_transform(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> NDArray[Any]:
        """Fit, then transform the same rows, each in its domain."""
        self.fit(X, y, sample_domain=sample_domain, callback=callback)
        data = self._read_features_input(X, y, sample_domain, reset=False)
        parts = rows_of_domains(data.problem, data.X)
        return data.problem.gather([self.model_.transform(part, n) for n, part in parts])

    def _read_features_input(
        self, X: Any, y: Any, sample_domain: Any, *, reset: bool
    ) -> TrainingData:
        return self._read_optional_labels(
            X, y, sample_domain, missing_label=self.missing_label, reset=reset
        )

    def _check_produces_labels(self) -> None:
        if self.classifier is None:
            raise ValueError(
                f"{type(self).__name__}(classifier=None) makes features and no labels: call "
                "transform, or choose a classifier and fit again."
            )

    @property
    def _n_features_out(self) -> int:
        return len(self.feature_scale_)

    def _check_parameters(self) -> None:
        check_number("feature_weight", self.feature_weight, least=0, most=1e6)
        if self.classifier is not None:
            check_choice("classifier", self.classifier, ("svm", "logistic"))
        check_number("C", self.C, above=0, most=MAX_C)

    @abstractmethod
    def _fit_features(self, data: TrainingData, callback: Callback | None) -> FeatureFit:
        """Fit an unscaled feature map; attributes of the estimator are only read."""

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        features, diagnostics = self._fit_scaled_features(data, callback)
        model = self._model_class(
            term_totals=data.term_totals,
            **{name: getattr(features, name) for name in field_specs(features)},
            **self._fit_linear(features, data),
        )
        return Fit(model, predict_rows(model, data), diagnostics)

    def _refit(self, model: Any, data: TrainingData) -> FittedModel:
        # The features are kept, so that self-training fits them once.
        refitted: FeatureModel = replace(model, **self._fit_linear(model, data))
        return refitted

    def _fit_linear(self, features: FeatureMap, data: TrainingData) -> dict[str, NDArray[Any]]:
        """Weights of terms and features, and intercepts, fitted to the labelled rows."""
        X, labels = data.X, data.problem.labels
        known = np.flatnonzero(labels >= 0)
        inputs: Any = _labelled_features(features, data, known)
        n_terms = X.shape[1] if self.include_input else 0
        if n_terms:
            documents = with_unit_rows(with_narrow_indices(take_rows(X, known)))
            inputs = (
                sparse.hstack([documents, sparse.csr_matrix(inputs)], format="csr")
                if sparse.issparse(documents)
                else np.hstack([documents, inputs])
            )
        with one_thread():
            linear = linear_model(str(self.classifier), self.C)
            linear.fit(with_narrow_indices(inputs), labels[known])
        weights, intercept = one_row_per_class(linear.coef_, linear.intercept_)
        coef = np.zeros((len(weights), X.shape[1]), weights.dtype)
        coef[:, :n_terms] = weights[:, :n_terms]
        return {"coef": coef, "feature_coef": weights[:, n_terms:], "intercept": intercept}

    def _fit_scaled_features(self, data: TrainingData, callback: Callback | None) -> FeatureFit:
        """The feature map with the scale that ``feature_weight`` gives it."""
        features, diagnostics = self._fit_features(data, callback)
        moments = _Moments.of(features, data)
        shift = moments.mean if self._standardizes else np.zeros(len(moments.mean))
        if self._standardizes:
            varies = moments.std > _ROUNDING * max(float(moments.std.max()), np.finfo(float).tiny)
            scale = np.where(varies, 1 / np.where(varies, moments.std, 1.0), 0.0)
            # A row of n standardized features has a norm of about sqrt(n).
            scale = self.feature_weight * scale / np.sqrt(max(1, varies.sum()))
        else:
            norm = moments.mean_norm
            scale = np.full(len(shift), self.feature_weight / norm if norm > 0 else 0.0)
        return FeatureFit(replace(features, feature_shift=shift, feature_scale=scale), diagnostics)


def unscaled(n_features: int) -> dict[str, NDArray[np.float64]]:
    """Fields of a feature map that leave its features unscaled."""
    return {"feature_shift": np.zeros(n_features), "feature_scale": np.ones(n_features)}


class _Moments(NamedTuple):
    """Statistics of the unscaled features of all documents."""

    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    mean_norm: float
    """Mean norm of a row."""

    @classmethod
    def of(cls, features: FeatureMap, data: TrainingData) -> _Moments:
        total = squares = 0.0
        norms, n_rows = 0.0, 0
        for number, part in rows_of_domains(data.problem, data.X):
            for block in features.unscaled_blocks(part, number):
                wide = block.astype(np.float64)
                total = total + wide.sum(axis=0)
                squares = squares + (wide**2).sum(axis=0)
                n_rows += len(wide)
                norms += float(np.sqrt((wide**2).sum(axis=1)).sum())
        mean = np.asarray(total) / n_rows
        std = np.sqrt(np.maximum(np.asarray(squares) / n_rows - mean**2, 0.0))
        return cls(mean, std, norms / n_rows)


def _labelled_features(
    features: FeatureMap, data: TrainingData, known: NDArray[np.intp]
) -> NDArray[Any]:
    """Scaled features of the labelled rows, whose positions are ``known``."""
    values = np.empty((len(known), len(features.feature_scale)), data.X.dtype)
    positions = np.arange(data.problem.n_rows)
    for domain in data.problem.domains:
        rows = positions[domain.rows][domain.labelled]
        if len(rows):
            block = features.transform(take_rows(data.X, rows), domain.number)
            values[np.searchsorted(known, rows)] = block
    return values
