"""Linear classifiers on documents and their features in a space that all domains share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from isthmus.domains.parse import rows_of_domains
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.domain_estimator import end_callbacks, join_callbacks, with_callbacks
from isthmus.estimators.base.fitted_model import Fit, FittedModel, field_specs
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.parameters import (
    MAX_C,
    check_auto_or_whole_number,
    check_choice,
    check_number,
)
from isthmus.estimators.pivots._feature_model import FeatureMap, FeatureModel, fit_linear
from isthmus.estimators.pivots._pivot_selector import (
    AUTO_PIVOTS,
    PIVOT_RULES,
    Pivots,
    auto_pivots,
    check_list_of_pivots,
    check_pivot_parameters,
    choose_pivots,
    columns_of,
)
from isthmus.matrices.protocols import Documents
from isthmus.numerics.progress import Callback

# A standard deviation below this proportion of the largest one is rounding.
_ROUNDING = 1e-6


class FeatureFit(NamedTuple):
    """The result of fitting a feature map."""

    features: FeatureMap
    diagnostics: Mapping[str, Any] = {}
    """Further fitted attributes by name."""
    documents: Sequence[Documents] | None = None
    """The documents of every domain as ``read_documents`` of the features returns them, if the fit
    has them."""


class _ScaledFit(NamedTuple):
    """The scaled feature map of a fit."""

    features: FeatureMap
    diagnostics: Mapping[str, Any]
    read: Mapping[int, Documents]
    """The documents of every domain as ``read_documents`` returns them, by domain number."""


class FeatureClassifier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TransferClassifier):
    """Base: a linear classifier on ``[x, gamma * z]`` with the scaled features ``z`` of ``x``.

    A subclass implements ``_fit_features(data, callback)``, which returns a :class:`FeatureFit`
    with an unscaled :class:`FeatureMap`, and names its model in ``_model_class``. The model derives
    from :class:`FeatureModel` and from the feature map.

    With ``classifier=None`` the estimator is a transformer only. Its ``model_`` is then the feature
    map, and labels are needed only if the features need them.

    Parameters
    ----------
    C : float, default=0.3
        Inverse regularization strength of the classifier.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms.
    intercept_ : array of shape (n_classes,)
        Intercept of every class.
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
        with self._on_engine(X, fits=True) as X:
            data = self._read_optional_labels(X, y, sample_domain, missing_label=self.missing_label)
            joined = join_callbacks(self, callback)
            fit = data.engine.run(lambda: self._fit_scaled_features(data, joined))
        self._set_unlabeled_fit(data, fit.features, fit.diagnostics)
        end_callbacks(self)
        return self

    def transform(self, X: Any, sample_domain: Any = None) -> NDArray[Any]:
        """Features of documents, scaled as the classifier uses them.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents, one per row, with the columns of the fit.
        sample_domain : array-like of int of shape (n_rows,), default=None
            Domain of every row. By default rows belong to the target.

        Returns
        -------
        array of shape (n_rows, n_features)
            Features of every document.
        """
        check_is_fitted(self)
        with self._on_engine(X) as X:
            X = self._read_matrix(X, reset=False)
            features = np.zeros((X.shape[0], self._n_features_out), X.dtype)
            for number, rows, part in self._new_documents(X, sample_domain):
                features[rows] = self.model_.transform(part, number)
        return features

    def fit_transform(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> NDArray[Any]:
        """Fit, then transform the same rows, each in its domain.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents of all domains, one per row.
        y : array-like of shape (n_rows,)
            Labels, as in :meth:`fit`.
        sample_domain : array-like of int of shape (n_rows,), default=None
            0 and above are source domains, below 0 target domains. By default labeled rows are
            the source and unlabeled rows the target.
        callback : function, default=None
            Called after every iteration; return True to stop the fit.

        Returns
        -------
        array of shape (n_rows, n_features)
            Features of every document.
        """
        with self._on_engine(X, fits=True) as X:
            self.fit(X, y, sample_domain=sample_domain, callback=callback)
            data = self._read_optional_labels(
                X, y, sample_domain, missing_label=self.missing_label, reset=False
            )
            parts = rows_of_domains(data.problem, data.X)
            return data.problem.gather([self.model_.transform(part, n) for n, part in parts])

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
        features, diagnostics, read = self._fit_scaled_features(data, callback)
        model: Any = self._model_class(
            term_totals=data.term_totals,
            **{name: getattr(features, name) for name in field_specs(features)},
            **self._fit_linear(features, data, read),
        )
        memberships = [
            model.memberships_of(domain.documents, read[domain.number], domain.number)
            for domain in data.problem.domains
        ]
        return Fit(model, memberships, diagnostics)

    def _refit(self, model: Any, data: TrainingData) -> FittedModel:
        # The features are kept, so that self-training fits them once.
        read = _read_domains(model, data, only_labeled=True)
        refitted: FeatureModel = replace(model, **self._fit_linear(model, data, read))
        return refitted

    def _fit_linear(
        self, features: FeatureMap, data: TrainingData, read: Mapping[int, Documents]
    ) -> dict[str, NDArray[Any]]:
        """Weights of terms and features, and intercepts, fitted to the labeled rows."""
        n_terms = data.X.shape[1] if self.include_input else 0
        weights, intercept = fit_linear(
            str(self.classifier), self.C, features, data, read, include_input=self.include_input
        )
        coef = np.zeros((len(weights), data.X.shape[1]), weights.dtype)
        coef[:, :n_terms] = weights[:, :n_terms]
        return {"coef": coef, "feature_coef": weights[:, n_terms:], "intercept": intercept}

    def _fit_scaled_features(self, data: TrainingData, callback: Callback | None) -> _ScaledFit:
        """The feature map with the scale that ``feature_weight`` gives it."""
        features, diagnostics, documents = self._fit_features(data, callback)
        if documents is None:
            read = _read_domains(features, data)
        else:
            numbers = [domain.number for domain in data.problem.domains]
            read = dict(zip(numbers, documents, strict=True))
        moments = _Moments.of(features, read)
        shift = moments.mean if self._standardizes else np.zeros(len(moments.mean))
        if self._standardizes:
            varies = moments.std > _ROUNDING * max(float(moments.std.max()), np.finfo(float).tiny)
            scale = np.where(varies, 1 / np.where(varies, moments.std, 1.0), 0.0)
            # A row of n standardized features has a norm of about sqrt(n).
            scale = self.feature_weight * scale / np.sqrt(max(1, varies.sum()))
        else:
            norm = moments.mean_norm
            scale = np.full(len(shift), self.feature_weight / norm if norm > 0 else 0.0)
        scaled = replace(features, feature_shift=shift, feature_scale=scale)
        return _ScaledFit(scaled, diagnostics, read)


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
    def of(cls, features: FeatureMap, read: Mapping[int, Documents]) -> _Moments:
        total: Any = 0.0
        squares: Any = 0.0
        norms, n_rows = 0.0, 0
        for number, documents in read.items():
            engine, n_rows = documents.engine, n_rows + documents.shape[0]
            for block in features.unscaled_blocks(documents, number):
                wide = block.astype(np.float64)
                total = total + engine.to_host(wide.sum(axis=0))
                squares = squares + engine.to_host((wide**2).sum(axis=0))
                norms += float(engine.xp.sqrt((wide**2).sum(axis=1)).sum())
        mean = total / n_rows
        std = np.sqrt(np.maximum(squares / n_rows - mean**2, 0.0))
        return cls(mean, std, norms / n_rows)


def _read_domains(
    features: FeatureMap, data: TrainingData, *, only_labeled: bool = False
) -> dict[int, Documents]:
    """The documents of the domains of a fit as the features need them, by domain number."""
    parts = zip(data.problem.domains, rows_of_domains(data.problem, data.X), strict=True)
    return {
        domain.number: features.read_documents(part, domain.documents)
        for domain, (_, part) in parts
        if domain.labeled.any() or not only_labeled
    }


class PivotClassifier(FeatureClassifier):
    """Base: features from the co-occurrence of words and pivots.

    Parameters
    ----------
    pivots : {"label", "shared", "frequency", "domain"} or list of str or of int, default="label"
        Rule that selects the pivots, see :class:`PivotSelector`, or the pivots themselves as column
        names or numbers. With a list, ``n_pivots`` and ``min_df`` are ignored.
    min_df : int or "auto", default="auto"
        Minimum number of documents with the pivot in every domain. "auto" is 10, or a tenth of the
        documents of a domain with fewer than 100.
    classifier : {"svm", "logistic"} or None, default="svm"
        Linear support vector machine or logistic regression. None makes a transformer, which needs
        labels only if the pivots are selected by label.

    Attributes
    ----------
    pivots_ : array of int
        Columns of the pivots, best first.
    feature_coef_ : array of shape (n_classes, n_components)
        Weights of the scaled features.
    feature_shift_, feature_scale_ : array of shape (n_components,)
        What is subtracted from every feature, and the factor by which it is then multiplied.
    """

    #: Number of features with ``n_components="auto"``, if there are that many terms.
    _auto_components: ClassVar[int] = 100
    #: Maximum number of pivots with ``n_pivots="auto"`` by selection rule; 500 for other rules.
    _auto_pivots: ClassVar[dict[str, int]] = {}

    n_components: int | str
    n_pivots: int | str
    pivots: Any
    min_df: int | str

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_auto_or_whole_number("n_components", self.n_components, least=1)
        if isinstance(self.pivots, str):
            if self.pivots not in PIVOT_RULES:
                rules = ", ".join(repr(rule) for rule in PIVOT_RULES)
                raise ValueError(
                    f"pivots must be one of {rules}, or a list such as ['good', 'bad'], got "
                    f"{self.pivots!r}."
                )
        else:
            check_list_of_pivots(self.pivots)
        check_pivot_parameters(self.n_pivots, PIVOT_RULES[0], self.min_df, None)

    def _choose_pivots(self, data: TrainingData) -> Pivots:
        rule, columns = self.pivots, None
        if not isinstance(self.pivots, str):
            rule, columns = PIVOT_RULES[0], columns_of(self.pivots, data.feature_names)
        number = self.n_pivots
        if isinstance(number, str):
            number = auto_pivots(data.X.shape[1], self._auto_pivots.get(rule, AUTO_PIVOTS))
        return choose_pivots(data.problem, data.X, number, rule, self.min_df, columns)

    def _number_of_components(self, n_terms: int) -> int:
        if isinstance(self.n_components, str):
            return min(self._auto_components, n_terms)
        if self.n_components > n_terms:
            raise ValueError(
                f"n_components={self.n_components} is more than the {n_terms} terms of the "
                "documents: lower it, or use 'auto'."
            )
        return self.n_components
