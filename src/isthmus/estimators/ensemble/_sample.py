"""A sample of large data that has documents of every domain and class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Domain, Problem
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.repeatable_kmeans import random_projections
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.threads import one_thread

__all__ = ["Sample", "sample_of"]

# Documents of each class that are added if the sample has fewer.
_MIN_PER_CLASS = 10


@dataclass(frozen=True)
class Sample:
    """Some rows of the data of a fit, as data of their own."""

    data: TrainingData
    rows: list[NDArray[np.intp]]
    """Positions in the caller's matrix, one array per domain."""


def sample_of(data: TrainingData, max_documents: int) -> Sample:
    """At most about ``max_documents`` documents of each domain, with every class among them.

    The documents are spread by content, so that the order of the rows does not matter.
    """
    problem = data.problem
    with one_thread():
        order = random_projections(data.X, np.random.default_rng(0))
    all_rows = np.arange(problem.n_rows)
    rows = [
        _spread(domain, order[domain.rows], all_rows[domain.rows], max_documents)
        for domain in problem.domains
    ]
    X = data.X[np.concatenate(rows)]
    domains, start = [], 0
    labels = problem.labels
    for domain, part in zip(problem.domains, rows, strict=True):
        place = slice(start, start + len(part))
        start += len(part)
        documents = as_documents(X, place)
        domains.append(Domain(domain.number, documents, labels[part], place, domain.given_name))
    return Sample(TrainingData(Problem(tuple(domains), problem.classes, start), X), rows)


def _spread(
    domain: Domain, order: NDArray[np.float64], rows: NDArray[np.intp], max_documents: int
) -> NDArray[np.intp]:
    """Rows of a domain, evenly spread over its documents by content."""
    if len(rows) <= max_documents:
        return rows
    # Documents of equal content are sorted by label, so that their positions do not matter.
    ranked = np.lexsort([domain.labels, order])
    chosen = [ranked[_positions(len(ranked), max_documents)]]
    for label in np.unique(domain.labels[domain.labelled]):
        of_class = ranked[domain.labels[ranked] == label]
        if np.isin(of_class, chosen[0]).sum() < _MIN_PER_CLASS:
            chosen.append(of_class[_positions(len(of_class), _MIN_PER_CLASS)])
    return np.asarray(rows[np.unique(np.concatenate(chosen))])


def _positions(n_all: int, n_chosen: int) -> NDArray[np.intp]:
    return np.linspace(0, n_all - 1, min(n_all, n_chosen)).astype(np.intp)
