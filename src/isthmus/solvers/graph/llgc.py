"""LLGC: labels spread along a graph while every row remembers its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.affinity import ROUNDING, Affinity, degrees_of, inverse_roots
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
    """``(I - alpha S)^-1 Y`` with ``S = D^-1/2 W D^-1/2``, a column a class.

    ``Y`` has a 1 for the label of a labelled row. A row of zeros is a document that no path leads
    to from a labelled one.

    For ``alpha`` near 1 nearly all of a column is the same for every class but for a factor, what
    its labelled rows give away in sum: ``sum_i sqrt(d_i) y_i``. With ``equal_classes`` the columns
    of ``Y`` are scaled so that these sums are equal, and what is left tells the classes apart.
    """
    known = labels >= 0
    given = np.zeros((len(labels), n_classes))
    given[known, labels[known]] = 1
    degrees = degrees_of(affinity)
    linked = degrees > ROUNDING
    scale = inverse_roots(degrees, linked)[:, None]
    if equal_classes:
        sums = np.sqrt(np.where(linked, degrees, 0.0)) @ given
        given *= sums.max() / np.where(sums > 0, sums, sums.max() or 1.0)

    def product(columns: NDArray[Any]) -> NDArray[Any]:
        return columns - alpha * scale * affinity.times(scale * columns)

    found = solve(product, given, tol=tol)
    return Solution(np.maximum(found.values, 0), found.converged)
