"""What all vectorizers share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from isthmus._docstrings import share_entries
from isthmus.text.weighting import fitted_weights

__all__ = ["BaseVectorizer"]


class BaseVectorizer(TransformerMixin, BaseEstimator):
    """Base of the vectorizers: texts to weighted counts of ``terms_``."""

    terms_: list[str]
    _weighting: Any

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        share_entries(cls, [BaseVectorizer])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def fit(self, texts: Iterable[str], y: Any = None) -> Self:
        """Learn terms and weights from the texts of all domains.

        Parameters
        ----------
        texts : iterable of str
            The texts, which are read once.
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(texts)
        return self

    @abstractmethod
    def fit_transform(self, texts: Iterable[str], y: Any = None) -> Any:
        """Fit, and return the weighted rows of the same texts, which are read once.

        Parameters
        ----------
        texts : iterable of str
            The texts of all domains.
        y : ignored

        Returns
        -------
        sparse matrix of shape (n_texts, n_terms)
            One row per text.
        """

    @abstractmethod
    def transform(self, texts: Iterable[str]) -> Any:
        """Return the weighted rows of new texts; terms that are not in ``terms_`` are ignored.

        Parameters
        ----------
        texts : iterable of str
            The texts, which are read once.

        Returns
        -------
        sparse matrix of shape (n_texts, n_terms)
            One row per text.
        """

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the terms of the columns.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        array of str of shape (n_terms,)
            The same as ``terms_``.
        """
        check_is_fitted(self, "terms_")
        return np.array(self.terms_, dtype=object)

    @property
    def weights_(self) -> NDArray[Any] | None:
        """Fitted weight of every term; None if the weighting has no fitted weights."""
        check_is_fitted(self, "terms_")
        return fitted_weights(self._weighting)
