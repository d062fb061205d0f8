"""Which documents hang together through the words of others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.affinity import ROUNDING, Affinity

# Parts of a graph that are looked for, the heaviest document first.
_MOST_PARTS = 50


def large_parts(
    affinity: Affinity, degrees: NDArray[Any], known: NDArray[np.bool_], least: float = 0.05
) -> NDArray[np.bool_]:
    """Rows in a connected part of the graph that has this share of all rows with a neighbour.

    A part must hold a row that is ``known``: where no document has a label, nothing can be said.

    Every part has an eigenvector of its own before any that tells classes apart, so that a few
    notices posted twice in words of their own would use up the spectrum. A part is found by what
    can be reached from its heaviest document: some products, for documents are a few steps apart.
    """
    open_rows = degrees > ROUNDING
    enough = max(1.0, least * float(open_rows.sum()))
    kept = np.zeros(len(degrees), bool)
    for _ in range(_MOST_PARTS):
        if open_rows.sum() < enough:
            break
        heaviest = np.zeros(len(degrees), bool)
        heaviest[np.where(open_rows, degrees, -1.0).argmax()] = True
        reached = reached_from(affinity, heaviest)
        if reached.sum() >= enough and (reached & known).any():
            kept |= reached
        open_rows &= ~reached
    return kept


def reached_from(affinity: Affinity, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """These rows and all that a path leads to from them."""
    reached = rows.copy()
    while True:
        similar = affinity.times(reached[:, None].astype(float))[:, 0] > ROUNDING
        if not (similar & ~reached).any():
            return reached
        reached |= similar
