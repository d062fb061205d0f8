"""The rule by which pivots are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
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
    favourite_groups,
    largest,
    least_frequency,
    mutual_information,
)

#: Ways to choose pivots.
PIVOT_KINDS = ("label", "shared", "frequency", "domain")
#: The most pivots where nobody says how many.
AUTO_PIVOTS = 500
_AUTO_SHARE = 4
_AUTO_DF, _AUTO_DF_SHARE = 10, 10


@dataclass(frozen=True)
class Pivots:
    """Chosen terms, the best first."""

    columns: NDArray[np.intp]
    scores: NDArray[np.float64]
    """What all terms were ranked by."""
    classes: NDArray[np.intp] | None
    """The class in which each pivot is most common; None where no row has a label."""


def check_pivot_parameters(n_pivots: Any, by: Any, min_df: Any, terms: Any) -> None:
    """Raise ValueError if a parameter of the choice makes no sense."""
    check_auto_or_whole_number("n_pivots", n_pivots, least=1)
    check_choice("by", by, PIVOT_KINDS)
    check_auto_or_whole_number("min_df", min_df, least=1)
    if terms is not None:
        check_list_of_pivots(terms)


def check_list_of_pivots(terms: Any) -> None:
    """Raise ValueError unless it is a list of names or of numbers of columns."""
    listed = isinstance(terms, list | tuple | np.ndarray)
    if not listed or len(terms) == 0:
        raise ValueError(
            f"The list of pivots must hold names or numbers of columns, got {terms!r}."
        )
    named = [isinstance(term, str) for term in terms]
    if any(named) and not all(named):
        raise ValueError("The list of pivots holds names and numbers: give either.")
    for term in () if any(named) else terms:
        check_whole_number("A pivot's column", term, least=0, most=np.iinfo(np.intp).max)


def columns_of(terms: Any, names: Any) -> NDArray[np.intp]:
    """Columns of the terms of a user's list, in its order, each once."""
    wanted = list(dict.fromkeys(terms))
    if not isinstance(wanted[0], str):
        return np.array(wanted, np.intp)
    if names is None:
        raise ValueError(
            "The pivots are given by name but the columns have none: pass a data frame, texts "
            "through Transfer, or the numbers of the columns."
        )
    place = {name: column for column, name in enumerate(names)}
    unknown = [term for term in wanted if term not in place]
    if len(unknown) == len(wanted):
        raise ValueError(
            f"None of the {len(wanted)} pivots given is a term of the documents, for example "
            f"{unknown[0]!r}: give terms as they were counted (small letters, stems)."
        )
    if unknown:
        warn_user(
            f"{len(unknown)} of the {len(wanted)} pivots given are no terms of the documents, for "
            f"example {unknown[0]!r}; the others are used."
        )
    return np.array([place[term] for term in wanted if term in place], np.intp)


def auto_pivots(n_terms: int, most: int = AUTO_PIVOTS) -> int:
    """How many pivots to take where nobody says: no more than a quarter of the terms."""
    return max(1, min(most, n_terms // _AUTO_SHARE))


def choose_pivots(
    problem: Problem,
    X: Any,
    n_pivots: int | str = "auto",
    by: str = "label",
    min_df: int | str = "auto",
    columns: NDArray[np.intp] | None = None,
) -> Pivots:
    """The pivots of a problem; see :class:`PivotSelector`."""
    n_terms = X.shape[1]
    by_class = class_frequencies(problem, X)
    favourites = None if by_class is None else favourite_groups(by_class)
    by_domain = domain_frequencies(problem, X)
    if columns is not None:
        beyond = columns[columns >= n_terms]
        if len(beyond):
            raise ValueError(
                f"There is no column {beyond[0]} for a pivot: the columns are 0 to {n_terms - 1}."
            )
        used = by_domain.counts[:, columns].sum(axis=0) > 0
        if not used.any():
            raise ValueError(
                f"None of the {len(columns)} pivots given stands in a document: check the columns."
            )
        scores, chosen = np.zeros(n_terms), columns[used]
        scores[chosen] = 1.0
        _warn_of_lonely(by_domain, chosen)
    else:
        if by in ("label", "shared") and by_class is None:
            raise ValueError(
                "Pivots are chosen by their label but no row has one: pass y, or choose them by "
                "'frequency', by 'domain' or as a list."
            )
        number = auto_pivots(n_terms) if isinstance(n_pivots, str) else int(n_pivots)
        allowed = _frequent(by_domain, min_df)
        if by == "domain":
            common = largest(least_frequency(by_domain), allowed, 2 * number)
            allowed = np.isin(np.arange(n_terms), common)
        if by in ("label", "shared") and problem.n_classes < 2:
            raise ValueError("Pivots are chosen by their label but y holds one class only.")
        scores = _scores(by, by_class, by_domain)
        chosen = largest(scores, allowed, number)
    return Pivots(chosen, scores, None if favourites is None else favourites[chosen])


def _warn_of_lonely(by_domain: Frequencies, columns: NDArray[np.intp]) -> None:
    """Tell of pivots that carry nothing over, since some domain has none of them."""
    lonely = np.flatnonzero((by_domain.counts[:, columns] == 0).any(axis=0))
    if len(lonely):
        warn_user(
            f"{len(lonely)} of the {len(columns)} pivots given stand in no document of some domain "
            f"(the first is column {columns[lonely[0]]}), so that they carry nothing over."
        )


def _scores(by: str, by_class: Frequencies | None, by_domain: Frequencies) -> NDArray[np.float64]:
    if by == "frequency":
        return least_frequency(by_domain)
    if by == "domain" or by_class is None:
        return -mutual_information(by_domain)
    information = mutual_information(by_class)
    return information * evenness(by_domain) if by == "shared" else information


def _frequent(by_domain: Frequencies, min_df: int | str) -> NDArray[np.bool_]:
    """The terms that stand in enough documents of every domain; an error if there is none."""
    if isinstance(min_df, str):
        least = np.clip(by_domain.sizes // _AUTO_DF_SHARE, 1, _AUTO_DF)
    else:
        least = np.full(len(by_domain.sizes), float(min_df))
    enough = (by_domain.counts >= least[:, None]).all(axis=0)
    if enough.any():
        return np.asarray(enough)
    if isinstance(min_df, str):  # few documents: what all domains have is better than nothing
        enough = (by_domain.counts > 0).all(axis=0)
    if not enough.any():
        shared = int((by_domain.counts > 0).all(axis=0).sum())
        raise ValueError(
            f"No pivot was found: of the {shared} terms that all domains share none stands in "
            f"{int(least.max())} documents of each: lower min_df, or give a list of pivots."
            if shared
            else "No pivot was found: no term stands in documents of every domain: check that all "
            "documents were counted with one vocabulary."
        )
    return np.asarray(enough)


def class_frequencies(problem: Problem, X: Any) -> Frequencies | None:
    """Document frequencies within the labelled rows of each class; None if there are none."""
    labels = problem.labels
    if not (labels >= 0).any():
        return None
    return _frequencies(X, [np.flatnonzero(labels == c) for c in range(problem.n_classes)])


def domain_frequencies(problem: Problem, X: Any) -> Frequencies:
    """Document frequencies within each domain."""
    everyone = np.arange(problem.n_rows)
    return _frequencies(X, [everyone[domain.rows] for domain in problem.domains])


def _frequencies(X: Any, groups: list[NDArray[np.intp]]) -> Frequencies:
    counts = [document_frequency(take_rows(X, rows)) for rows in groups]
    return Frequencies(np.vstack(counts).astype(float), np.array([len(g) for g in groups], float))
