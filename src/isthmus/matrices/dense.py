"""Documents stored as a dense array, possibly with negative values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.host import HostEngine
from isthmus.matrices.one_place import OnePlaceDocuments, computed_once
from isthmus.matrices.protocols import PLAIN_STEP, Array, MembershipStep, StepOptions, TopicStep

# Rows per block of the Kullback-Leibler step.
_BLOCK = 1024
_HOST = HostEngine()


class DenseDocuments(OnePlaceDocuments):
    """A two-dimensional array of an engine, not copied, with separate scales of rows and columns.

    The engine is that of the CPU by default.
    """

    def __init__(
        self,
        X: Array,
        row_scale: Array | None = None,
        column_scale: Array | None = None,
        engine: Any = _HOST,
    ) -> None:
        self._X, self.engine = X, engine
        self.shape = (X.shape[0], X.shape[1])
        self.dtype: np.dtype[Any] = X.dtype
        ones = engine.xp.ones
        self._is_scaled = row_scale is not None or column_scale is not None
        self._row_scale = ones(X.shape[0], X.dtype) if row_scale is None else row_scale
        self._column_scale: Array = (
            ones(X.shape[1], X.dtype) if column_scale is None else column_scale
        )

    def _of(self, X: Array, row_scale: Array, column_scale: Array | None) -> Self:
        return type(self)(X, row_scale, column_scale, self.engine)

    def times(self, right: Array) -> Array:
        factor = right.astype(self.dtype, copy=False)
        if not self._is_scaled:
            return self.engine.product(self._X, factor)
        product = self.engine.product(self._X, factor * self._column_scale[:, None])
        return product * self._row_scale[:, None]

    def transposed_times(self, left: Array) -> Array:
        factor = left.astype(self.dtype, copy=False)
        if not self._is_scaled:
            return self.engine.product(self._X.T, factor)
        product = self.engine.product(self._X.T, factor * self._row_scale[:, None])
        return product * self._column_scale[:, None]

    def squares_transposed_times(self, left: Array) -> Array:
        squares = self._of(self._X**2, self._row_scale**2, self._column_scale**2)
        return squares.transposed_times(left)

    def membership_step(
        self,
        memberships: Array,
        profiles: Array,
        gram: NDArray[Any],
        options: StepOptions = PLAIN_STEP,
    ) -> MembershipStep:
        new = self.engine.updated_memberships(memberships, self.times(profiles), gram, options)
        changed = int((new.argmax(axis=1) != memberships.argmax(axis=1)).sum())
        memberships[...] = new
        return MembershipStep(self.transposed_times(new), self.engine.precise_gram(new), changed)

    def topic_step(
        self, mixtures: Array, topics: Array, *, words: bool = True, likelihood: bool = True
    ) -> TopicStep:
        topics = np.asarray(topics, self.dtype)
        word_side = np.zeros_like(topics)
        log_likelihood = 0.0
        for start in range(0, self.shape[0], _BLOCK):
            rows = slice(start, start + _BLOCK)
            X = self._X[rows] * self._row_scale[rows, None] * self._column_scale
            expected = mixtures[rows] @ topics.T
            occurs = (X > 0) & (expected > 0)
            ratio = np.divide(X, expected, out=np.zeros_like(expected), where=occurs)
            if words:
                word_side += ratio.T @ mixtures[rows]
            if likelihood:
                log_likelihood += float(
                    (X[occurs] * np.log(expected[occurs])).sum(dtype=np.float64)
                )
            mixtures[rows] = self.engine.normalized_rows(mixtures[rows] * (ratio @ topics))
        return TopicStep(
            word_side if words else None, log_likelihood if likelihood else float("nan")
        )

    @computed_once
    def row_sums(self) -> Array:
        return (self._X @ self._column_scale.astype(np.float64)) * self._row_scale

    @computed_once
    def row_norms(self) -> Array:
        weights = self._column_scale.astype(np.float64) ** 2
        squares = np.einsum("ij,ij,j->i", self._X, self._X, weights)
        return np.asarray(np.sqrt(squares) * np.abs(self._row_scale), np.float64)

    @computed_once
    def column_sums(self) -> Array:
        return (self._row_scale.astype(np.float64) @ self._X) * self._column_scale

    def squared_norm(self) -> float:
        return float((self.row_norms() ** 2).sum())

    def _with_scales(self, rows: Array, columns: Array | None) -> Self:
        return self._of(self._X, rows, columns)

    def take_rows(self, rows: NDArray[np.intp]) -> Self:
        numbers = self.engine.asarray(rows)
        return self._of(self._X[numbers], self._row_scale[numbers], self._column_scale)

    def row_blocks(self, size: int) -> Iterator[Self]:
        for start in range(0, self.shape[0], size):
            rows = slice(start, start + size)
            yield self._of(self._X[rows], self._row_scale[rows], self._column_scale)
