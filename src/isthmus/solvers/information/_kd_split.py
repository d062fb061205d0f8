"""Points cut into groups along one coordinate at a time: a start that needs no chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Values nearer than this to a threshold lie on it, and coordinates whose spreads differ by less
# than this share are equally wide: rounding must not decide.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class _Group:
    rows: NDArray[np.intp]
    axis: int
    threshold: float
    spread: float
    """Weighted squared deviations along that axis."""


def axis_cuts(
    points: NDArray[np.float64], weights: NDArray[np.float64], n_groups: int
) -> NDArray[np.intp]:
    """The group of every point, from 0; fewer groups than wanted if points coincide.

    The group that is widest along one coordinate is cut there at its mean, again and again. A
    point has a weight for every coordinate; one of no weight says nothing there.
    """
    groups = [_measured(points, weights, np.arange(len(points)))]
    least = _ROUNDING**2 * float(weights.sum())
    while len(groups) < n_groups:
        widest = max(range(len(groups)), key=lambda g: (groups[g].spread, -g))
        group = groups[widest]
        if group.spread <= least:
            break
        beyond = points[group.rows, group.axis] > group.threshold + _ROUNDING
        groups[widest] = _measured(points, weights, group.rows[~beyond])
        groups.append(_measured(points, weights, group.rows[beyond]))
    labels = np.zeros(len(points), np.intp)
    for number, group in enumerate(groups):
        labels[group.rows] = number
    return labels


def _measured(
    points: NDArray[np.float64], weights: NDArray[np.float64], rows: NDArray[np.intp]
) -> _Group:
    own, heavy = points[rows], weights[rows]
    totals = np.maximum(heavy.sum(axis=0), np.finfo(float).tiny)
    means = (heavy * own).sum(axis=0) / totals
    spreads = (heavy * (own - means) ** 2).sum(axis=0)
    widest = float(spreads.max(initial=0.0))
    axis = int(np.argmax(spreads >= widest * (1 - _ROUNDING)))
    beyond = own[:, axis] > means[axis] + _ROUNDING
    divides = bool(beyond.any()) and not bool(beyond.all())
    return _Group(rows, axis, float(means[axis]), widest if divides else 0.0)
