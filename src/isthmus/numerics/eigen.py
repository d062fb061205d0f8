"""Leading eigenvectors of a symmetric matrix that is known only by its products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from isthmus.matrices.protocols import Documents
from isthmus.matrices.threads import one_blas_thread

#: ``v -> A @ v`` for one or more columns.
Product = Callable[[NDArray[Any]], NDArray[Any]]

# Up to this size a full decomposition is faster than Lanczos iteration.
_SMALL = 128


@dataclass(frozen=True)
class Eigenpairs:
    """Eigenvalues in falling order, and one column of ``vectors`` per eigenvalue."""

    values: NDArray[np.float64]
    vectors: NDArray[np.float64]


def largest_eigenpairs(
    product: Product, start: NDArray[Any], k: int, *, tol: float = 1e-8
) -> Eigenpairs:
    """The ``k`` largest eigenvalues of a symmetric matrix with their eigenvectors, by Lanczos.

    ``start`` is the initial vector, one number per row. Compute it from the documents (see
    :func:`start_vector`) instead of drawing it by row, so that the result does not depend on the
    order of the rows. ``tol`` is relative to the eigenvalue. Fewer pairs are returned if the matrix
    has fewer rows.

    ARPACK's restarted Lanczos method is part of SciPy and was faster than block LOBPCG in
    ``benchmarks/spectra.md``.
    """
    n = len(start)
    k = min(k, n)
    with one_blas_thread():
        if n <= max(_SMALL, 2 * k + 2):
            values, vectors = eigh(_dense(product, n), subset_by_index=[n - k, n - 1])
        else:
            values, vectors = _lanczos(product, start, k, tol)
    order = np.argsort(values, kind="stable")[::-1]
    return Eigenpairs(values[order], with_fixed_signs(vectors[:, order]))


def _lanczos(
    product: Product, start: NDArray[Any], k: int, tol: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    n = len(start)
    matrix = LinearOperator((n, n), matvec=lambda v: product(v.reshape(n, 1))[:, 0], dtype=float)
    options = {"which": "LA", "v0": np.asarray(start, np.float64), "tol": tol, "maxiter": 50 * k}
    for n_vectors in (2 * k + 20, 6 * k + 60):  # close eigenvalues need more Lanczos vectors
        try:
            return eigsh(matrix, k, ncv=min(n, n_vectors), **options)
        except ArpackNoConvergence:
            continue
    raise RuntimeError(
        f"The {k} leading eigenvectors of {n} rows did not converge to a tolerance of {tol}: ask "
        "for fewer eigenvectors or increase the tolerance."
    )


def _dense(product: Product, n: int) -> NDArray[np.float64]:
    matrix = np.asarray(product(np.eye(n)), np.float64)
    return (matrix + matrix.T) / 2


def with_fixed_signs(vectors: NDArray[Any]) -> NDArray[Any]:
    """Columns whose entry of largest magnitude is positive; eigenvectors have no fixed sign."""
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return np.asarray(vectors * np.where(signs == 0, 1.0, signs))


def start_vector(blocks: Sequence[Documents]) -> NDArray[np.float64]:
    """Initial vector for eigenvectors: random by term, so it does not depend on the row order."""
    by_term = np.random.default_rng(0).standard_normal((blocks[0].shape[1], 1))
    start = np.concatenate([np.asarray(block.times(by_term), np.float64)[:, 0] for block in blocks])
    return start if start.any() else np.ones(len(start))
