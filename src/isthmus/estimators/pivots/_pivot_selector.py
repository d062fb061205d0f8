"""The selection of pivots, terms that have the same meaning in every domain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.estimators.base.domain_estimator import DomainEstimator
from isthmus.estimators.components.idf import document_frequency
from isthmus.estimators.components.parameters import (
    check_auto_or_whole_number,
    check_choice,
    check_whole_number,
)
from isthmus.matrices.rows import take_rows
from isthmus.solvers.pivots._pivot_scores import (
    Frequencies,
    evenness,
    largest,
    lowest_frequency,
    most_frequent_groups,
    term_mutual_information,
)

#: Rules that select pivots.
PIVOT_RULES = ("label", "shared", "frequency", "domain")
#: Maximum number of pivots with ``n_pivots="auto"``.
AUTO_PIVOTS = 500
# "auto" selects at most one term in this many as a pivot.
_TERMS_PER_PIVOT = 4
# min_df="auto" is the first number, or one document in the second number in small domains.
_AUTO_MIN_DF, _DOCUMENTS_PER_MIN_DF = 10, 10


@dataclass(frozen=True)
class Pivots:
    """Selected terms, best first."""

    columns: NDArray[np.intp]
    scores: NDArray[np.float64]
    """Scores of all terms; higher is better."""
    classes: NDArray[np.intp] | None
    """Class in which each pivot is most frequent; None if no row is labeled."""


def check_pivot_parameters(n_pivots: Any, by: Any, min_df: Any, terms: Any) -> None:
    """Raise ValueError if a parameter of the selection makes no sense."""
    check_auto_or_whole_number("n_pivots", n_pivots, least=1)
    check_choice("by", by, PIVOT_RULES)
    check_auto_or_whole_number("min_df", min_df, least=1)
    if terms is not None:
        check_list_of_pivots(terms)


def check_list_of_pivots(terms: Any) -> None:
    """Raise ValueError unless ``terms`` is a list of column names or column numbers."""
    if not isinstance(terms, list | tuple | np.ndarray) or len(terms) == 0:
        raise ValueError(f"The list of pivots must hold column names or numbers, got {terms!r}.")
    is_name = [isinstance(term, str) for term in terms]
    if any(is_name) and not all(is_name):
        raise ValueError("The list of pivots mixes names and numbers: use one of them.")
    for term in () if any(is_name) else terms:
        check_whole_number("The column of a pivot", term, least=0, most=np.iinfo(np.intp).max)


def columns_of(terms: Any, feature_names: Any) -> NDArray[np.intp]:
    """Columns of the given terms in their order, without duplicates."""
    unique_terms = list(dict.fromkeys(terms))
    if not isinstance(unique_terms[0], str):
        return np.array(unique_terms, np.intp)
    if feature_names is None:
        raise ValueError(
            "The pivots are given by name but the columns have no names: pass a data frame, use "
            "Transfer, or give column numbers."
        )
    column_of = {name: column for column, name in enumerate(feature_names)}
    unknown = [term for term in unique_terms if term not in column_of]
    if len(unknown) == len(unique_terms):
        raise ValueError(
            f"None of the {len(unique_terms)} pivots given is a term of the documents, for example "
            f"{unknown[0]!r}: give the terms as the vectorizer counts them (lower case, stems)."
        )
    if unknown:
        warn_user(
            f"{len(unknown)} of the {len(unique_terms)} pivots given are not terms of the "
            f"documents, for example {unknown[0]!r}: they are ignored."
        )
    return np.array([column_of[term] for term in unique_terms if term in column_of], np.intp)


def auto_pivots(n_terms: int, maximum: int = AUTO_PIVOTS) -> int:
    """Number of pivots with ``n_pivots="auto"``: at most a quarter of the terms."""
    return max(1, min(maximum, n_terms // _TERMS_PER_PIVOT))


def choose_pivots(
    problem: Problem,
    X: Any,
    n_pivots: int | str = "auto",
    by: str = "label",
    min_df: int | str = "auto",
    columns: NDArray[np.intp] | None = None,
) -> Pivots:
    """Select the pivots of a problem; see :class:`PivotSelector`."""
    by_class = class_frequencies(problem, X)
    by_domain = domain_frequencies(problem, X)
    if columns is not None:
        chosen, scores = _given_pivots(columns, by_domain)
    else:
        chosen, scores = _best_pivots(problem.n_classes, n_pivots, by, min_df, by_class, by_domain)
    classes = None if by_class is None else most_frequent_groups(by_class)[chosen]
    return Pivots(chosen, scores, classes)


def _given_pivots(
    columns: NDArray[np.intp], by_domain: Frequencies
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Those of the given columns that occur in a document, and scores of all terms."""
    n_terms = by_domain.counts.shape[1]
    beyond = columns[columns >= n_terms]
    if len(beyond):
        raise ValueError(
            f"There is no column {beyond[0]} for a pivot: the columns are 0 to {n_terms - 1}."
        )
    used = by_domain.counts[:, columns].sum(axis=0) > 0
    if not used.any():
        raise ValueError(
            f"None of the {len(columns)} pivots given occurs in a document: check the columns."
        )
    chosen = columns[used]
    _warn_of_missing_pivots(by_domain, chosen)
    scores = np.zeros(n_terms)
    scores[chosen] = 1.0
    return chosen, scores


def _best_pivots(
    n_classes: int,
    n_pivots: int | str,
    by: str,
    min_df: int | str,
    by_class: Frequencies | None,
    by_domain: Frequencies,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Columns of the terms with the highest scores, and scores of all terms."""
    n_terms = by_domain.counts.shape[1]
    if by in ("label", "shared") and by_class is None:
        raise ValueError(
            "Pivots are selected by label but no row is labeled: pass y, or select pivots by "
            "'frequency', by 'domain' or as a list."
        )
    number = auto_pivots(n_terms) if isinstance(n_pivots, str) else int(n_pivots)
    allowed = _frequent_terms(by_domain, min_df)
    if by == "domain":
        frequent = largest(lowest_frequency(by_domain), allowed, 2 * number)
        allowed = np.isin(np.arange(n_terms), frequent)
    if by in ("label", "shared") and n_classes < 2:
        raise ValueError("Pivots are selected by label but y holds one class only.")
    scores = _scores(by, by_class, by_domain)
    return largest(scores, allowed, number), scores


def _warn_of_missing_pivots(by_domain: Frequencies, columns: NDArray[np.intp]) -> None:
    """Warn about pivots that a domain does not use."""
    missing = np.flatnonzero((by_domain.counts[:, columns] == 0).any(axis=0))
    if len(missing):
        warn_user(
            f"{len(missing)} of the {len(columns)} pivots given do not occur in every domain (the "
            f"first is column {columns[missing[0]]}), so they do not connect the domains."
        )


def _scores(by: str, by_class: Frequencies | None, by_domain: Frequencies) -> NDArray[np.float64]:
    if by == "frequency":
        return lowest_frequency(by_domain)
    if by == "domain" or by_class is None:
        return -term_mutual_information(by_domain)
    information = term_mutual_information(by_class)
    return information * evenness(by_domain) if by == "shared" else information


def _frequent_terms(by_domain: Frequencies, min_df: int | str) -> NDArray[np.bool_]:
    """Which terms occur in at least ``min_df`` documents of every domain; an error if none."""
    if isinstance(min_df, str):
        minimum = np.clip(by_domain.sizes // _DOCUMENTS_PER_MIN_DF, 1, _AUTO_MIN_DF)
    else:
        minimum = np.full(len(by_domain.sizes), float(min_df))
    frequent = (by_domain.counts >= minimum[:, None]).all(axis=0)
    if frequent.any():
        return np.asarray(frequent)
    shared = (by_domain.counts > 0).all(axis=0)
    if isinstance(min_df, str) and shared.any():
        return np.asarray(shared)
    raise ValueError(
        f"No pivot was found: none of the {shared.sum()} terms that all domains share occurs in "
        f"{int(minimum.max())} documents of each domain: lower min_df, or give a list of pivots."
        if shared.any()
        else "No pivot was found: no term occurs in every domain: check that all documents were "
        "counted with one vocabulary."
    )


def class_frequencies(problem: Problem, X: Any) -> Frequencies | None:
    """Document frequencies in the labeled rows of each class; None if no row is labeled."""
    labels = problem.labels
    if not (labels >= 0).any():
        return None
    return _frequencies(X, [np.flatnonzero(labels == c) for c in range(problem.n_classes)])


def domain_frequencies(problem: Problem, X: Any) -> Frequencies:
    """Document frequencies in each domain."""
    positions = np.arange(problem.n_rows)
    return _frequencies(X, [positions[domain.rows] for domain in problem.domains])


def _frequencies(X: Any, groups: list[NDArray[np.intp]]) -> Frequencies:
    counts = [document_frequency(take_rows(X, rows)) for rows in groups]
    return Frequencies(np.vstack(counts).astype(float), np.array([len(g) for g in groups], float))


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
