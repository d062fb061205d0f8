"""Pivots: terms that mean the same in every domain, over which labels are carried."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from isthmus.domains.parse import make_problem
from isthmus.estimators.base.domain_estimator import DomainEstimator
from isthmus.estimators.pivots._pivot_choice import (
    check_pivot_parameters,
    choose_pivots,
    columns_of,
)


class PivotSelector(SelectorMixin, DomainEstimator):
    """Chooses pivots: terms that stand in enough documents of every domain.

    A pivot ("excellent", "waste of money") says the same in all domains, so that what occurs
    beside it can be compared between them. As a scikit-learn selector, ``transform`` keeps the
    columns of the pivots alone. :class:`PJNMF`, :class:`SCL` and :class:`SFA` choose theirs by this
    rule; use it by itself to see them, or to hand over a list of your own.

    Parameters
    ----------
    n_pivots : int or "auto", default="auto"
        The most pivots. "auto" is 500, or a quarter of the vocabulary if that is less.
    by : {"label", "shared", "frequency", "domain"}, default="label"
        Of the terms that are frequent enough, take those whose presence has the most mutual
        information with the label (of the labelled rows); this times how common a term is in the
        domain that uses it least, over the one that uses it most; those most frequent in the domain
        that uses them least; or, of twice as many of these, the ones with the least mutual
        information with the domain (rare terms have little with anything).
    min_df : int or "auto", default="auto"
        The least number of documents of every domain that hold a pivot. "auto" is 10, or one
        in ten documents of a domain with fewer than a hundred.
    terms : list of str or of int, default=None
        The pivots themselves, as names of columns (of a data frame) or their numbers; nothing else
        is then looked at.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    pivots_ : array of int
        Columns of the pivots, the best first.
    scores_ : array of shape (n_terms,)
        What terms are ranked by; larger is better.
    pivot_labels_ : array
        The label beside which each of ``pivots_`` is most common; not there where no row has a
        label. (``get_feature_names_out`` and ``transform`` keep the order of the columns instead.)

    Examples
    --------
    >>> import pandas as pd
    >>> from isthmus import PivotSelector
    >>> X = pd.DataFrame({"good": [1, 0, 1, 0], "bad": [0, 1, 0, 1], "plot": [1, 1, 0, 0]})
    >>> chosen = PivotSelector(2, min_df=1).fit(X, ["+", "-", None, None])
    >>> X.columns[chosen.pivots_].tolist(), chosen.pivot_labels_.tolist()
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
        """Choose the pivots.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
        y : array-like of shape (n_rows,), default=None
            Labels, needed with ``by="label"`` and ``by="shared"``; rows without one carry
            ``missing_label``, None or NaN.
        sample_domain : array-like of int of shape (n_rows,), default=None
            The domain of every row. Without it labelled rows are the source and the others the
            target.
        """
        check_pivot_parameters(self.n_pivots, self.by, self.min_df, self.terms)
        X = self._read_matrix(X, reset=True)
        labels = [None] * X.shape[0] if y is None else y
        problem = make_problem(
            X, labels, sample_domain, missing_label=self.missing_label, labels_required=False
        )
        self.domains_ = np.array([domain.number for domain in problem.domains])
        terms = self.terms
        if terms is not None:
            terms = columns_of(terms, getattr(self, "feature_names_in_", None))
        chosen = choose_pivots(problem, X, self.n_pivots, self.by, self.min_df, terms)
        self.pivots_, self.scores_ = chosen.columns, chosen.scores
        self.__dict__.pop("pivot_labels_", None)  # of an earlier fit
        if chosen.classes is not None:
            self.pivot_labels_ = problem.classes[chosen.classes]
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, bool)
        mask[self.pivots_] = True
        return mask
