"""GFHF: every document without a label is the mean of its neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.affinity import ROUNDING, Affinity, degrees_of, inverse_roots
from isthmus.numerics.linear_systems import Solution, solve


def harmonic(
    affinity: Affinity, labels: NDArray[np.intp], n_classes: int, *, tol: float = 1e-8
) -> Solution:
    """``f_U = (D_UU - W_UU)^-1 W_UL y_L`` for every class; labelled rows have their label.

    A row of zeros is a document that no path leads to from a labelled one. All other rows sum to
    1: they are the chances that a random walk from there meets a label of every class first.
    """
    known = labels >= 0
    values = np.zeros((len(labels), n_classes))
    values[known, labels[known]] = 1
    degrees = degrees_of(affinity)
    asked = ~known & (degrees > ROUNDING)
    # Scaled by the degrees the system has ones on its diagonal, and is quickly solved.
    scale = inverse_roots(degrees, asked)[:, None]

    def product(columns: NDArray[Any]) -> NDArray[Any]:
        return columns - scale * affinity.times(scale * columns)

    found = solve(product, scale * affinity.times(values), tol=tol)
    values[asked] = np.maximum(scale * found.values, 0)[asked]
    return Solution(values, found.converged)


def with_class_masses(
    values: NDArray[np.float64], asked: NDArray[np.bool_], shares: NDArray[Any]
) -> NDArray[np.float64]:
    """Class mass normalisation: columns scaled so that the asked rows' masses are the shares."""
    masses = values[asked].sum(axis=0)
    scale = np.divide(shares, masses, out=np.ones(len(masses)), where=masses > 0)
    scaled = values.copy()
    scaled[asked] *= scale
    return scaled
