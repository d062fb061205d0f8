"""Leading eigenvectors of a symmetric matrix that is known only by its products."""

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
from isthmus.numerics.lanczos import NoConvergenceError, lanczos

#: ``v -> A @ v`` for one or more columns.
Product = Callable[[Array], Array]

# Up to this size a full decomposition is faster than Lanczos iteration.
_SMALL = 128


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
    engines use :mod:`isthmus.numerics.lanczos`, which makes the same steps.
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
