"""Weightings of term counts, as transformers fitted on the rows of all domains together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import FunctionTransformer, normalize
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data


def damp(values: NDArray[Any]) -> None:
    """``1 + log tf`` in place for counts from 1 on; smaller ones stay as they are.

    A word with several translations leaves less than 1 to each, of which the logarithm would make
    a negative weight.
    """
    large = values >= 1
    values[large] = np.log(values[large]) + 1


class DampedTfidf(TfidfTransformer):
    """tf-idf with rows of length 1 on damped counts, which need not be whole numbers."""

    def transform(self, X: Any, copy: bool = True) -> Any:
        """Weighted rows."""
        check_is_fitted(self)
        counts = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            copy=copy,
        )
        if not sparse.issparse(counts):
            counts = sparse.csr_matrix(counts)
        damp(counts.data)
        return super().transform(counts, copy=False)


class ColumnNormalizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Weights counts so that frequent terms do not rule.

    ``1 + log tf`` (``tf`` below 1), rows to sum 1, every column divided by the root of its sum over
    all fitted rows, rows to length 1. A term that no fitted row uses gets weight 0.

    Attributes
    ----------
    column_scale_ : array of shape (n_terms,)
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _shares(self, X: Any, *, reset: bool) -> Any:
        X = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=(np.float64, np.float32), copy=True
        )
        check_non_negative(X, type(self).__name__)
        damp(X.data if sparse.issparse(X) else X)
        return normalize(X, norm="l1", copy=False)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the weight of every column from the documents of all domains."""
        shares = self._shares(X, reset=True)
        sums = np.asarray(shares.sum(axis=0), np.float64).ravel()
        scale = np.zeros_like(sums)
        np.divide(1, np.sqrt(sums), out=scale, where=sums > 0)
        self.column_scale_ = scale
        return self

    def transform(self, X: Any) -> Any:
        """Weighted rows of length 1."""
        check_is_fitted(self)
        shares = self._shares(X, reset=False)
        scale = self.column_scale_.astype(shares.dtype)
        weighted = (
            shares.multiply(scale[None, :]).tocsr() if sparse.issparse(shares) else (shares * scale)
        )
        return normalize(weighted, copy=False)


def _presence(X: Any) -> Any:
    present = X.copy()
    values = present.data if sparse.issparse(present) else present
    values[values > 0] = 1
    return present


_WEIGHTINGS: dict[str, Callable[[], Any]] = {
    "counts": lambda: FunctionTransformer(accept_sparse=True, feature_names_out="one-to-one"),
    "tfidf": lambda: TfidfTransformer(norm=None),
    "log-tfidf": DampedTfidf,
    "column-normalised": ColumnNormalizer,
    "presence": lambda: FunctionTransformer(
        _presence, accept_sparse=True, feature_names_out="one-to-one"
    ),
}

#: Names that :func:`make_weighting` knows.
WEIGHTINGS = tuple(_WEIGHTINGS)


def make_weighting(name: str) -> Any:
    """The weighting of that name, unfitted.

    "counts" leaves counts as they are; "tfidf" is tf * idf without scaling of rows (MTrick's
    paper); "log-tfidf" is (1 + log tf) * idf with rows of length 1, which suits most methods
    here (tf itself where it is below 1, as counts split over translations may be);
    "column-normalised" is :class:`ColumnNormalizer`; "presence" is 1 for a term that occurs.
    """
    if not isinstance(name, str) or name not in _WEIGHTINGS:
        raise ValueError(f"Unknown weighting {name!r}; weightings are: {', '.join(WEIGHTINGS)}.")
    return _WEIGHTINGS[name]()


def weigh_in_place(weighting: Any, counts: Any) -> Any:
    """``weighting.transform(counts)`` for counts that nobody else needs: no copy if it can."""
    if isinstance(weighting, TfidfTransformer):
        return weighting.transform(counts, copy=False)
    return weighting.transform(counts)


def fitted_weights(weighting: Any) -> NDArray[Any] | None:
    """What a fitted weighting learnt, one number a term; None if it learns nothing."""
    if isinstance(weighting, TfidfTransformer):
        return np.asarray(weighting.idf_)
    if isinstance(weighting, ColumnNormalizer):
        return weighting.column_scale_
    return None


def with_weights(name: str, weights: NDArray[Any] | None) -> Any:
    """The weighting of that name, fitted with what :func:`fitted_weights` gave."""
    weighting = make_weighting(name)
    learns = isinstance(weighting, TfidfTransformer | ColumnNormalizer)
    if learns != (weights is not None):
        raise ValueError(f"The weighting {name!r} {'needs' if learns else 'has no'} weights.")
    if weights is not None:
        setattr(weighting, "idf_" if name.endswith("tfidf") else "column_scale_", weights)
        weighting.n_features_in_ = len(weights)
    return weighting
