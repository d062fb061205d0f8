"""LSSMTC: domains as tasks that are clustered together (Gu and Zhou, ICDM 2009).

No document has a label. All tasks have the same weight, and both terms of the objective.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.solvers.subspace._shared_subspace import Task

__all__ = ["clustering_task"]


def clustering_task(
    coordinates: NDArray[Any],
    labels: NDArray[np.intp],
    empty: NDArray[np.bool_],
    *,
    n_clusters: int,
    smoothing: float,
    lam: float,
) -> Task:
    """The task of a domain, from initial clusters; ``smoothing`` is added to every membership.

    Multiplicative steps need it, because they cannot change a zero. Empty documents have no
    membership.
    """
    one_hot = np.eye(n_clusters, dtype=coordinates.dtype)
    memberships = one_hot[labels] + one_hot.dtype.type(smoothing)
    return Task(coordinates, np.where(empty[:, None], 0, memberships), empty, lam)
