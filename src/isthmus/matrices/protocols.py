"""The two small interfaces on which every solver is written.

A solver that keeps to them runs unchanged on a sparse matrix in memory, on a dense array, on
another device or on blocks of rows spread over machines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

#: A dense array of the engine: NumPy on the host, something alike elsewhere.
Array = Any


@dataclass(frozen=True)
class MembershipStep:
    """What the fused row pass gives back, all of it for the new ``G``."""

    products: Array
    """``X.T @ G``, one row a term."""
    gram: NDArray[np.float64]
    """``G.T @ G``."""
    changed: int
    """How many rows have another largest class than before."""


@dataclass(frozen=True)
class TopicStep:
    """What one Kullback-Leibler step gives back, with ``R = X / (mixtures @ topics.T)``."""

    word_side: Array | None
    """``R.T @ mixtures``, one row a term; None if it was not asked for."""
    log_likelihood: float
    """``sum X * log(mixtures @ topics.T)`` over the non-zeros, before the step; NaN if it was not
    asked for."""


@dataclass(frozen=True)
class Profiles:
    """``F @ S``: how much every word speaks for every class."""

    values: Array
    """One row a term."""
    gram: NDArray[np.float64]
    """``values.T @ values``."""
    overlap: float
    """``sum(values * products)``."""


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
        """The fused row pass: product, multiplicative update of ``memberships`` in place, scatter.

        ``G <- G * sqrt((X @ profiles + pull * anchor) / (G @ gram + pull * G))``, rows divided by
        their sums if ``normalise``; rows marked in ``fixed`` keep their values.
        """
        ...

    def topic_step(
        self, mixtures: Array, topics: Array, *, words: bool = True, likelihood: bool = True
    ) -> TopicStep:
        """The Kullback-Leibler step at the non-zeros; ``mixtures`` is updated in place.

        ``mixtures <- mixtures * (R @ topics)``, rows divided by their sums. The side of the words
        and the likelihood are computed if they are wanted.
        """
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

    def take_rows(self, rows: NDArray[np.intp]) -> Documents:
        """A copy of some rows, in rising order."""
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

    def own_copy(self, factor: Array) -> Array:
        """A copy that may be updated in place."""
        ...

    def word_step(
        self,
        clusters: Array,
        profiles: Array,
        products: Array,
        associations: Array,
        gram: Array,
        *,
        anchor: Array | None = None,
        pull: Array | None = None,
        normalise: bool = True,
    ) -> Array:
        """``F <- F * sqrt((products @ S.T + anchor) / (F @ S @ gram @ S.T + pull * F))``, in place.

        ``anchor`` (a row a term, its pull multiplied in) and ``pull`` (a number a term) draw the
        words towards other clusters; without them both are zero.

        ``profiles`` holds ``F @ S`` before and, in place, after the step. Returns
        ``F.T @ (F @ S)`` for the new ``F``, one row a cluster.
        """
        ...

    def word_use(self, clusters: Array, products: Array) -> Array:
        """``F.T @ products``, one row a cluster."""
        ...

    def profiles(self, clusters: Array, associations: Array, products: Array) -> Profiles:
        """``F @ S`` with what the objective needs of it."""
        ...

    def topic_update(self, topics: Array, word_side: Array) -> Array:
        """``topics <- topics * word_side`` in place, columns divided by their sums.

        Returns the sums, one a topic.

        Numbers whose square is not a normal number become zero: shares fall towards zero for ever
        under multiplicative updates, and arithmetic on such numbers is many times slower.
        """
        ...

    def multiplied(self, factor: Array, numerator: Array, denominator: Array) -> Array:
        """``factor * sqrt(numerator / denominator)``; zeros stay zero."""
        ...

    def quotient_step(
        self,
        factor: Array,
        numerators: Sequence[tuple[Array, float]],
        parts: Sequence[tuple[Array, Array]],
    ) -> None:
        """``factor *= sum(weight * numerator) / sum(rows @ small)`` in place.

        ``numerators`` are pairs of an array like the factor and its weight; ``parts`` pairs of as
        many ``rows`` as the factor has and a ``small`` matrix with as many columns as the factor.
        Zeros stay zero, and a number whose numerator is zero becomes it.
        """
        ...

    def gram(self, left: Array, right: Array) -> Array:
        """``left.T @ right`` of two long factors, summed in an order that threads do not change."""
        ...

    def normalised_rows(self, factor: Array) -> Array:
        """Rows divided by their sums, dust to zero; a row of zeros stays one."""
        ...

    def to_host(self, array: Array) -> NDArray[Any]: ...
