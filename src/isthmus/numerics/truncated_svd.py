"""Leading singular directions of documents, by a block Krylov method.

The method builds an orthonormal basis of ``Q, (X'X) Q, (X'X)^2 Q, ...`` in the space of the terms,
and solves the small eigenproblem of ``X'X`` in this basis. Measured for 100 directions on one core
(the error is the largest relative error of a singular value, compared with ARPACK):

- 3,834 x 2,000 newsgroup documents: 0.3 s, error 4e-6; ARPACK 0.6 s; randomised iteration with ten
  power steps 0.8 s, error 3e-3;
- 100,000 x 50,000 with 9.5 million entries, float32: 5 s, error 1e-6; ARPACK 10 s; randomised
  iteration with ten power steps 32 s, error 1e-3.

If the singular values hardly decrease, as in a random matrix, the last ones are a few per cent too
small. Any subspace of this size then explains the documents about equally well.

The initial block is drawn in the space of the terms, so the order of the documents has no
influence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr

from isthmus.matrices.protocols import Array
from isthmus.matrices.threads import one_thread

# Columns per product: wider blocks are not faster per column, and every product is the same loop.
_BLOCK = 8
# Basis vectors per requested direction.
_BASIS = 3.5
# Minimum number of additional basis vectors: few directions need as many steps as many.
_MIN_EXTRA = 72
# Matrices with at most so many rows or columns are decomposed exactly.
_SHORT = 512
#: Largest size of a Gram matrix that is kept in memory.
MAX_GRAM_SIZE = 5_000


class Rows(Protocol):
    """The products with a matrix that the decomposition needs."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def times(self, right: Array) -> NDArray[Any]: ...

    def transposed_times(self, left: Array) -> NDArray[Any]: ...


class Transposed:
    """The transpose of a matrix.

    The basis of :func:`truncated_svd` is in the space of the columns. If the rows are fewer and
    their order does not depend on the caller, the decomposition of the transpose costs less.
    """

    def __init__(self, documents: Rows) -> None:
        self._documents = documents
        self.times = documents.transposed_times
        self.transposed_times = documents.times

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self._documents.shape
        return n_columns, n_rows

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._documents.dtype


@dataclass(frozen=True)
class Svd:
    """``X = U diag(s) V'``, by falling ``s``."""

    coordinates: NDArray[Any]
    """``F = U diag(s) = X V``, one row per document."""
    singular_values: NDArray[np.float64]
    directions: NDArray[Any]
    """``V``, one row per term."""


def truncated_svd(documents: Rows, rank: int, generator: np.random.Generator) -> Svd:
    """The ``rank`` leading directions, or fewer if the matrix has a lower rank."""
    if min(documents.shape) <= max(_SHORT, _BASIS * rank, rank + _MIN_EXTRA):
        return full_svd(documents, rank)
    length = max(_BASIS * rank, rank + _MIN_EXTRA)
    basis, gram = _krylov(documents, int(np.ceil(length / _BLOCK)), generator)
    with one_thread():
        values, vectors = eigh(gram)
        leading = vectors[:, _kept(values, documents.dtype, rank)]
        directions = basis @ leading.astype(documents.dtype)
    return _with_coordinates(documents, directions)


def full_svd(documents: Rows, rank: int | None = None) -> Svd:
    """All directions, or the ``rank`` leading ones, from the Gram matrix of the shorter axis."""
    n_rows, n_terms = documents.shape
    by_term = n_terms <= n_rows
    identity = np.eye(min(n_rows, n_terms), dtype=documents.dtype)
    if by_term:
        gram = in_blocks(lambda B: documents.transposed_times(documents.times(B)), identity)
    else:
        gram = in_blocks(lambda B: documents.times(documents.transposed_times(B)), identity)
    with one_thread():
        values, vectors = eigh((gram + gram.T).astype(np.float64) / 2)
    kept = _kept(values, documents.dtype, rank)
    leading = vectors[:, kept].astype(documents.dtype)
    if not by_term:
        products = in_blocks(documents.transposed_times, leading)
        with one_thread():
            leading = qr(products, mode="economic")[0]
    return _with_coordinates(documents, leading)


def in_blocks(product: Callable[[Array], NDArray[Any]], columns: NDArray[Any]) -> NDArray[Any]:
    """A product with many columns, computed in blocks of a few columns."""
    width = columns.shape[1]
    missing = -width % _BLOCK
    padded = np.pad(columns, ((0, 0), (0, missing))) if missing else columns
    parts = [
        product(np.ascontiguousarray(padded[:, start : start + _BLOCK]))
        for start in range(0, padded.shape[1], _BLOCK)
    ]
    return np.hstack(parts)[:, :width] if parts else np.zeros((0, 0), columns.dtype)


def _krylov(
    documents: Rows, n_steps: int, generator: np.random.Generator
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """An orthonormal basis ``K`` in the space of the terms, and ``K'X'X K``."""
    start = generator.standard_normal((documents.shape[1], _BLOCK)).astype(documents.dtype)
    with one_thread():
        basis = block = qr(start, mode="economic")[0]
    columns = []
    for step in range(n_steps):
        products = in_blocks(lambda B: documents.transposed_times(documents.times(B)), block)
        with one_thread():
            columns.append(basis.T @ products)
            if step + 1 == n_steps:
                break
            block = _new_directions(products, basis)
            basis = np.hstack([basis, block])
        if block.shape[1] == 0:  # the basis spans all rows
            break
    gram = np.zeros((basis.shape[1],) * 2)
    begin = 0
    for column in columns:
        height, width = column.shape
        gram[:height, begin : begin + width] = column
        begin += width
    upper = np.triu(gram)
    return basis, upper + np.triu(upper, 1).T


def _new_directions(products: NDArray[Any], basis: NDArray[Any]) -> NDArray[Any]:
    """An orthonormal basis of the part of the products that is orthogonal to ``basis``."""
    norm = np.linalg.norm(products)
    rest = products
    for _ in range(2):  # the second projection removes rounding errors of the first
        rest = rest - basis @ (basis.T @ rest)
    Q, R, _ = qr(rest, mode="economic", pivoting=True)
    independent = np.abs(np.diag(R)) > 100 * np.finfo(products.dtype).eps * norm
    return np.asarray(Q[:, independent])


def _kept(values: NDArray[np.float64], dtype: Any, rank: int | None) -> NDArray[np.intp]:
    """Positions of the largest eigenvalues above rounding errors, at least one."""
    order = np.argsort(values)[::-1]
    threshold = 4 * np.finfo(dtype).eps * max(float(values.max()), 0.0)
    n_nonzero = int(np.count_nonzero(values > threshold))
    return order[: max(1, min(n_nonzero, len(values) if rank is None else rank))]


def _with_coordinates(documents: Rows, directions: NDArray[Any]) -> Svd:
    coordinates = in_blocks(documents.times, directions)
    norms = np.sqrt(np.einsum("ij,ij->j", coordinates, coordinates, dtype=np.float64))
    return Svd(coordinates, norms, directions)
