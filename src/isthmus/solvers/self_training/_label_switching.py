"""Classes of documents that are switched in pairs, so that there stay as many of every class.

Memberships are 1 or 0, but where documents tie: those share what is left of a class.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.prior_shift import class_counts
from isthmus.solvers.self_training._primal_svm import hinge

__all__ = ["first_classes", "switched"]

# Pairs of classes are gone through again until nothing moves, and no more often than this.
_SWEEPS = 20
# Less than this of a document is rounding.
_DUST = 1e-9


def first_classes(
    scores: NDArray[np.float64], shares: NDArray[np.float64] | None, same: float
) -> NDArray[np.float64]:
    """The best classes with the shares, without any those that the scores give by themselves."""
    n_rows, n_classes = scores.shape
    preferred = np.bincount(scores.argmax(axis=1), minlength=n_classes) / max(n_rows, 1)
    counts = class_counts(n_rows, preferred if shares is None else shares, preferred)
    # Rows that are all alike have the right totals: switching does the rest.
    alike = np.tile(counts / max(n_rows, 1), (n_rows, 1))
    return switched(alike, scores, same)


def switched(
    memberships: NDArray[np.float64], scores: NDArray[np.float64], same: float
) -> NDArray[np.float64]:
    """Memberships, with the same total of every class, after all switches that lower the loss.

    Class ``c`` instead of another saves ``loss(-f_c) - loss(f_c)``. Two classes at a time, the
    documents that have one of them are put in the order of what the one saves more than the other.
    Savings that differ by no more than a part ``same`` of the largest are equal.
    """
    saved = np.asfortranarray(hinge(-scores) ** 2 - hinge(scores) ** 2)
    found = np.array(memberships, order="F")
    holders = [np.flatnonzero(column) for column in found.T]
    pairs = list(combinations(range(scores.shape[1]), 2))
    for _ in range(_SWEEPS if len(pairs) > 1 else 1):
        moved = [_switch_pair(found, saved, holders, a, b, same) for a, b in pairs]
        if max(moved) < _DUST:
            break
    return found


def _switch_pair(
    found: NDArray[np.float64],
    saved: NDArray[np.float64],
    holders: list[NDArray[np.intp]],
    a: int,
    b: int,
    same: float,
) -> float:
    """Switch two classes in place; how much of them moved."""
    first, second = holders[a], holders[b]
    if len(first) == 0 or len(second) == 0:
        return 0.0
    ahead = saved[:, a] - saved[:, b]
    if ahead[first].min() >= ahead[second].max():
        return 0.0
    rows = np.union1d(first, second)
    mass = found[rows, a] + found[rows, b]
    part = _ranked(ahead[rows], mass, float(found[rows, a].sum()), same)
    moved = float(np.abs(part - found[rows, a]).sum())
    found[rows, a], found[rows, b] = part, mass - part
    holders[a], holders[b] = rows[part > 0], rows[mass > part]
    return moved


def _ranked(
    values: NDArray[np.float64], mass: NDArray[np.float64], total: float, same: float
) -> NDArray[np.float64]:
    """Of every mass the part that belongs to the largest values which have the total together.

    Those that equal the value at the border share what is left of it.
    """
    order = np.argsort(-values, kind="stable")
    border = np.searchsorted(np.cumsum(mass[order]), total - _DUST)
    last = values[order[min(int(border), len(order) - 1)]]
    apart = same * max(float(np.abs(values).max()), 1.0)
    above, tied = values > last + apart, np.abs(values - last) <= apart
    left = total - float(mass[above].sum())
    # Rounded, so that a sum that is not exact leaves no dust in a class.
    share = np.round(np.clip(left / float(mass[tied].sum()), 0.0, 1.0), 9)
    return np.where(above, mass, np.where(tied, share * mass, 0.0))
