"""Linear systems with a matrix that exists only as a product."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Product = Callable[[NDArray[Any]], NDArray[Any]]


@dataclass(frozen=True)
class Solution:
    """Columns, and whether all of them are as exact as was asked for."""

    values: NDArray[np.float64]
    converged: bool


def solve(
    product: Product, right: NDArray[Any], *, tol: float = 1e-8, max_iter: int = 2000
) -> Solution:
    """``A^-1 right`` for a symmetric positive ``A``, by conjugate gradients.

    All columns go on together, since a product with some costs little more than with one (SciPy's
    own takes them one by one); each ends where its residual is ``tol`` of its right-hand side.
    """
    solution = np.zeros(right.shape)
    residual = np.array(right, np.float64)
    direction = residual.copy()
    squares = _column_squares(residual)
    enough = tol**2 * squares
    for _ in range(max_iter):
        going = squares > enough
        if not going.any():
            break
        towards = np.asarray(product(direction), np.float64)
        bends = (direction * towards).sum(axis=0)
        # Where a right-hand side lies in what A makes nothing of, there is nothing left to find.
        going &= bends > 0
        step = np.divide(squares, bends, out=np.zeros_like(squares), where=going)
        solution += step * direction
        residual -= step * towards
        before, squares = squares, np.where(going, _column_squares(residual), 0.0)
        share = np.divide(squares, before, out=np.zeros_like(squares), where=going)
        direction = residual + share * direction
    return Solution(solution, bool((squares <= enough).all()))


def _column_squares(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.einsum("ij,ij->j", columns, columns)
