"""Leading eigenvectors of a symmetric matrix that exists only as a product with vectors."""

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

# Below so many rows the whole decomposition costs less than the steps towards a part of it.
_SMALL = 128


@dataclass(frozen=True)
class Eigenpairs:
    """Eigenvalues in falling order, with a column of ``vectors`` for each."""

    values: NDArray[np.float64]
    vectors: NDArray[np.float64]


def largest_eigenpairs(
    product: Product, start: NDArray[Any], k: int, *, tol: float = 1e-8
) -> Eigenpairs:
    """The ``k`` largest eigenvalues of a symmetric matrix with their eigenvectors, by Lanczos.

    ``start`` is the first vector, one number a row. Draw it from the data (a document's random
    sum of terms), not by row, so that the order of the rows changes nothing but itself. ``tol`` is
    relative to the eigenvalue. Fewer pairs come back where there are fewer rows.

    ARPACK's restarted Lanczos comes with SciPy and, measured (``benchmarks/spectra.md``), is
    quicker than LOBPCG in blocks.
    """
    n = len(start)
    k = min(k, n)
    with one_blas_thread():
        if n <= max(_SMALL, 2 * k + 2):
            values, vectors = eigh(_whole(product, n), subset_by_index=[n - k, n - 1])
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
    for room in (2 * k + 20, 6 * k + 60):  # a crowded spectrum converges with more vectors
        try:
            return eigsh(matrix, k, ncv=min(n, room), **options)
        except ArpackNoConvergence:
            continue
    raise RuntimeError(
        f"The {k} leading eigenvectors of {n} rows were not found to a tolerance of {tol}: ask for "
        "fewer of them, or for less accuracy."
    )


def _whole(product: Product, n: int) -> NDArray[np.float64]:
    matrix = np.asarray(product(np.eye(n)), np.float64)
    return (matrix + matrix.T) / 2


def with_fixed_signs(vectors: NDArray[Any]) -> NDArray[Any]:
    """Columns with their largest entry above zero: the sign of an eigenvector is nobody's."""
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return np.asarray(vectors * np.where(signs == 0, 1.0, signs))


def start_vector(blocks: Sequence[Documents]) -> NDArray[np.float64]:
    """Where the search for eigenvectors begins: random by term, so in any order of the rows."""
    by_term = np.random.default_rng(0).standard_normal((blocks[0].shape[1], 1))
    start = np.concatenate([np.asarray(block.times(by_term), np.float64)[:, 0] for block in blocks])
    return start if start.any() else np.ones(len(start))
