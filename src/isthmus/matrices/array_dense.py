"""Documents as a dense array of any array namespace, such as CuPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.array_engine import ArrayEngine
from isthmus.matrices.protocols import Array, MembershipStep, TopicStep
from isthmus.matrices.row_values import RowValues

# Rows per block of the Kullback-Leibler step, whose arrays have a column per term.
_BLOCK = 16_384


class ArrayDenseDocuments(RowValues):
    """A two-dimensional array of an engine, with separate scales of rows and columns."""

    def __init__(
        self,
        engine: ArrayEngine,
        X: Array,
        row_scale: Array | None = None,
        column_scale: Array | None = None,
    ) -> None:
        self.engine, self._X = engine, X
        self.shape: tuple[int, int] = (X.shape[0], X.shape[1])
        self.dtype: np.dtype[Any] = X.dtype
        ones = engine.xp.ones
        self._row_scale = ones(X.shape[0], dtype=X.dtype) if row_scale is None else row_scale
        self._column_scale = (
            ones(X.shape[1], dtype=X.dtype) if column_scale is None else column_scale
        )

    def times(self, right: Array) -> Array:
        factor = right.astype(self.dtype) * self._column_scale[:, None]
        return (self._X @ factor) * self._row_scale[:, None]

    def transposed_times(self, left: Array) -> Array:
        factor = left.astype(self.dtype) * self._row_scale[:, None]
        return (self._X.T @ factor) * self._column_scale[:, None]

    def squares_transposed_times(self, left: Array) -> Array:
        return self._squared.transposed_times(left)

    @property
    def _squared(self) -> ArrayDenseDocuments:
        scales = self._row_scale**2, self._column_scale**2
        return ArrayDenseDocuments(self.engine, self._X**2, *scales)

    def membership_step(
        self,
        memberships: Array,
        profiles: Array,
        gram: NDArray[Any],
        *,
        fixed: Array | None = None,
        anchor: Array | None = None,
        pull: Array | None = None,
        normalize: bool = True,
    ) -> MembershipStep:
        new = self.engine.updated_memberships(
            memberships, self.times(profiles), gram, fixed, anchor, pull, normalize
        )
        changed = int((new.argmax(axis=1) != memberships.argmax(axis=1)).sum())
        memberships[...] = new
        precise = new.astype(np.float64)
        new_gram = self.engine.gram(precise, precise)
        return MembershipStep(self.transposed_times(new), new_gram, changed)

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

    def row_sums(self) -> Array:
        return (self._X @ self._column_scale.astype(np.float64)) * self._row_scale

    def row_norms(self) -> Array:
        squares = self._X.astype(np.float64) ** 2 @ self._column_scale.astype(np.float64) ** 2
        return self.engine.xp.sqrt(squares) * abs(self._row_scale)

    def column_sums(self) -> Array:
        return (self._row_scale.astype(np.float64) @ self._X) * self._column_scale

    def squared_norm(self) -> float:
        return float((self.row_norms() ** 2).sum())

    def scaled(
        self, rows: Array | None = None, columns: Array | None = None
    ) -> ArrayDenseDocuments:
        row_scale, column_scale = self._row_scale, self._column_scale
        if rows is not None:
            row_scale = (row_scale * rows).astype(self.dtype)
        if columns is not None:
            column_scale = (column_scale * columns).astype(self.dtype)
        return ArrayDenseDocuments(self.engine, self._X, row_scale, column_scale)

    def take_rows(self, rows: NDArray[np.intp]) -> ArrayDenseDocuments:
        numbers = self.engine.asarray(rows)
        return ArrayDenseDocuments(
            self.engine, self._X[numbers], self._row_scale[numbers], self._column_scale
        )

    def row_blocks(self, size: int) -> Iterator[ArrayDenseDocuments]:
        for start in range(0, self.shape[0], size):
            rows = slice(start, start + size)
            yield ArrayDenseDocuments(
                self.engine, self._X[rows], self._row_scale[rows], self._column_scale
            )
