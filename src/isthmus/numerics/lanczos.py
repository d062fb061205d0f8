"""Lanczos iteration with thick restarts, on the arrays of any engine.

Only the projected matrix and its eigenvectors are on the CPU. The steps are those of ARPACK: a
restart keeps as many Ritz vectors, and the iteration stops by the same rule. A thick restart is
equal to ARPACK's implicit one with exact shifts, so both methods find the same vectors up to
rounding errors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from isthmus.matrices.protocols import Array, Engine

_EPS = float(np.finfo(np.float64).eps)


class NoConvergenceError(RuntimeError):
    """The limit of restarts was reached."""


def lanczos(
    product: Callable[[Array], Array],
    start: Array,
    k: int,
    n_vectors: int,
    tol: float,
    max_restarts: int,
    engine: Engine,
) -> tuple[NDArray[np.float64], Array]:
    """The ``k`` largest eigenvalues, increasing, and one column per eigenvector.

    ``n_vectors`` (more than ``k``, at most the number of rows) is the size of the basis. ``tol`` is
    relative to the eigenvalue.
    """
    basis = _Basis(product, start, n_vectors, engine)
    for _ in range(max_restarts):
        residual_norm = basis.extend()
        values, vectors = eigh(basis.projected)
        bounds = residual_norm * np.abs(vectors[-1, -k:])
        limits = tol * np.maximum(np.abs(values[-k:]), _EPS ** (2 / 3))
        n_converged = int(np.count_nonzero(bounds <= limits))
        if n_converged == k:
            return values[-k:], engine.product(basis.vectors, vectors[:, -k:])
        # Further vectors are kept as pairs converge; otherwise the restarts would stagnate.
        n_kept = k + min(n_converged, (n_vectors - k) // 2)
        n_kept = n_kept if n_kept > 1 else n_vectors // 2
        basis.restart(values[-n_kept:], vectors[:, -n_kept:])
    raise NoConvergenceError


class _Basis:
    """An orthonormal basis, and the projected matrix ``V'AV``."""

    def __init__(
        self, product: Callable[[Array], Array], start: Array, n_vectors: int, engine: Engine
    ) -> None:
        self._product, self._engine = product, engine
        self._generator = np.random.default_rng(0)
        self._size = 0
        # One row per vector, so that a vector is contiguous.
        self._rows = engine.xp.empty((n_vectors, len(start)), np.float64)
        self.projected = np.zeros((n_vectors, n_vectors))
        norm = float(engine.xp.linalg.norm(start))
        self._next: Array | None = start.astype(np.float64)[:, None] / norm if norm > 0 else None

    @property
    def vectors(self) -> Array:
        """One column per vector."""
        return self._rows[: self._size].T

    def extend(self) -> float:
        """Add vectors until the basis is full; return the norm of the last residual."""
        n_vectors, residual_norm = len(self.projected), 0.0
        while self._size < n_vectors:
            step = self._size
            vector = self._next if self._next is not None else self._random_vector()
            self._rows[step] = vector[:, 0]
            self._size += 1
            image = self._product(vector).astype(np.float64, copy=False)
            rest, coefficients = self._orthogonal(image)
            self.projected[: step + 1, step] = self.projected[step, : step + 1] = coefficients
            residual_norm = float(self._engine.xp.linalg.norm(rest))
            scale = float(np.linalg.norm(coefficients))
            if residual_norm <= _EPS * scale or self._size == len(rest):
                # The basis spans an invariant subspace: a random vector leads out of it.
                residual_norm, self._next = 0.0, None
            else:
                self._next = rest / residual_norm
        return residual_norm

    def restart(self, values: NDArray[np.float64], vectors: NDArray[np.float64]) -> None:
        """Keep the Ritz vectors of the given eigenpairs of the projected matrix."""
        kept = self._engine.product(self.vectors, vectors)
        self._size = len(values)
        self._rows[: self._size] = kept.T
        self.projected[...] = 0
        np.fill_diagonal(self.projected[: self._size, : self._size], values)

    def _orthogonal(self, column: Array) -> tuple[Array, NDArray[np.float64]]:
        """The part of a column that is orthogonal to the basis, and the coefficients of the rest.

        All vectors are projected out, so that no eigenvalue is found twice by rounding errors.
        """
        rows = self._rows[: self._size]
        first = rows @ column
        column = column - rows.T @ first
        second = rows @ column  # removes rounding errors of the first projection
        return column - rows.T @ second, self._engine.to_host(first + second)[:, 0]

    def _random_vector(self) -> Array:
        column = self._generator.standard_normal((self._rows.shape[1], 1))
        rest, _ = self._orthogonal(self._engine.asarray(column))
        return rest / float(self._engine.xp.linalg.norm(rest))
