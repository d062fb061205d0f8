"""LSSTTC: sources and targets as tasks of the shared subspace (Gu and Zhou, ICDM 2009).

Labeled documents keep their class. Only the targets have the term of their own centroids, so a
source takes part in the shared term only.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Array
from isthmus.solvers.subspace._shared_subspace import Task


def classification_task(
    domain: Domain, coordinates: Array, memberships: NDArray[Any], lam: float
) -> Task:
    """The task of a domain; initial ``memberships`` of empty rows are set to 0 in place."""
    empty = ~domain.filled
    memberships[empty] = 0
    weight = lam if domain.is_target else 0.0
    # With lam=1 no term of the objective contains the rows of a source.
    unused = empty | (weight == 0 and lam == 1)
    documents = domain.documents
    return Task(
        coordinates,
        documents.asarray(memberships),
        documents.asarray(domain.labeled | unused),
        weight,
        documents.engine,
    )


def total_weight(domain: int, lam: float) -> float:
    """Total weight of the squared distances of a domain; sources have only the shared term."""
    return 1.0 if domain < 0 else 1 - lam
