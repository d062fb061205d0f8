"""LLGC: propagation of labels along a graph with a penalty for changes of given labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.affinity import ROUNDING, Affinity, degrees_of, inverse_sqrt_degrees
from isthmus.numerics.linear_systems import Solution, solve


def consistency(
    affinity: Affinity,
    labels: NDArray[np.intp],
    n_classes: int,
    *,
    alpha: float,
    equal_classes: bool = False,
    tol: float = 1e-8,
) -> Solution:
    """``(I - alpha S)^-1 Y`` with ``S = D^-1/2 W D^-1/2``, one column per class.

    ``Y`` holds one-hot labels. A document that is not connected to a labeled one gets a row of
    zeros.

    For ``alpha`` near 1 the columns of all classes are nearly equal up to a factor, the total
    ``sum_i sqrt(d_i) y_i`` of the labeled rows. With ``equal_classes`` the columns of ``Y`` are
    scaled so that these totals are equal. The remaining differences separate the classes.
    """
    known = labels >= 0
    one_hot = np.zeros((len(labels), n_classes))
    one_hot[known, labels[known]] = 1
    degrees = degrees_of(affinity)
    connected = degrees > ROUNDING
    scale = inverse_sqrt_degrees(degrees, connected)[:, None]
    if equal_classes:
        sums = np.sqrt(np.where(connected, degrees, 0.0)) @ one_hot
        one_hot *= sums.max() / np.where(sums > 0, sums, sums.max() or 1.0)

    def product(columns: NDArray[Any]) -> NDArray[Any]:
        return columns - alpha * scale * affinity.times(scale * columns)

    solution = solve(product, one_hot, tol=tol)
    return Solution(np.maximum(solution.values, 0), solution.converged)
