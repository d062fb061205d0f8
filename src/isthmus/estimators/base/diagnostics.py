"""What speaks against the labels that a method found, whatever the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem

# Documents of a class to be expected by the shares, from which on it is odd to have none.
_EXPECTED = 10


def warn_of_empty_classes(
    problem: Problem, labels: NDArray[Any], shares: Mapping[int, NDArray[np.float64]]
) -> None:
    """Say so if no document of a target got a class of which there should be some."""
    for domain in problem.targets:
        asked = ~domain.labelled & (domain.documents.row_norms() > 0)
        given = labels[domain.rows][asked]
        for name, share in zip(problem.classes, shares[domain.number], strict=True):
            if share * len(given) >= _EXPECTED and not (given == name).any():
                warn_user(
                    f"None of the {len(given)} documents of {domain.name} got the class {name!s}, "
                    f"which {share:.0%} of the labelled ones have: if there should be some, give "
                    "their shares (class_prior), or try another method."
                )


def warn_of_no_shared_terms(problem: Problem, X: Any) -> None:
    """Say so if a target has no term that a labelled document has."""
    labelled = _terms(X, problem.labels >= 0)
    for domain in problem.targets:
        alone = not (labelled & (domain.documents.column_sums() != 0)).any()
        if alone and not domain.labelled.any() and domain.documents.shape[0]:
            warn_user(
                f"{domain.name} has no term in common with the labelled documents, so its labels "
                "mean nothing: count the documents of all domains with one vocabulary."
            )


def _terms(X: Any, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(abs(X[rows]).sum(axis=0)).ravel() > 0
