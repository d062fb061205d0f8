"""Classifiers that read every document beside its features in a space that the domains share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from isthmus.domains.model import Problem
from isthmus.domains.parse import make_problem
from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.base.callbacks import end_callbacks, join_callbacks, with_callbacks
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.components.linear_models import for_every_class
from isthmus.estimators.components.parameters import MOST_C, check_choice, check_number
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.protocols import Documents
from isthmus.matrices.rows import take_rows, with_narrow_indices, with_unit_rows
from isthmus.matrices.threads import one_blas_thread, one_thread
from isthmus.numerics.progress import Callback
from isthmus.numerics.scaling import unit_rows

# Rows whose features are made at a time.
_BLOCK = 4096


class AugmentedClassifier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TransferClassifier):
    """Base: a linear classifier on ``[x, gamma * z]``, with ``z`` the scaled features of ``x``.

    A subclass writes ``_learn_features``, which sets fitted attributes, ``_feature_map``, which
    gives a function from documents (rows of length 1, unless ``_feature_documents`` says otherwise)
    to their features, and ``_word_features``, how much every word adds to each of them.

    With ``classifier=None`` it is a transformer alone, which needs labels only where pivots are
    chosen by them.
    """

    # What ``fit_transform`` asks for follows from ``fit`` and this.
    __metadata_request__transform: ClassVar[dict[str, bool]] = {"sample_domain": True}

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **TransferClassifier._fitted_shapes,
        "coef_": "cm",
        "feature_coef_": "ck",
        "intercept_": "c",
        "feature_shift_": "k",
        "feature_scale_": "k",
    }
    _signed: ClassVar[tuple[str, ...]] = (
        *TransferClassifier._signed,
        "coef_",
        "feature_coef_",
        "intercept_",
        "feature_shift_",
    )

    #: Whether every feature is brought to mean 0 and the same variance, or all are multiplied by
    #: one number. Either way a row of features has a mean length of 1 before ``feature_weight``.
    _standardised: ClassVar[bool] = False

    feature_weight: float
    classifier: str | None
    C: float

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
        for name in ("transduction_", "label_distributions_", *AugmentedClassifier._fitted_shapes):
            self.__dict__.pop(name, None)  # of an earlier fit with a classifier
        X = self._read_matrix(X, reset=True)
        problem = self._unlabelled_problem(X, y, sample_domain)
        self.domains_ = np.array([domain.number for domain in problem.domains])
        self._learn_scaled_features(problem, X, join_callbacks(self, callback))
        end_callbacks(self)
        return self

    fit.__doc__ = TransferClassifier.fit.__doc__

    def transform(self, X: Any, sample_domain: Any = None) -> NDArray[Any]:
        """Features of documents, scaled as the classifier sees them.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
        sample_domain : array-like of int of shape (n_rows,), default=None
            The domain of every row. Without it rows belong to the target.
        """
        check_is_fitted(self)
        X = self._read_matrix(X, reset=False)
        features = np.zeros((X.shape[0], self._n_features_out), X.dtype)
        for number, rows, part in self._new_documents(X, sample_domain):
            features[rows] = self._scaled_features(part, number)
        return features

    def fit_transform(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> NDArray[Any]:
        """``fit``, then ``transform`` of the same rows, each in its domain."""
        self.fit(X, y, sample_domain=sample_domain, callback=callback)
        X = self._read_matrix(X, reset=False)
        problem = self._unlabelled_problem(X, y, sample_domain)
        return problem.gather(
            [self._scaled_features(part, number) for number, part in rows_of_domains(problem, X)]
        )

    def _check_labels_documents(self) -> None:
        if self.classifier is None:
            raise ValueError(
                f"{type(self).__name__}(classifier=None) makes features and no labels: call "
                "transform, or fit with a classifier."
            )

    @property
    def _n_features_out(self) -> int:
        return len(self.feature_scale_)

    def _unlabelled_problem(self, X: Any, y: Any, sample_domain: Any) -> Problem:
        labels = [None] * X.shape[0] if y is None else y
        return make_problem(
            X, labels, sample_domain, missing_label=self.missing_label, labels_required=False
        )

    def _check_parameters(self) -> None:
        check_number("feature_weight", self.feature_weight, least=0, most=1e6)
        if self.classifier is not None:
            check_choice("classifier", self.classifier, ("svm", "logistic"))
        check_number("C", self.C, above=0, most=MOST_C)

    def _make_model(self) -> Any:
        if self.classifier == "logistic":
            return LogisticRegression(C=self.C, max_iter=1000)
        return LinearSVC(C=self.C, dual=False, max_iter=1000)

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        self._learn_scaled_features(problem, X, callback)
        self._fit_again(problem, X)
        return [self._new_memberships(part, number) for number, part in rows_of_domains(problem, X)]

    def _fit_again(self, problem: Problem, X: Any) -> None:
        labels = problem.labels
        known = np.flatnonzero(labels >= 0)
        features = np.empty((len(known), self._n_features_out), X.dtype)
        everyone = np.arange(problem.n_rows)
        for domain in problem.domains:
            rows = everyone[domain.rows][domain.labelled]
            if len(rows):
                places = np.searchsorted(known, rows)
                features[places] = self._scaled_features(take_rows(X, rows), domain.number)
        self._teach(X, features, known, labels[known])

    def _teach(
        self,
        X: Any,
        features: NDArray[Any],
        rows: NDArray[np.intp],
        labels: NDArray[np.intp],
    ) -> None:
        """Learn the weights of words and features from labelled rows."""
        n_terms = X.shape[1] if self._sees_documents() else 0
        seen: Any = features
        if n_terms:
            documents = with_unit_rows(with_narrow_indices(take_rows(X, rows)))
            seen = (
                sparse.hstack([documents, sparse.csr_matrix(features)], format="csr")
                if sparse.issparse(documents)
                else np.hstack([documents, features])
            )
        with one_thread():
            model = self._make_model().fit(with_narrow_indices(seen), labels)
        weights, self.intercept_ = for_every_class(model.coef_, model.intercept_)
        self.coef_ = np.zeros((len(weights), X.shape[1]), weights.dtype)
        self.coef_[:, :n_terms] = weights[:, :n_terms]
        self.feature_coef_ = weights[:, n_terms:]

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        scores = np.asarray(unit_rows(as_documents(X)).times(self.coef_.T))
        start = 0
        for features in self._feature_blocks(X, number):
            rows = slice(start, start + len(features))
            with one_blas_thread():
                scores[rows] += self._scaled(features, X.dtype) @ self.feature_coef_.T
            start = rows.stop
        return np.asarray(softmax(scores + self.intercept_, axis=1), X.dtype)

    def _word_strengths(self) -> dict[int, NDArray[Any]]:
        weights = self.feature_coef_ * self.feature_scale_
        return {
            number: use[:, None] * (self.coef_.T + self._word_features(number) @ weights.T)
            for number, use in self.term_totals_.items()
        }

    def _learn_scaled_features(self, problem: Problem, X: Any, callback: Callback | None) -> None:
        self._learn_features(problem, X, callback)
        total = squares = 0.0
        lengths, n_rows = 0.0, 0
        for number, part in rows_of_domains(problem, X):
            for block in self._feature_blocks(part, number):
                wide = block.astype(np.float64)
                total = total + wide.sum(axis=0)
                squares = squares + (wide**2).sum(axis=0)
                n_rows += len(wide)
                lengths += float(np.sqrt((wide**2).sum(axis=1)).sum())
        mean = np.asarray(total) / n_rows
        if self._standardised:
            spread = np.sqrt(np.maximum(np.asarray(squares) / n_rows - mean**2, 0.0))
            real = spread > 1e-6 * max(float(spread.max()), np.finfo(float).tiny)
            scale = np.where(real, 1 / np.where(real, spread, 1.0), 0.0)
            self.feature_shift_ = mean
            # The mean length of a row of so many numbers of variance 1, near enough.
            self.feature_scale_ = self.feature_weight * scale / np.sqrt(max(1, real.sum()))
        else:
            length = lengths / n_rows
            self.feature_shift_ = np.zeros(len(mean))
            size = self.feature_weight / length if length > 0 else 0.0
            self.feature_scale_ = np.full(len(mean), size)

    def _feature_blocks(self, X: Any, number: int) -> Iterator[NDArray[Any]]:
        """Features of rows of a domain as they are learnt, some rows at a time."""
        features = self._feature_map(number, X.dtype)
        for block in self._feature_documents(X).row_blocks(_BLOCK):
            yield features(block)

    def _scaled_features(self, X: Any, number: int) -> NDArray[Any]:
        blocks = [self._scaled(block, X.dtype) for block in self._feature_blocks(X, number)]
        return np.concatenate(blocks)

    def _scaled(self, features: NDArray[Any], dtype: Any) -> NDArray[Any]:
        return np.asarray((features - self.feature_shift_) * self.feature_scale_, dtype)

    def _sees_documents(self) -> bool:
        """Whether the classifier sees the documents themselves beside their features."""
        return True

    def _feature_documents(self, X: Any) -> Documents:
        """The documents of which features are made."""
        return unit_rows(as_documents(X))

    @abstractmethod
    def _learn_features(self, problem: Problem, X: Any, callback: Callback | None) -> None:
        """Set the fitted attributes that ``_feature_map`` needs."""

    @abstractmethod
    def _feature_map(self, number: int, dtype: Any) -> Callable[[Documents], NDArray[Any]]:
        """From documents of the domain ``number`` to their features, a column each.

        What it needs that is large is made here, once for all blocks of documents.
        """

    @abstractmethod
    def _word_features(self, number: int) -> NDArray[Any]:
        """How much every word (row) adds to every feature in a domain, before scaling."""
