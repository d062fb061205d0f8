"""The two small interfaces on which every solver is written.

A solver that keeps to them runs unchanged on a sparse matrix in memory, on a dense array, on
another device or on blocks of rows spread over machines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

#: A dense array of the engine: NumPy on the host, something alike elsewhere.
Array = Any


@dataclass(frozen=True)
class MembershipStep:
    """What the fused row pass gives back."""

    memberships: Array
    """The new ``G``, one row a document."""
    products: Array
    """``X.T @ G`` with the new ``G``, one row a term."""


@dataclass(frozen=True)
class TopicStep:
    """What one Kullback-Leibler step gives back, with ``R = X / (mixtures @ topics.T)``."""

    document_side: Array
    """``R @ topics``, one row a document."""
    word_side: Array
    """``R.T @ mixtures``, one row a term."""
    log_likelihood: float
    """``sum X * log(mixtures @ topics.T)`` over the non-zeros, before the step."""


class Documents(Protocol):
    """A matrix with a row a document and a column a term, touched only through these operations.

    Scalings of rows and columns are vectors held beside the matrix: ``scaled`` copies no entry.
    """

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def times(self, right: Array) -> Array:
        """``X @ right``."""
        ...

    def transposed_times(self, left: Array) -> Array:
        """``X.T @ left``."""
        ...

    def membership_step(
        self,
        memberships: Array,
        profiles: Array,
        gram: Array,
        *,
        fixed: Array | None = None,
        anchor: Array | None = None,
        pull: Array | None = None,
        normalise: bool = True,
    ) -> MembershipStep:
        """The fused row pass: product, multiplicative update, scatter.

        ``G <- G * sqrt((X @ profiles + pull * anchor) / (G @ gram + pull * G))``, rows divided by
        their sums if ``normalise``; rows marked in ``fixed`` keep their values.
        """
        ...

    def topic_step(self, mixtures: Array, topics: Array) -> TopicStep:
        """The Kullback-Leibler step at the non-zeros."""
        ...

    def row_sums(self) -> NDArray[np.float64]: ...

    def row_norms(self) -> NDArray[np.float64]:
        """Euclidean length of every row."""
        ...

    def column_sums(self) -> NDArray[np.float64]: ...

    def squared_norm(self) -> float: ...

    def scaled(self, rows: Array | None = None, columns: Array | None = None) -> Documents:
        """The same entries with rows and columns multiplied by vectors."""
        ...

    def row_blocks(self, size: int) -> Iterator[Documents]:
        """Views of consecutive rows, ``size`` at a time."""
        ...


class Engine(Protocol):
    """Where dense factors live, and the few updates worth fusing."""

    @property
    def xp(self) -> Any:
        """The array namespace (``numpy`` on the host)."""
        ...

    def word_step(
        self,
        clusters: Array,
        products: Array,
        associations: Array,
        gram: Array,
        *,
        normalise: bool = True,
    ) -> Array:
        """``F <- F * sqrt((products @ S.T) / (F @ S @ gram @ S.T))`` in one pass over ``F``."""
        ...

    def multiplied(self, factor: Array, numerator: Array, denominator: Array) -> Array:
        """``factor * sqrt(numerator / denominator)``; zeros stay zero."""
        ...

    def normalised_rows(self, factor: Array) -> Array:
        """Rows divided by their sums; a row of zeros stays one."""
        ...

    def without_dust(self, factor: Array) -> Array:
        """The same array with zeros for numbers whose square is not a normal number.

        Shares fall towards zero for ever under multiplicative updates, and arithmetic on numbers
        below the normal range is many times slower.
        """
        ...

    def to_host(self, array: Array) -> NDArray[Any]: ...
