"""Linear systems with a matrix that is known only by its products."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Product = Callable[[NDArray[Any]], NDArray[Any]]


@dataclass(frozen=True)
class Solution:
    """Solutions of all columns, and whether all of them converged."""

    values: NDArray[np.float64]
    converged: bool


def solve(
    product: Product, right: NDArray[Any], *, tol: float = 1e-8, max_iter: int = 2000
) -> Solution:
    """``A^-1 right`` for a symmetric positive definite ``A``, by conjugate gradients.

    All columns are iterated together, because a product with several columns costs little more
    than with one (SciPy's solver takes one at a time). A column has converged when the norm of its
    residual is below ``tol`` times the norm of its right-hand side.
    """
    solution = np.zeros(right.shape)
    residual = np.array(right, np.float64)
    direction = residual.copy()
    squares = _column_squares(residual)
    threshold = tol**2 * squares
    for _ in range(max_iter):
        active = squares > threshold
        if not active.any():
            break
        image = np.asarray(product(direction), np.float64)
        curvature = (direction * image).sum(axis=0)
        # A direction in the null space of A cannot improve the solution.
        active &= curvature > 0
        step = np.divide(squares, curvature, out=np.zeros_like(squares), where=active)
        solution += step * direction
        residual -= step * image
        before, squares = squares, np.where(active, _column_squares(residual), 0.0)
        ratio = np.divide(squares, before, out=np.zeros_like(squares), where=active)
        direction = residual + ratio * direction
    return Solution(solution, bool((squares <= threshold).all()))


def _column_squares(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.einsum("ij,ij->j", columns, columns)
