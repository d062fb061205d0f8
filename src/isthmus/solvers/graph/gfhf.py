"""GFHF: every unlabeled document is the weighted mean of its neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.affinity import ROUNDING, Affinity, degrees_of, inverse_sqrt_degrees
from isthmus.numerics.linear_systems import Solution, solve


def harmonic(
    affinity: Affinity, labels: NDArray[np.intp], n_classes: int, *, tol: float = 1e-8
) -> Solution:
    """``f_U = (D_UU - W_UU)^-1 W_UL y_L`` for every class; labeled rows have their label.

    A document that is not connected to a labeled one gets a row of zeros. All other rows sum to 1:
    they are the probabilities that a random walk from the document reaches a label of each class
    first.
    """
    known = labels >= 0
    values = np.zeros((len(labels), n_classes))
    values[known, labels[known]] = 1
    degrees = degrees_of(affinity)
    unlabeled = ~known & (degrees > ROUNDING)
    # Scaling by the degrees makes the diagonal 1 and improves the condition number.
    scale = inverse_sqrt_degrees(degrees, unlabeled)[:, None]

    def product(columns: NDArray[Any]) -> NDArray[Any]:
        return columns - scale * affinity.times(scale * columns)

    solution = solve(product, scale * affinity.times(values), tol=tol)
    values[unlabeled] = np.maximum(scale * solution.values, 0)[unlabeled]
    return Solution(values, solution.converged)


def with_class_masses(
    values: NDArray[np.float64], rows: NDArray[np.bool_], prior: NDArray[Any]
) -> NDArray[np.float64]:
    """Class mass normalization: columns scaled so that the sums over the rows are the prior."""
    masses = values[rows].sum(axis=0)
    scale = np.divide(prior, masses, out=np.ones(len(masses)), where=masses > 0)
    scaled = values.copy()
    scaled[rows] *= scale
    return scaled
