"""Switching of labels in pairs, which keeps the number of documents of every class.

Memberships are 0 or 1, except for documents that tie: they share what remains of a class.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.prior_shift import class_counts
from isthmus.solvers.self_training._primal_svm import hinge

__all__ = ["best_memberships", "switch_classes"]

# Maximum number of passes over all pairs of classes.
_MAX_SWEEPS = 20
# A smaller part of a document is rounding.
_ROUNDING = 1e-9


def best_memberships(
    scores: NDArray[np.float64], class_prior: NDArray[np.float64] | None, tolerance: float
) -> NDArray[np.float64]:
    """The best memberships that match the prior; without one, those with the largest scores."""
    n_rows, n_classes = scores.shape
    predicted = np.bincount(scores.argmax(axis=1), minlength=n_classes) / max(n_rows, 1)
    counts = class_counts(n_rows, predicted if class_prior is None else class_prior, predicted)
    # Equal rows have the right totals, and switching does the rest.
    equal_rows = np.tile(counts / max(n_rows, 1), (n_rows, 1))
    return switch_classes(equal_rows, scores, tolerance)


def switch_classes(
    memberships: NDArray[np.float64], scores: NDArray[np.float64], tolerance: float
) -> NDArray[np.float64]:
    """Memberships with the same total per class after all switches that lower the loss.

    Class ``c`` instead of another class lowers the loss by ``loss(-f_c) - loss(f_c)``. For two
    classes at a time, the documents of either class are ordered by the difference of their gains.
    Gains are equal if they differ by at most ``tolerance`` times the largest.
    """
    gains = np.asfortranarray(hinge(-scores) ** 2 - hinge(scores) ** 2)
    switched = np.array(memberships, order="F")
    members = [np.flatnonzero(column) for column in switched.T]
    pairs = list(combinations(range(scores.shape[1]), 2))
    for _ in range(_MAX_SWEEPS if len(pairs) > 1 else 1):
        moved = [_switch_pair(switched, gains, members, a, b, tolerance) for a, b in pairs]
        if max(moved) < _ROUNDING:
            break
    return switched


def _switch_pair(
    memberships: NDArray[np.float64],
    gains: NDArray[np.float64],
    members: list[NDArray[np.intp]],
    a: int,
    b: int,
    tolerance: float,
) -> float:
    """Switch documents of two classes in place; returns how much membership moved."""
    first, second = members[a], members[b]
    if len(first) == 0 or len(second) == 0:
        return 0.0
    preference = gains[:, a] - gains[:, b]
    if preference[first].min() >= preference[second].max():
        return 0.0
    rows = np.union1d(first, second)
    mass = memberships[rows, a] + memberships[rows, b]
    total = float(memberships[rows, a].sum())
    part = _largest_part(preference[rows], mass, total, tolerance)
    moved = float(np.abs(part - memberships[rows, a]).sum())
    memberships[rows, a], memberships[rows, b] = part, mass - part
    members[a], members[b] = rows[part > 0], rows[mass > part]
    return moved


def _largest_part(
    values: NDArray[np.float64], mass: NDArray[np.float64], total: float, tolerance: float
) -> NDArray[np.float64]:
    """The part of every mass that belongs to the largest values with the given total.

    Values that tie at the border share what remains of the total.
    """
    order = np.argsort(-values, kind="stable")
    border = np.searchsorted(np.cumsum(mass[order]), total - _ROUNDING)
    border_value = values[order[min(int(border), len(order) - 1)]]
    distance = tolerance * max(float(np.abs(values).max()), 1.0)
    above = values > border_value + distance
    tied = np.abs(values - border_value) <= distance
    remaining = total - float(mass[above].sum())
    # Rounded, so that an inexact sum leaves no tiny membership behind.
    share = np.round(np.clip(remaining / float(mass[tied].sum()), 0.0, 1.0), 9)
    return np.where(above, mass, np.where(tied, share * mass, 0.0))
