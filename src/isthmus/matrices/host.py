"""The engine of the CPU: NumPy arrays and fused updates of factors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels import loops
from isthmus.kernels.dispatch import Kernel, read_only
from isthmus.kernels.plain_loops import gram_of, normalized_rows, updated_memberships
from isthmus.matrices.one_place import OnePlaceEngine
from isthmus.matrices.protocols import PLAIN_STEP, Array, Documents, Profiles, StepOptions
from isthmus.matrices.threads import (
    Range,
    add_up,
    chunk_count,
    cut_evenly,
    one_blas_thread,
    run_all,
)

# Rows of a factor that are updated at a time: few enough to stay in the cache.
_FACTOR_ROWS = 1024
# Rows per partial sum of a Gram matrix.
_GRAM_ROWS = 8192
# Rows of a product that are worth a thread, and the maximum number of chunks.
_ROWS_PER_CHUNK, _MAX_CHUNKS = 96, 8


class HostEngine(OnePlaceEngine):
    """Dense factors as NumPy arrays."""

    name = "cpu"
    xp: Any = np

    def documents(self, X: Any, rows: slice | NDArray[np.intp] | None = None) -> Documents:
        # Documents name their engine, so their modules import this one.
        from isthmus.matrices.rows import as_documents

        return as_documents(X, rows)

    def asarray(self, array: Any, dtype: Any = None) -> NDArray[Any]:
        return np.asarray(array, dtype)

    def to_host(self, array: Array) -> NDArray[Any]:
        return np.asarray(array)

    def own_copy(self, factor: Array) -> NDArray[Any]:
        return np.array(factor, order="C")

    def word_step(
        self,
        clusters: Array,
        profiles: Array,
        products: Array,
        associations: Array,
        gram: Array,
        options: StepOptions = PLAIN_STEP,
    ) -> NDArray[Any]:
        transposed = _transposed(associations, clusters.dtype)
        weighted = _transposed(associations @ gram, clusters.dtype)
        products = read_only(np.ascontiguousarray(products, clusters.dtype))
        anchors = read_only(
            clusters if options.anchor is None else np.ascontiguousarray(options.anchor)
        )
        weight = np.zeros(len(clusters)) if options.pull is None else np.asarray(options.pull)
        weight = read_only(np.ascontiguousarray(weight, clusters.dtype))
        loop, ranges = _plan(loops.word_rows, clusters, 4 * transposed.shape[0])

        def step(rows: Range) -> NDArray[Any]:
            sums = np.zeros(transposed.shape, clusters.dtype)
            loop(
                clusters, profiles, products, transposed, weighted, anchors, weight,
                options.normalize, sums, *rows,
            )  # fmt: skip
            return sums

        return add_up(run_all(step, ranges)).T

    def updated_memberships(
        self, memberships: Array, numerator: Array, gram: Array, options: StepOptions
    ) -> NDArray[Any]:
        """Return the memberships after their step, given ``X @ profiles``.

        See ``Documents.membership_step``.
        """
        denominator = memberships @ np.asarray(gram, memberships.dtype)
        if options.pull is not None:
            weight = np.asarray(options.pull, memberships.dtype)[:, None]
            anchor = memberships if options.anchor is None else options.anchor
            numerator = numerator + weight * anchor
            denominator = denominator + weight * memberships
        new = updated_memberships(memberships, numerator, denominator, options.normalize)
        if options.fixed is None:
            return new
        return np.where(np.asarray(options.fixed)[:, None], memberships, new)

    def precise_gram(self, factor: Array) -> NDArray[np.float64]:
        """``factor.T @ factor``, summed in float64."""
        return gram_of(factor)

    def cluster_products(self, clusters: Array, products: Array) -> NDArray[Any]:
        clusters = read_only(clusters)
        products = read_only(np.ascontiguousarray(products, clusters.dtype))
        loop, ranges = _plan(loops.cluster_products, clusters, products.shape[1])

        def step(rows: Range) -> NDArray[Any]:
            sums = np.zeros((products.shape[1], clusters.shape[1]), clusters.dtype)
            loop(clusters, products, sums, *rows)
            return sums

        return add_up(run_all(step, ranges)).T

    def profiles(self, clusters: Array, associations: Array, products: Array) -> Profiles:
        clusters = read_only(clusters)
        transposed = _transposed(associations, clusters.dtype)
        products = read_only(np.ascontiguousarray(products, clusters.dtype))
        n_terms, n_classes = products.shape
        out = np.empty((n_terms, n_classes), clusters.dtype)
        loop, ranges = _plan(loops.profile_rows, clusters, n_classes)

        def step(rows: Range) -> tuple[NDArray[np.float64], float]:
            gram = np.zeros((n_classes, n_classes))
            return gram, loop(clusters, transposed, products, out, gram, *rows)

        parts = run_all(step, ranges)
        gram = symmetric(add_up([part[0] for part in parts]))
        return Profiles(out, gram, sum(part[1] for part in parts))

    def topic_update(self, topics: Array, word_side: Array) -> NDArray[Any]:
        word_side = read_only(word_side)
        count, ranges = _plan(loops.topic_counts, topics, 1)
        divide, _ = _plan(loops.scale_topics, topics, 1)

        def step(rows: Range) -> NDArray[np.float64]:
            totals = np.zeros((1, topics.shape[1]))
            count(topics, word_side, totals, *rows)
            return totals

        totals = add_up(run_all(step, ranges))
        floor = np.finfo(topics.dtype).tiny
        scale = read_only((1 / np.maximum(totals, floor)).astype(topics.dtype))
        run_all(lambda rows: divide(topics, scale, *rows), ranges)
        return totals[0].astype(topics.dtype)

    def multiplied(self, factor: Array, numerator: Array, denominator: Array) -> NDArray[Any]:
        limits = np.finfo(factor.dtype)
        with np.errstate(over="ignore"):
            ratio = numerator / np.maximum(denominator, limits.tiny)
        # Zero times infinity would be NaN.
        moved = factor * np.sqrt(np.minimum(ratio, limits.max))
        return np.asarray(moved, factor.dtype)

    def quotient_step(
        self,
        factor: Array,
        numerators: Sequence[tuple[Array, float]],
        parts: Sequence[tuple[Array, Array]],
    ) -> None:
        small = [np.asarray(matrix, factor.dtype) for _, matrix in parts]
        weights = [factor.dtype.type(weight) for _, weight in numerators]
        limits = np.finfo(factor.dtype)
        smallest = np.sqrt(limits.tiny)

        def step(rows: Range) -> None:
            part = slice(*rows)
            denominator = parts[0][0][part] @ small[0]
            for (left, _), right in zip(parts[1:], small[1:], strict=True):
                denominator += left[part] @ right
            np.maximum(denominator, limits.tiny, out=denominator)
            numerator = weights[0] * numerators[0][0][part]
            for (added, _), weight in zip(numerators[1:], weights[1:], strict=True):
                numerator += weight * added[part]
            with np.errstate(over="ignore", under="ignore"):
                numerator /= denominator
                # Zero times infinity would be NaN.
                np.minimum(numerator, limits.max, out=numerator)
                numerator *= factor[part]
                np.minimum(numerator, limits.max, out=numerator)
            # Values decrease towards zero, and arithmetic on subnormal numbers is slow.
            factor[part] = np.where(numerator < smallest, 0, numerator)

        with one_blas_thread():
            run_all(step, cut_evenly(len(factor), 1 + len(factor) // _FACTOR_ROWS))

    def gram(self, left: Array, right: Array) -> NDArray[Any]:
        def part(rows: Range) -> NDArray[Any]:
            return np.asarray(left[slice(*rows)].T @ right[slice(*rows)])

        ranges = cut_evenly(len(left), 1 + len(left) // _GRAM_ROWS)
        with one_blas_thread():
            return add_up(run_all(part, ranges or [(0, 0)]))

    def product(self, rows: Array, small: NDArray[Any]) -> NDArray[Any]:
        return in_row_chunks(rows, np.asarray(small, rows.dtype))

    def group_sums(self, rows: Array, groups: Array, n_groups: int) -> NDArray[np.float64]:
        columns = [np.bincount(groups, column, n_groups) for column in rows.T]
        return np.asarray(np.column_stack(columns), np.float64)

    def normalized_rows(self, factor: Array) -> NDArray[Any]:
        return normalized_rows(factor)


def in_row_chunks(X: NDArray[Any], factor: NDArray[Any]) -> NDArray[Any]:
    """Return ``X @ factor`` in fixed chunks, so that results do not depend on BLAS threads."""
    out = np.empty((X.shape[0], factor.shape[1]), X.dtype)

    def product(rows: Range) -> None:
        out[slice(*rows)] = X[slice(*rows)] @ factor

    # Few chunks, because every chunk reads the whole factor.
    chunks = max(1, min(_MAX_CHUNKS, X.shape[0] // _ROWS_PER_CHUNK))
    with one_blas_thread():
        run_all(product, cut_evenly(X.shape[0], chunks))
    return out


def symmetric(lower: NDArray[Any]) -> NDArray[Any]:
    """Return the symmetric matrix with this lower triangle."""
    whole = lower + lower.T
    whole.flat[:: len(whole) + 1] = lower.diagonal()
    return whole


def _transposed(factor: Array, dtype: Any) -> NDArray[Any]:
    """Return the transpose of a small factor, so that loops read the clusters in order."""
    return read_only(np.ascontiguousarray(factor.T, dtype))


def _plan(kernel: Kernel, factor: NDArray[Any], work_per_value: int) -> tuple[Any, list[Range]]:
    """Return the version of a loop over the rows of a factor, and the ranges to run it on."""
    n_rows, width = factor.shape
    work = n_rows * width * work_per_value
    ranges = cut_evenly(n_rows, chunk_count(work)) or [(0, 0)]
    return kernel.choose(width, work, factor.dtype, repeated=True), ranges
