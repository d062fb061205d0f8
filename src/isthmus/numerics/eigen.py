"""Leading eigenvectors of a symmetric matrix that is known only by its products.

The CPU uses ARPACK, other engines a Lanczos iteration with thick restarts on their own arrays: only
the projected matrix and its eigenvectors are on the CPU. The steps are those of ARPACK: a restart
keeps as many Ritz vectors, and the iteration stops by the same rule. A thick restart is equal to
ARPACK's implicit one with exact shifts, so both methods find the same vectors up to rounding
errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.matrices.threads import one_blas_thread

#: ``v -> A @ v`` for one or more columns.
Product = Callable[[Array], Array]

# Up to this size a full decomposition is faster than Lanczos iteration.
_SMALL = 128
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Eigenpairs:
    """Eigenvalues in falling order, and one column of ``vectors`` per eigenvalue."""

    values: NDArray[np.float64]
    vectors: Array


def largest_eigenpairs(
    product: Product,
    start: Array,
    k: int,
    *,
    tol: float = 1e-8,
    engine: Engine | None = None,
) -> Eigenpairs:
    """The ``k`` largest eigenvalues of a symmetric matrix with their eigenvectors, by Lanczos.

    ``start`` is the initial vector, one number per row. Compute it from the documents (see
    :func:`start_vector`) instead of drawing it by row, so that the result does not depend on the
    order of the rows. ``tol`` is relative to the eigenvalue. Fewer pairs are returned if the matrix
    has fewer rows. ``engine`` is that of the vectors, the CPU by default.

    On the CPU, ARPACK's restarted Lanczos method is part of SciPy and was faster than block LOBPCG
    in ``benchmarks/studies/spectra.md``. It reads its vectors in the memory of the CPU, so other
    engines use :func:`lanczos`, which makes the same steps.
    """
    n = len(start)
    k = min(k, n)
    with one_blas_thread():
        if n <= max(_SMALL, 2 * k + 2):
            values, vectors = eigh(_dense(product, n, engine), subset_by_index=[n - k, n - 1])
            vectors = vectors if engine is None else engine.asarray(vectors)
        else:
            values, vectors = _iterated(product, start, k, tol, engine)
    order = np.argsort(values, kind="stable")[::-1]
    xp = np if engine is None else engine.xp
    return Eigenpairs(values[order], with_fixed_signs(vectors[:, order.tolist()], xp))


def _iterated(
    product: Product, start: Array, k: int, tol: float, engine: Engine | None
) -> tuple[NDArray[np.float64], Array]:
    n, max_restarts = len(start), 50 * k
    for n_vectors in (2 * k + 20, 6 * k + 60):  # close eigenvalues need more Lanczos vectors
        size = min(n, n_vectors)
        try:
            if engine is None or engine.name == "cpu":
                return _arpack(product, start, k, size, tol, max_restarts)
            return lanczos(product, start, k, size, tol, max_restarts, engine)
        except (ArpackNoConvergence, NoConvergenceError):
            continue
    raise RuntimeError(
        f"The {k} leading eigenvectors of {n} rows did not converge to a tolerance of {tol}: use "
        "fewer eigenvectors or increase the tolerance."
    )


def _arpack(
    product: Product, start: NDArray[Any], k: int, size: int, tol: float, max_restarts: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    n = len(start)
    matrix = LinearOperator((n, n), matvec=lambda v: product(v.reshape(n, 1))[:, 0], dtype=float)
    v0 = np.asarray(start, np.float64)
    return eigsh(matrix, k, which="LA", v0=v0, ncv=size, tol=tol, maxiter=max_restarts)


def _dense(product: Product, n: int, engine: Engine | None) -> NDArray[np.float64]:
    if engine is None:
        matrix = np.asarray(product(np.eye(n)), np.float64)
    else:
        matrix = engine.to_host(product(engine.xp.eye(n))).astype(np.float64)
    return (matrix + matrix.T) / 2


def with_fixed_signs(vectors: Array, xp: Any = np) -> Array:
    """Columns whose entry of largest magnitude is positive; eigenvectors have no fixed sign.

    ``xp`` is the array namespace of the vectors.
    """
    largest = xp.abs(vectors).argmax(axis=0)
    signs = xp.sign(vectors[largest, xp.arange(vectors.shape[1])])
    return vectors * xp.where(signs == 0, 1.0, signs)


def start_vector(blocks: Sequence[Documents]) -> Array:
    """Initial vector for eigenvectors: random by term, so it does not depend on the row order."""
    engine = blocks[0].engine
    by_term = engine.asarray(
        np.random.default_rng(0).standard_normal((blocks[0].shape[1], 1)), blocks[0].dtype
    )
    parts = [block.times(by_term).astype(np.float64)[:, 0] for block in blocks]
    start = engine.xp.concatenate(parts)
    return start if bool(start.any()) else engine.xp.ones(len(start))


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
