"""PivotSelector, which selects terms that have the same meaning in every domain."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from isthmus.estimators.base.domain_estimator import DomainEstimator
from isthmus.estimators.pivots._pivot_choice import (
    check_pivot_parameters,
    choose_pivots,
    columns_of,
)


class PivotSelector(SelectorMixin, DomainEstimator):
    """Select pivots: terms that are frequent enough in every domain.

    A pivot ("excellent", "waste of money") has the same meaning in all domains, so the words that
    occur with it can be compared between domains. This is a scikit-learn feature selector:
    ``transform`` keeps the columns of the pivots only. :class:`PJNMF`, :class:`SCL` and
    :class:`SFA` select their pivots by the same rules. Use the selector to inspect the pivots, or
    to prepare a list of your own.

    Parameters
    ----------
    n_pivots : int or "auto", default="auto"
        Maximum number of pivots. "auto" is 500, or a quarter of the vocabulary if that is less.
    by : {"label", "shared", "frequency", "domain"}, default="label"
        Score of the terms that are frequent enough. "label" is the mutual information of a term's
        presence with the label (of the labeled rows). "shared" is the same, times the ratio of the
        term's lowest to its highest document frequency over the domains. "frequency" is the lowest
        document frequency over the domains. "domain" takes twice as many terms by "frequency" and
        keeps those with the least mutual information with the domain; rare terms would have little
        information about anything.
    min_df : int or "auto", default="auto"
        Minimum number of documents with the pivot in every domain. "auto" is 10, or a tenth of the
        documents of a domain with fewer than 100.
    terms : list of str or of int, default=None
        The pivots themselves, as column names (of a data frame) or column numbers. The other
        parameters are then ignored.
    missing_label : object, default=-1
        Marks unlabeled rows, in addition to None and NaN. None turns it off.

    Attributes
    ----------
    pivots_ : array of int
        Columns of the pivots, best first.
    scores_ : array of shape (n_terms,)
        Scores of all terms; higher is better.
    pivot_labels_ : array
        For each of ``pivots_`` the label with which it is most frequent. It is not set if no row is
        labeled. (``get_feature_names_out`` and ``transform`` keep the order of the columns.)

    Examples
    --------
    >>> import pandas as pd
    >>> from isthmus import PivotSelector
    >>> X = pd.DataFrame({"good": [1, 0, 1, 0], "bad": [0, 1, 0, 1], "plot": [1, 1, 0, 0]})
    >>> selector = PivotSelector(2, min_df=1).fit(X, ["+", "-", None, None])
    >>> X.columns[selector.pivots_].tolist(), selector.pivot_labels_.tolist()
    (['good', 'bad'], ['+', '-'])
    """

    def __init__(
        self,
        n_pivots: int | str = "auto",
        *,
        by: str = "label",
        min_df: int | str = "auto",
        terms: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_pivots = n_pivots
        self.by = by
        self.min_df = min_df
        self.terms = terms
        self.missing_label = missing_label

    def fit(self, X: Any, y: Any = None, sample_domain: Any = None) -> Self:
        """Select the pivots.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents of all domains, one per row.
        y : array-like of shape (n_rows,), default=None
            Labels, required with ``by="label"`` and ``by="shared"``. Unlabeled rows are marked
            with ``missing_label``, None or NaN.
        sample_domain : array-like of int of shape (n_rows,), default=None
            Domain of every row. By default labeled rows are the source and unlabeled rows the
            target.

        Returns
        -------
        self
        """
        check_pivot_parameters(self.n_pivots, self.by, self.min_df, self.terms)
        data = self._read_optional_labels(X, y, sample_domain, missing_label=self.missing_label)
        columns = None if self.terms is None else columns_of(self.terms, data.feature_names)
        pivots = choose_pivots(data.problem, data.X, self.n_pivots, self.by, self.min_df, columns)
        self._clear_fitted_attributes()
        self.domains_ = np.array([domain.number for domain in data.problem.domains])
        self.pivots_, self.scores_ = pivots.columns, pivots.scores
        if pivots.classes is not None:
            self.pivot_labels_ = data.problem.classes[pivots.classes]
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, bool)
        mask[self.pivots_] = True
        return mask
