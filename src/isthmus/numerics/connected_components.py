"""Connected components of an affinity that is known only by its products."""

from __future__ import annotations

from isthmus.matrices.protocols import Array
from isthmus.numerics.affinity import ROUNDING, Affinity

# Maximum number of components that are searched, by falling largest degree.
_MAX_COMPONENTS = 50


def large_components(
    affinity: Affinity, degrees: Array, known: Array, least: float = 0.05
) -> Array:
    """Rows of the components that contain a ``known`` row and are large enough.

    ``least`` is the minimum proportion of all rows with a neighbor. Every component contributes
    one leading eigenvector that does not separate classes, so a few duplicates with a vocabulary of
    their own would use up the spectrum. A component is found by the rows that can be reached from
    its row of largest degree. This takes few products, because paths between documents are short.
    """
    xp = affinity.engine.xp
    remaining = degrees > ROUNDING
    min_size = max(1.0, least * float(remaining.sum()))
    kept = xp.zeros(len(degrees), bool)
    for _ in range(_MAX_COMPONENTS):
        if int(remaining.sum()) < min_size:
            break
        start = xp.zeros(len(degrees), bool)
        start[int(xp.where(remaining, degrees, -1.0).argmax())] = True
        reached = reachable_rows(affinity, start)
        if int(reached.sum()) >= min_size and bool((reached & known).any()):
            kept |= reached
        remaining &= ~reached
    return kept


def reachable_rows(affinity: Affinity, rows: Array) -> Array:
    """The given rows and all rows that are connected to them by a path."""
    reached = rows.copy()
    while True:
        similar = affinity.times(reached[:, None].astype(float))[:, 0] > ROUNDING
        if not bool((similar & ~reached).any()):
            return reached
        reached |= similar
