"""Dense factors in any array namespace with the functions of NumPy, such as CuPy.

The operations are plain array expressions. The engine of the GPU replaces the most frequent ones
by kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Profiles

# Rows whose groups are indicated by ones at a time.
_GROUPED_ROWS = 131_072


class ArrayEngine:
    """Factors as arrays of the namespace ``xp``.

    A subclass adds a name, ``documents``, ``asarray`` and ``to_host``.
    """

    xp: Any

    def asarray(self, array: Any, dtype: Any = None) -> Array:
        raise NotImplementedError  # pragma: no cover - every engine defines it

    def to_host(self, array: Array) -> NDArray[Any]:
        raise NotImplementedError  # pragma: no cover - every engine defines it

    def own_copy(self, factor: Array) -> Array:
        return self.xp.array(self.asarray(factor), order="C")

    def word_step(
        self,
        clusters: Array,
        profiles: Array,
        products: Array,
        associations: NDArray[Any],
        gram: NDArray[Any],
        *,
        anchor: Array | None = None,
        pull: Array | None = None,
        normalize: bool = True,
    ) -> NDArray[Any]:
        xp = self.xp
        numerator = self.product(products, associations.T)
        denominator = self.product(profiles, (associations @ gram).T)
        denominator += np.finfo(clusters.dtype).tiny
        if pull is not None:
            strength = pull[:, None]
            if anchor is not None:
                numerator += xp.where(strength > 0, anchor, 0)
            denominator += strength * clusters
        moved = clusters * xp.sqrt(numerator / denominator)
        clusters[...] = self.normalized_rows(moved) if normalize else moved
        profiles[...] = self.product(clusters, associations)
        return self.gram(clusters, profiles)

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
