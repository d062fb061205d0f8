"""Dense factors and documents in any array namespace with the functions of NumPy, such as CuPy.

The operations are plain array expressions. The engine of the GPU replaces the most frequent ones
by kernels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.dense import DenseDocuments
from isthmus.matrices.one_place import OnePlaceEngine, computed_once
from isthmus.matrices.protocols import (
    PLAIN_STEP,
    Array,
    Documents,
    Profiles,
    StepOptions,
    TopicStep,
)

# Rows whose groups are indicated by ones at a time.
_GROUPED_ROWS = 131_072
# Rows per block of the Kullback-Leibler step, whose arrays have a column per term.
_BLOCK = 16_384


class ArrayEngine(OnePlaceEngine, ABC):
    """Factors as arrays of the namespace ``xp``."""

    name: str
    xp: Any

    @abstractmethod
    def documents(self, X: Any, rows: slice | NDArray[np.intp] | None = None) -> Documents: ...

    @abstractmethod
    def asarray(self, array: Any, dtype: Any = None) -> Array: ...

    @abstractmethod
    def to_host(self, array: Array) -> NDArray[Any]: ...

    def own_copy(self, factor: Array) -> Array:
        return self.xp.array(self.asarray(factor), order="C")

    def word_step(
        self,
        clusters: Array,
        profiles: Array,
        products: Array,
        associations: NDArray[Any],
        gram: NDArray[Any],
        options: StepOptions = PLAIN_STEP,
    ) -> NDArray[Any]:
        xp = self.xp
        numerator = self.product(products, associations.T)
        denominator = self.product(profiles, (associations @ gram).T)
        denominator += np.finfo(clusters.dtype).tiny
        if options.pull is not None:
            strength = options.pull[:, None]
            if options.anchor is not None:
                numerator += xp.where(strength > 0, options.anchor, 0)
            denominator += strength * clusters
        moved = clusters * xp.sqrt(numerator / denominator)
        clusters[...] = self.normalized_rows(moved) if options.normalize else moved
        profiles[...] = self.product(clusters, associations)
        return self.gram(clusters, profiles)

    def updated_memberships(
        self, memberships: Array, numerator: Array, gram: NDArray[Any], options: StepOptions
    ) -> Array:
        """Return the memberships after their step, given ``X @ profiles``.

        See ``Documents.membership_step``.
        """
        xp, denominator = self.xp, self.product(memberships, gram)
        if options.pull is not None:
            weight = options.pull.astype(memberships.dtype)[:, None]
            anchor = memberships if options.anchor is None else options.anchor
            numerator = numerator + weight * anchor
            denominator = denominator + weight * memberships
        denominator = xp.maximum(denominator, np.finfo(memberships.dtype).tiny)
        moved = memberships * xp.sqrt(numerator / denominator)
        if options.normalize:
            moved = self.normalized_rows(moved)
        if options.fixed is None:
            return moved
        return xp.where(options.fixed[:, None], memberships, moved)

    def precise_gram(self, factor: Array) -> NDArray[np.float64]:
        """``factor.T @ factor``, summed in float64."""
        precise = factor.astype(np.float64)
        return self.gram(precise, precise)

    def cluster_products(self, clusters: Array, products: Array) -> NDArray[Any]:
        return self.gram(clusters, products)

    def profiles(self, clusters: Array, associations: NDArray[Any], products: Array) -> Profiles:
        values = self.product(clusters, associations)
        precise = values.astype(np.float64)
        overlap = float((precise * products).sum())
        return Profiles(values, self.gram(precise, precise), overlap)

    def topic_update(self, topics: Array, word_side: Array) -> Array:
        topics *= word_side
        totals = topics.sum(axis=0, dtype=np.float64)
        limits = np.finfo(topics.dtype)
        scale = 1 / self.xp.maximum(totals, limits.tiny)
        topics *= scale.astype(topics.dtype)
        topics[topics <= np.sqrt(limits.tiny)] = 0
        return totals.astype(topics.dtype)

    def multiplied(self, factor: Array, numerator: Array, denominator: Array) -> Array:
        limits = np.finfo(factor.dtype)
        ratio = numerator / self.xp.maximum(denominator, limits.tiny)
        # Zero times infinity would be NaN.
        moved = factor * self.xp.sqrt(self.xp.minimum(ratio, limits.max))
        return moved.astype(factor.dtype)

    def quotient_step(
        self,
        factor: Array,
        numerators: Sequence[tuple[Array, float]],
        parts: Sequence[tuple[Array, NDArray[Any]]],
    ) -> None:
        xp, limits = self.xp, np.finfo(factor.dtype)
        denominator = self.product(*parts[0])
        for rows, small in parts[1:]:
            denominator += self.product(rows, small)
        ratio = numerators[0][0] * factor.dtype.type(numerators[0][1])
        for added, weight in numerators[1:]:
            ratio += added * factor.dtype.type(weight)
        ratio /= xp.maximum(denominator, limits.tiny)
        # Zero times infinity would be NaN.
        moved = xp.minimum(xp.minimum(ratio, limits.max) * factor, limits.max)
        factor[...] = xp.where(moved < np.sqrt(limits.tiny), 0, moved)

    def gram(self, left: Array, right: Array) -> NDArray[Any]:
        return self.to_host(left.T @ right)

    def product(self, rows: Array, small: NDArray[Any]) -> Array:
        return rows @ self.asarray(small, rows.dtype)

    def group_sums(self, rows: Array, groups: Array, n_groups: int) -> NDArray[np.float64]:
        # A count with weights adds in any order on a GPU; a matrix product does not.
        xp = self.xp
        sums = xp.zeros((n_groups, rows.shape[1]))
        numbers = xp.arange(n_groups)
        for start in range(0, len(rows), _GROUPED_ROWS):
            part = slice(start, start + _GROUPED_ROWS)
            one_hot = (groups[part, None] == numbers).astype(np.float64)
            sums += one_hot.T @ rows[part].astype(np.float64)
        return self.to_host(sums)

    def normalized_rows(self, factor: Array) -> Array:
        xp = self.xp
        totals = factor.sum(axis=1, keepdims=True)
        divided = factor / xp.where(totals > 0, totals, 1)
        smallest = np.sqrt(np.finfo(factor.dtype).tiny)
        return xp.where((divided > smallest) & (totals > 0), divided, 0).astype(factor.dtype)


class ArrayDenseDocuments(DenseDocuments):
    """A two-dimensional array of such an engine."""

    def topic_step(
        self, mixtures: Array, topics: Array, *, words: bool = True, likelihood: bool = True
    ) -> TopicStep:
        xp, topics = self.engine.xp, topics.astype(self.dtype)
        word_side, log_likelihood = xp.zeros(topics.shape, dtype=self.dtype), 0.0
        for start in range(0, self.shape[0], _BLOCK):
            rows = slice(start, start + _BLOCK)
            X = self._X[rows] * self._row_scale[rows, None] * self._column_scale
            expected = mixtures[rows] @ topics.T
            occurs = (X > 0) & (expected > 0)
            expected = xp.where(occurs, expected, 1)
            ratio = xp.where(occurs, X / expected, 0)
            if words:
                word_side += ratio.T @ mixtures[rows]
            if likelihood:
                logarithms = xp.where(occurs, X * xp.log(expected), 0)
                log_likelihood += float(logarithms.sum(dtype=np.float64))
            mixtures[rows] = self.engine.normalized_rows(mixtures[rows] * (ratio @ topics))
        return TopicStep(
            word_side if words else None, log_likelihood if likelihood else float("nan")
        )

    @computed_once
    def row_norms(self) -> Array:
        squares = self._X.astype(np.float64) ** 2 @ self._column_scale.astype(np.float64) ** 2
        return self.engine.xp.sqrt(squares) * abs(self._row_scale)
