"""Leading singular directions of documents, by a block Krylov method.

The method builds an orthonormal basis of ``Q, (X'X) Q, (X'X)^2 Q, ...`` in the space of the terms,
and solves the small eigenproblem of ``X'X`` in this basis. Measured for 100 directions on one core
(the error is the largest relative error of a singular value, compared with ARPACK):

- 3,834 x 2,000 newsgroup documents: 0.3 s, error 4e-6; ARPACK 0.6 s; randomized iteration with ten
  power steps 0.8 s, error 3e-3;
- 100,000 x 50,000 with 9.5 million entries, float32: 5 s, error 1e-6; ARPACK 10 s; randomized
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
from scipy.linalg import eigh, qr, svd

from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.matrices.threads import one_thread
from isthmus.numerics.eigen import largest_eigenpairs

# Columns per product: wider blocks are not faster per column, and every product is the same loop.
_BLOCK = 8
# Basis vectors per requested direction.
_BASIS = 3.5
# Minimum number of additional basis vectors: few directions need as many steps as many.
_MIN_EXTRA = 72
# Matrices with at most this many rows or columns are decomposed exactly.
_SHORT = 512
# Rows whose squares are computed at a time, in float64.
_SQUARED_ROWS = 65_536
#: Largest size of a Gram matrix that is kept in memory.
MAX_GRAM_SIZE = 5_000
# Squared singular values below this part of the largest one are rounding errors.
_NEGLIGIBLE = 1e-10
#: Relative tolerance of eigenvectors; products in float32 do not allow more.
TOLERANCE = {"float64": 1e-8, "float32": 1e-4}


class Rows(Protocol):
    """The products with a matrix that the decomposition needs."""

    @property
    def engine(self) -> Engine:
        """The engine of the arrays that the products take and return."""
        ...

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def times(self, right: Array) -> Array: ...

    def transposed_times(self, left: Array) -> Array: ...


class Transposed:
    """The transpose of a matrix.

    The basis of :func:`truncated_svd` is in the space of the columns. If the rows are fewer and
    their order does not depend on the caller, the decomposition of the transpose costs less.
    """

    def __init__(self, documents: Rows) -> None:
        self._documents = documents
        self.engine = documents.engine
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

    coordinates: Array
    """``F = U diag(s) = X V``, one row per document."""
    singular_values: NDArray[np.float64]
    directions: Array
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
        directions = basis @ documents.engine.asarray(leading, documents.dtype)
    return _with_coordinates(documents, directions)


def check_gram_size(shape: tuple[int, int], option: str, remedy: str) -> None:
    """Raise ValueError if the shorter axis is too long for a Gram matrix."""
    if min(shape) > MAX_GRAM_SIZE:
        raise ValueError(
            f"{option} computes all singular directions, and {shape[0]} documents with {shape[1]} "
            f"terms have too many (documents or terms may be at most {MAX_GRAM_SIZE}): {remedy}."
        )


def full_svd(documents: Rows, rank: int | None = None) -> Svd:
    """All directions, or the ``rank`` leading ones, from the Gram matrix of the shorter axis."""
    engine, (n_rows, n_terms) = documents.engine, documents.shape
    by_term = n_terms <= n_rows
    identity = engine.xp.eye(min(n_rows, n_terms), dtype=documents.dtype)
    if by_term:
        gram = in_blocks(lambda B: documents.transposed_times(documents.times(B)), identity, engine)
    else:
        gram = in_blocks(lambda B: documents.times(documents.transposed_times(B)), identity, engine)
    on_host = engine.to_host(gram)
    symmetric = (on_host + on_host.T).astype(np.float64) / 2
    with one_thread():
        values, vectors = eigh(symmetric)
    kept = _kept(values, documents.dtype, rank)
    leading = engine.asarray(vectors[:, kept], documents.dtype)
    if not by_term:
        leading = _orthonormal(in_blocks(documents.transposed_times, leading, engine), engine)
    return _with_coordinates(documents, leading)


def in_blocks(product: Callable[[Array], Array], columns: Array, engine: Engine) -> Array:
    """A product with many columns, computed in blocks of a few columns."""
    xp, width = engine.xp, columns.shape[1]
    padded = xp.pad(columns, ((0, 0), (0, -width % _BLOCK))) if width % _BLOCK else columns
    out = xp.zeros((0, 0), columns.dtype)
    for start in range(0, width, _BLOCK):
        part = product(xp.ascontiguousarray(padded[:, start : start + _BLOCK]))
        if start == 0:
            out = xp.empty_like(part, shape=(part.shape[0], width))
        out[:, start : start + _BLOCK] = part[:, : width - start]
    return out


def column_squares(columns: Array, engine: Engine) -> NDArray[np.float64]:
    """The sum of the squares of every column, in float64."""
    total = np.zeros(columns.shape[1])
    # In blocks of rows, because the values of a block in float64 are a copy.
    for rows in engine.row_slices(columns, _SQUARED_ROWS):
        part = columns[rows].astype(np.float64)
        total += engine.to_host((part * part).sum(axis=0))
    return total


def _krylov(
    documents: Rows, n_steps: int, generator: np.random.Generator
) -> tuple[Array, NDArray[np.float64]]:
    """An orthonormal basis ``K`` in the space of the terms, and ``K'X'X K``."""
    engine = documents.engine
    start = generator.standard_normal((documents.shape[1], _BLOCK)).astype(documents.dtype)
    basis = block = _orthonormal(engine.asarray(start), engine)
    columns = []
    for step in range(n_steps):
        products = in_blocks(
            lambda B: documents.transposed_times(documents.times(B)), block, engine
        )
        with one_thread():
            columns.append(engine.to_host(basis.T @ products))
            if step + 1 == n_steps:
                break
            block = _new_directions(products, basis, engine)
            basis = engine.xp.hstack([basis, block])
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


def _orthonormal(columns: Array, engine: Engine) -> Array:
    """An orthonormal basis of independent columns."""
    if engine.name == "cpu":
        with one_thread():
            return qr(columns, mode="economic")[0]
    return engine.xp.linalg.qr(columns)[0]


def _new_directions(products: Array, basis: Array, engine: Engine) -> Array:
    """An orthonormal basis of the part of the products that is orthogonal to ``basis``."""
    threshold = 100 * np.finfo(products.dtype).eps * float(engine.xp.linalg.norm(products))
    rest = products
    for _ in range(2):  # the second projection removes rounding errors of the first
        rest = rest - basis @ (basis.T @ rest)
    if engine.name == "cpu":
        Q, R, _ = qr(rest, mode="economic", pivoting=True)
        return Q[:, np.abs(np.diag(R)) > threshold]
    # Other array libraries have no pivoting: the singular values of R show dependent columns.
    Q, R = engine.xp.linalg.qr(rest)
    rotation, singular_values, _ = svd(engine.to_host(R).astype(np.float64))
    return engine.product(Q, rotation[:, singular_values > threshold])


def _kept(values: NDArray[np.float64], dtype: Any, rank: int | None) -> NDArray[np.intp]:
    """Positions of the largest eigenvalues above rounding errors, at least one."""
    order = np.argsort(values)[::-1]
    threshold = 4 * np.finfo(dtype).eps * max(float(values.max()), 0.0)
    n_nonzero = int(np.count_nonzero(values > threshold))
    return order[: max(1, min(n_nonzero, len(values) if rank is None else rank))]


def _with_coordinates(documents: Rows, directions: Array) -> Svd:
    coordinates = in_blocks(documents.times, directions, documents.engine)
    norms = np.sqrt(column_squares(coordinates, documents.engine))
    return Svd(coordinates, norms, directions)


@dataclass(frozen=True)
class Principal:
    """Right singular vectors of the documents in float64, by falling singular value."""

    directions: NDArray[np.float64]
    """One row per term and one column per direction; a column of zeros if there is none."""
    squares: NDArray[np.float64]
    """Their squared singular values."""
    mean: NDArray[np.float64]
    """The vector that was subtracted from every document: the mean, or zeros."""
    total: float
    """Sum of the squared singular values of all directions."""


def principal_directions(
    documents: Documents, n_directions: int | None, start: NDArray[Any], *, centered: bool = False
) -> Principal:
    """The leading directions by Lanczos iteration from the vector ``start``, one number per term.

    The eigenproblem has the size of the shorter axis, documents or terms. Centering is a
    correction of rank one, so sparse documents stay sparse. Fewer directions are returned if the
    matrix has a lower rank. ``n_directions=None`` returns all, from the Gram matrix.
    """
    n_rows, n_terms = documents.shape
    sums = documents.column_sums() if centered else np.zeros(n_terms)
    mean = sums / n_rows

    def times(right: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(documents.times(right), np.float64) - mean @ right

    def transposed_times(left: NDArray[Any]) -> NDArray[np.float64]:
        product = np.asarray(documents.transposed_times(left), np.float64)
        return product - np.outer(mean, left.sum(axis=0))

    total = max(documents.squared_norm() - n_rows * float(mean @ mean), 0.0)
    if total <= _NEGLIGIBLE * documents.squared_norm():
        return Principal(np.zeros((n_terms, 1)), np.zeros(1), mean, 0.0)
    column = times(np.asarray(start, np.float64)[:, None])
    by_document = n_rows < n_terms

    def square(block: NDArray[Any]) -> NDArray[np.float64]:
        if by_document:
            return times(transposed_times(block))
        return transposed_times(times(block))

    pairs = largest_eigenpairs(
        (lambda block: in_blocks(square, block, documents.engine))
        if n_directions is None
        else square,
        (column if by_document else transposed_times(column))[:, 0],
        n_directions or min(documents.shape),
        tol=TOLERANCE[np.dtype(documents.dtype).name],
    )
    n_kept = max(1, int(np.count_nonzero(pairs.values > _NEGLIGIBLE * pairs.values[0])))
    vectors = pairs.vectors[:, :n_kept]
    if by_document:
        vectors = transposed_times(vectors)
        vectors /= np.linalg.norm(vectors, axis=0)
    return Principal(vectors, pairs.values[:n_kept], mean, total)
