"""Connected components of an affinity that is known only by its products."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.affinity import ROUNDING, Affinity

# Maximum number of components that are searched, by falling largest degree.
_MAX_COMPONENTS = 50


def large_components(
    affinity: Affinity, degrees: NDArray[Any], known: NDArray[np.bool_], least: float = 0.05
) -> NDArray[np.bool_]:
    """Rows of the components that contain a ``known`` row and are large enough.

    ``least`` is the minimum proportion of all rows with a neighbor. Every component contributes
    one leading eigenvector that does not separate classes, so a few duplicates with a vocabulary of
    their own would use up the spectrum. A component is found by the rows that can be reached from
    its row of largest degree. This takes few products, because paths between documents are short.
    """
    remaining = degrees > ROUNDING
    min_size = max(1.0, least * float(remaining.sum()))
    kept = np.zeros(len(degrees), bool)
    for _ in range(_MAX_COMPONENTS):
        if remaining.sum() < min_size:
            break
        start = np.zeros(len(degrees), bool)
        start[np.where(remaining, degrees, -1.0).argmax()] = True
        reached = reachable_rows(affinity, start)
        if reached.sum() >= min_size and (reached & known).any():
            kept |= reached
        remaining &= ~reached
    return kept


def reachable_rows(affinity: Affinity, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The given rows and all rows that are connected to them by a path."""
    reached = rows.copy()
    while True:
        similar = affinity.times(reached[:, None].astype(float))[:, 0] > ROUNDING
        if not (similar & ~reached).any():
            return reached
        reached |= similar
