"""Some documents of every domain, spread by content, in the memory of this process."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Domain, Problem
from isthmus.estimators.components.repeatable_kmeans import random_projections
from isthmus.matrices.rows import as_documents
from isthmus.matrices.threads import one_thread

# Documents of each class that are added if the sample has fewer.
_MIN_PER_CLASS = 10


def spread_rows(problem: Problem, X: Any, max_documents: int) -> list[NDArray[np.intp]]:
    """At most about ``max_documents`` rows of each domain, with every class among them.

    The documents are spread by content, so that the order of the rows does not matter.
    """
    all_rows = np.arange(problem.n_rows)
    if all(len(domain.labels) <= max_documents for domain in problem.domains):
        return [all_rows[domain.rows] for domain in problem.domains]
    with one_thread():
        order = random_projections(X, np.random.default_rng(0))
    return [
        _spread(domain, order[domain.rows], all_rows[domain.rows], max_documents)
        for domain in problem.domains
    ]


def local_problem(problem: Problem, X: Any, rows: list[NDArray[np.intp]]) -> tuple[Problem, Any]:
    """The problem of these rows, one array per domain, and their matrix, on the CPU."""
    part = X[np.concatenate(rows)]
    domains, start, labels = [], 0, problem.labels
    for domain, chosen in zip(problem.domains, rows, strict=True):
        place = slice(start, start + len(chosen))
        start += len(chosen)
        documents = as_documents(part, place)
        domains.append(Domain(domain.number, documents, labels[chosen], place, domain.given_name))
    return Problem(tuple(domains), problem.classes, start), part


def _spread(
    domain: Domain, order: NDArray[np.float64], rows: NDArray[np.intp], max_documents: int
) -> NDArray[np.intp]:
    """Rows of a domain, evenly spread over its documents by content."""
    if len(rows) <= max_documents:
        return rows
    # Documents of equal content are sorted by label, so that their positions do not matter.
    ranked = np.lexsort([domain.labels, order])
    chosen = [ranked[_positions(len(ranked), max_documents)]]
    for label in np.unique(domain.labels[domain.labeled]):
        of_class = ranked[domain.labels[ranked] == label]
        if np.isin(of_class, chosen[0]).sum() < _MIN_PER_CLASS:
            chosen.append(of_class[_positions(len(of_class), _MIN_PER_CLASS)])
    return np.asarray(rows[np.unique(np.concatenate(chosen))])


def _positions(n_all: int, n_chosen: int) -> NDArray[np.intp]:
    return np.linspace(0, n_all - 1, min(n_all, n_chosen)).astype(np.intp)
