"""Methods that no test tells apart."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["rank_groups"]


def rank_groups(ranks: Sequence[float], critical_difference: float) -> list[tuple[int, int]]:
    """Find the groups of methods whose mean ranks do not differ, none within another.

    Parameters
    ----------
    ranks : sequence of float
        Mean ranks, ascending.
    critical_difference : float
        Ranks that lie farther apart differ.

    Returns
    -------
    list of (int, int)
        Numbers of the first and the last method of every group of two or more.

    Examples
    --------
    >>> rank_groups([1.0, 1.5, 2.5, 4.0], 1.2)
    [(0, 1), (1, 2)]
    """
    groups: list[tuple[int, int]] = []
    last = 0
    for first, rank in enumerate(ranks):
        reach = max(last, first)
        while reach + 1 < len(ranks) and ranks[reach + 1] - rank <= critical_difference:
            reach += 1
        # One that ends where the group before ends lies within it.
        if reach > first and (not groups or reach > groups[-1][1]):
            groups.append((first, reach))
        last = reach
    return groups
