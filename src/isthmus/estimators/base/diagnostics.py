"""Warnings about doubtful predictions of any method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.matrices.engines import is_distributed
from isthmus.matrices.rows import take_rows

# A class with at least this expected number of documents should not be empty.
_MIN_EXPECTED = 10


def warn_of_empty_classes(
    problem: Problem, labels: NDArray[Any], prior: Mapping[int, NDArray[np.float64]]
) -> None:
    """Warn if no document of a target got a class that the prior leads to expect."""
    for domain in problem.targets:
        unlabeled = ~domain.labeled & domain.filled
        predicted = labels[domain.rows][unlabeled]
        for name, proportion in zip(problem.classes, prior[domain.number], strict=True):
            if proportion * len(predicted) >= _MIN_EXPECTED and not (predicted == name).any():
                warn_user(
                    f"None of the {len(predicted)} documents of {domain.name} got class {name!s}, "
                    f"although its expected proportion is {100 * proportion:.0f} %: if there "
                    "should be some, pass class_prior or try another method."
                )


def warn_of_no_shared_terms(problem: Problem, X: Any) -> None:
    """Warn if a target shares no term with the labeled documents."""
    warn_of_disjoint_targets(problem, _terms(X, problem.labels >= 0), "the labeled documents")


def warn_of_disjoint_targets(problem: Problem, terms: NDArray[np.bool_], owner: str) -> None:
    """Warn if a target without labels uses none of the terms; ``owner`` says whose terms."""
    for domain in problem.targets:
        shared = (terms & (domain.term_totals != 0)).any()
        if not shared and not domain.labeled.any() and domain.documents.shape[0]:
            warn_user(
                f"{domain.name} shares no term with {owner}, so its labels are meaningless: "
                "count the documents of all domains with one vocabulary."
            )


def _terms(X: Any, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which terms occur in the rows."""
    if is_distributed(X):
        return np.asarray(take_rows(X, np.flatnonzero(rows)).column_counts() > 0)
    return np.asarray(abs(X[rows]).sum(axis=0)).ravel() > 0
