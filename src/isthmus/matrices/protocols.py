"""The interfaces of the solvers: Documents and Engine.

A solver that uses only these runs unchanged on a sparse matrix in memory, on a dense array, on
another device or on blocks of rows on several machines.

Arrays with one row per document or per term are arrays of the engine (``Array``). Small matrices
(clusters x clusters, clusters x classes) are NumPy arrays on every engine. An array of the engine
becomes a NumPy array only by ``to_host``, and a NumPy array becomes one of the engine only by
``asarray``: an engine of another device refuses to mix them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Result = TypeVar("Result")

#: A dense array of the engine: a NumPy array on the CPU, a CuPy array on the GPU.
Array = Any


@dataclass(frozen=True)
class MembershipStep:
    """Result of the fused update of the memberships ``G``, for the new ``G``."""

    products: Array
    """``X.T @ G``, one row per term."""
    gram: NDArray[np.float64]
    """``G.T @ G``."""
    changed: int
    """Number of rows whose largest class changed."""


@dataclass(frozen=True)
class TopicStep:
    """Result of a Kullback-Leibler step, with ``R = X / (mixtures @ topics.T)``."""

    word_side: Array | None
    """``R.T @ mixtures``, one row per term; None if not requested."""
    log_likelihood: float
    """``sum X * log(mixtures @ topics.T)`` over the non-zeros, before the step; NaN if not
    requested."""


@dataclass(frozen=True)
class Profiles:
    """``F @ S``: the weight of every term in every class."""

    values: Array
    """One row per term."""
    gram: NDArray[np.float64]
    """``values.T @ values``."""
    overlap: float
    """``sum(values * products)``."""


@dataclass(frozen=True)
class StepOptions:
    """What a multiplicative step keeps near given values, and whether rows sum to 1."""

    anchor: Array | None = None
    """Values to which rows are pulled; by default those before the step."""
    pull: Array | None = None
    """The strength of the pull, one value per row; 0 by default."""
    fixed: Array | None = None
    """Which rows are unchanged; a membership step only."""
    normalize: bool = True
    """Whether rows are divided by their sums."""


PLAIN_STEP = StepOptions()


class Documents(Protocol):
    """A matrix with one row per document and one column per term, with the operations of solvers.

    Scales of rows and columns are stored as vectors: ``scaled`` copies no entries.
    """

    @property
    def engine(self) -> Engine:
        """The engine of the arrays that these documents take and return."""
        ...

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def asarray(self, values: Any, dtype: Any = None) -> Array:
        """Return an array with one row per document from a NumPy array or from such an array.

        ``Engine.asarray`` does not know which rows belong to which document, so only arrays of
        terms and small ones may come from there.
        """
        ...

    def full(self, value: Any, n_columns: int | None = None, dtype: Any = np.float64) -> Array:
        """Return an array of one value with one row per document; a vector without columns."""
        ...

    def times(self, right: Array) -> Array:
        """Return ``X @ right`` for a two-dimensional array, in the dtype of the documents."""
        ...

    def transposed_times(self, left: Array) -> Array:
        """Return ``X.T @ left`` for a two-dimensional array, in the dtype of the documents."""
        ...

    def squares_transposed_times(self, left: Array) -> Array:
        """Return ``(X * X).T @ left``, with the squares of all entries."""
        ...

    def membership_step(
        self,
        memberships: Array,
        profiles: Array,
        gram: NDArray[Any],
        options: StepOptions = PLAIN_STEP,
    ) -> MembershipStep:
        """Update ``memberships`` in place: product, multiplicative update and scatter in one pass.

        ``G <- G * sqrt((X @ profiles + pull * anchor) / (G @ gram + pull * G))``.
        """
        ...

    def topic_step(
        self, mixtures: Array, topics: Array, *, words: bool = True, likelihood: bool = True
    ) -> TopicStep:
        """Kullback-Leibler step at the non-zeros; ``mixtures`` is updated in place.

        ``mixtures <- mixtures * (R @ topics)``, rows divided by their sums. ``words``
        and ``likelihood`` select the optional results.
        """
        ...

    def row_sums(self) -> Array:
        """Return the sum of every row, in float64."""
        ...

    def row_norms(self) -> Array:
        """Return the Euclidean norm of every row, in float64.

        Rows in one place keep their sums and norms, so the arrays must not be changed.
        """
        ...

    def column_sums(self) -> Array:
        """Return the sum of every column, in float64."""
        ...

    def squared_norm(self) -> float: ...

    def scaled(self, rows: Array | None = None, columns: Array | None = None) -> Documents:
        """Return the documents with rows and columns multiplied by vectors."""
        ...

    def unit_rows(self) -> Documents:
        """Return the documents with rows of unit norm, so that long ones do not dominate.

        Empty rows stay empty. Rows in one place keep the result.
        """
        ...

    def take_rows(self, rows: NDArray[np.intp]) -> Documents:
        """Return a copy of some rows, in increasing order."""
        ...

    def row_blocks(self, size: int) -> Iterator[Documents]:
        """Yield views of ``size`` consecutive rows."""
        ...


class Engine(Protocol):
    """Storage of dense factors, and fused updates."""

    @property
    def name(self) -> str:
        """The name of the engine in the setting ``engine``: "cpu", "gpu" or "dask"."""
        ...

    @property
    def xp(self) -> Any:
        """The array namespace (``numpy`` on the CPU, ``cupy`` on the GPU)."""
        ...

    def documents(self, X: Any, rows: slice | NDArray[np.intp] | None = None) -> Documents:
        """Return documents of some rows of a canonical matrix (SciPy CSR or a NumPy array)."""
        ...

    def matrix(self, X: Any) -> Any:
        """Return a canonical matrix where this engine needs it; ``documents`` accepts both."""
        ...

    def run(self, function: Callable[[], Result]) -> Result:
        """Call a function, and again if it lost data that can be computed again.

        Rows on other machines may be lost with their machine.
        """
        ...

    def release(self) -> None:
        """Forget the documents at the end of a fit.

        An engine and its documents refer to each other; device memory cannot wait for the garbage
        collector.
        """
        ...

    def asarray(self, array: Any, dtype: Any = None) -> Array:
        """Return an array of this engine with the values of a NumPy array or of such an array.

        Arrays with one row per document come from ``Documents.asarray``.
        """
        ...

    def row_slices(self, rows: Array, size: int) -> Iterator[slice]:
        """Yield slices of at most ``size`` rows, for operations whose copies would be large.

        An array that is stored in blocks of rows is one slice.
        """
        ...

    def to_host(self, array: Array) -> NDArray[Any]:
        """Return a NumPy array."""
        ...

    def own_copy(self, factor: Array) -> Array:
        """Return a copy that may be updated in place."""
        ...

    def word_step(
        self,
        clusters: Array,
        profiles: Array,
        products: Array,
        associations: NDArray[Any],
        gram: NDArray[Any],
        options: StepOptions = PLAIN_STEP,
    ) -> NDArray[Any]:
        """``F <- F * sqrt((products @ S.T + anchor) / (F @ S @ gram @ S.T + pull * F))``, in place.

        Here the anchor is multiplied by its pull, and zero by default.

        ``profiles`` contains ``F @ S`` before and, in place, after the step. Returns
        ``F.T @ (F @ S)`` for the new ``F``, one row per cluster.
        """
        ...

    def cluster_products(self, clusters: Array, products: Array) -> NDArray[Any]:
        """Return ``F.T @ products``, one row per cluster."""
        ...

    def profiles(self, clusters: Array, associations: NDArray[Any], products: Array) -> Profiles:
        """Return ``F @ S`` with the terms of the objective."""
        ...

    def topic_update(self, topics: Array, word_side: Array) -> Array:
        """``topics <- topics * word_side`` in place, columns divided by their sums.

        Returns the sums, one per topic.

        Values whose square is subnormal become zero: multiplicative updates decrease values towards
        zero, and arithmetic on subnormal numbers is many times slower.
        """
        ...

    def multiplied(self, factor: Array, numerator: Array, denominator: Array) -> Array:
        """Return ``factor * sqrt(numerator / denominator)``; zeros stay zero."""
        ...

    def quotient_step(
        self,
        factor: Array,
        numerators: Sequence[tuple[Array, float]],
        parts: Sequence[tuple[Array, NDArray[Any]]],
    ) -> None:
        """``factor *= sum(weight * numerator) / sum(rows @ small)`` in place.

        ``numerators`` are pairs of an array with the shape of the factor and its weight; ``parts``
        are pairs of an array ``rows`` with as many rows as the factor and a matrix ``small`` with
        as many columns as the factor. Zeros stay zero, and values with a zero numerator become
        zero.
        """
        ...

    def gram(self, left: Array, right: Array) -> NDArray[Any]:
        """Return ``left.T @ right``; the order of the sums does not depend on the threads."""
        ...

    def product(self, rows: Array, small: NDArray[Any]) -> Array:
        """Return ``rows @ small``, in the dtype of the rows."""
        ...

    def group_sums(self, rows: Array, groups: Array, n_groups: int) -> NDArray[np.float64]:
        """Return the sum of the rows of every group, in float64 and in a fixed order.

        ``groups`` has the number of the group of every row.
        """
        ...

    def normalized_rows(self, factor: Array) -> Array:
        """Divide rows by their sums; values whose square is subnormal become zero."""
        ...
