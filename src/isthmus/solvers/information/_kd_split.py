"""Groups of points by repeated splits along one coordinate, without random numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Absolute tolerance of comparisons with a threshold and relative tolerance of comparisons of
# spreads, so that rounding errors do not decide.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class _Group:
    rows: NDArray[np.intp]
    axis: int
    threshold: float
    spread: float
    """Sum of weighted squared deviations along that axis."""


def kd_split(
    points: NDArray[np.float64], weights: NDArray[np.float64], n_groups: int
) -> NDArray[np.intp]:
    """The group of every point, from 0; fewer than ``n_groups`` if points coincide.

    The group with the largest spread along one coordinate is split there at its mean, repeatedly.
    A point has one weight per coordinate.
    """
    groups = [_make_group(points, weights, np.arange(len(points)))]
    min_spread = _ROUNDING**2 * float(weights.sum())
    while len(groups) < n_groups:
        widest = max(range(len(groups)), key=lambda g: (groups[g].spread, -g))
        group = groups[widest]
        if group.spread <= min_spread:
            break
        above = points[group.rows, group.axis] > group.threshold + _ROUNDING
        groups[widest] = _make_group(points, weights, group.rows[~above])
        groups.append(_make_group(points, weights, group.rows[above]))
    labels = np.zeros(len(points), np.intp)
    for number, group in enumerate(groups):
        labels[group.rows] = number
    return labels


def _make_group(
    points: NDArray[np.float64], weights: NDArray[np.float64], rows: NDArray[np.intp]
) -> _Group:
    own, w = points[rows], weights[rows]
    totals = np.maximum(w.sum(axis=0), np.finfo(float).tiny)
    means = (w * own).sum(axis=0) / totals
    spreads = (w * (own - means) ** 2).sum(axis=0)
    widest = float(spreads.max(initial=0.0))
    axis = int(np.argmax(spreads >= widest * (1 - _ROUNDING)))
    above = own[:, axis] > means[axis] + _ROUNDING
    can_split = bool(above.any()) and not bool(above.all())
    return _Group(rows, axis, float(means[axis]), widest if can_split else 0.0)
