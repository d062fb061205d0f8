"""LSSMTC: domains as tasks that are clustered together (Gu and Zhou, ICDM 2009).

No document has a label. All tasks have the same weight, and both terms of the objective.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Engine
from isthmus.solvers.subspace._shared_subspace import Task


def clustering_task(
    coordinates: Array,
    labels: NDArray[np.intp],
    empty: NDArray[np.bool_],
    *,
    n_clusters: int,
    smoothing: float,
    lam: float,
    engine: Engine,
) -> Task:
    """The task of a domain, from initial clusters; ``smoothing`` is added to every membership.

    Multiplicative steps need it, because they cannot change a zero. Empty documents have no
    membership. Labels and ``empty`` are NumPy arrays.
    """
    one_hot = np.eye(n_clusters, dtype=coordinates.dtype)
    memberships = np.where(empty[:, None], 0, one_hot[labels] + one_hot.dtype.type(smoothing))
    return Task(coordinates, engine.asarray(memberships), engine.asarray(empty), lam, engine)
