"""Documents stored as a dense array, possibly with negative values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels.plain.documents import gram_of, normalized_rows, updated_memberships
from isthmus.matrices.host import HostEngine, in_row_chunks
from isthmus.matrices.protocols import Array, MembershipStep, TopicStep
from isthmus.matrices.row_values import RowValues

# Rows per block of the Kullback-Leibler step.
_BLOCK = 1024


class DenseDocuments(RowValues):
    """A two-dimensional array, not copied, with separate scales of rows and columns."""

    engine = HostEngine()

    def __init__(
        self,
        X: NDArray[Any],
        row_scale: NDArray[Any] | None = None,
        column_scale: NDArray[Any] | None = None,
    ) -> None:
        self._X = X
        self.shape = (X.shape[0], X.shape[1])
        self.dtype = X.dtype
        self._scaled = row_scale is not None or column_scale is not None
        self._row_scale = np.ones(X.shape[0], X.dtype) if row_scale is None else row_scale
        self._column_scale = np.ones(X.shape[1], X.dtype) if column_scale is None else column_scale

    def times(self, right: Array) -> NDArray[Any]:
        factor = np.asarray(right, self.dtype)
        if self._scaled:
            factor = factor * self._column_scale[:, None]
        product = in_row_chunks(self._X, factor)
        return product * self._row_scale[:, None] if self._scaled else product

    def transposed_times(self, left: Array) -> NDArray[Any]:
        factor = np.asarray(left, self.dtype)
        if self._scaled:
            factor = factor * self._row_scale[:, None]
        product = in_row_chunks(self._X.T, factor)
        return product * self._column_scale[:, None] if self._scaled else product

    def squares_transposed_times(self, left: Array) -> NDArray[Any]:
        squares = DenseDocuments(self._X**2, self._row_scale**2, self._column_scale**2)
        return squares.transposed_times(left)

    def membership_step(
        self,
        memberships: Array,
        profiles: Array,
        gram: Array,
        *,
        fixed: Array | None = None,
        anchor: Array | None = None,
        pull: Array | None = None,
        normalize: bool = True,
    ) -> MembershipStep:
        old = memberships
        numerator, denominator = self.times(profiles), old @ np.asarray(gram, self.dtype)
        if pull is not None:
            weight = np.asarray(pull, self.dtype)[:, None]
            numerator = numerator + weight * (old if anchor is None else anchor)
            denominator = denominator + weight * old
        new = updated_memberships(old, numerator, denominator, normalize)
        if fixed is not None:
            new = np.where(np.asarray(fixed)[:, None], old, new)
        changed = int((new.argmax(axis=1) != old.argmax(axis=1)).sum())
        memberships[:] = new
        return MembershipStep(self.transposed_times(new), gram_of(new), changed)

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
            mixtures[rows] = normalized_rows(mixtures[rows] * (ratio @ topics))
        return TopicStep(
            word_side if words else None, log_likelihood if likelihood else float("nan")
        )

    def row_sums(self) -> NDArray[np.float64]:
        sums = (self._X @ self._column_scale.astype(np.float64)) * self._row_scale
        return np.asarray(sums, np.float64)

    def row_norms(self) -> NDArray[np.float64]:
        weights = self._column_scale.astype(np.float64) ** 2
        squares = np.einsum("ij,ij,j->i", self._X, self._X, weights)
        return np.asarray(np.sqrt(squares) * np.abs(self._row_scale), np.float64)

    def column_sums(self) -> NDArray[np.float64]:
        sums = (self._row_scale.astype(np.float64) @ self._X) * self._column_scale
        return np.asarray(sums, np.float64)

    def squared_norm(self) -> float:
        return float((self.row_norms() ** 2).sum())

    def scaled(self, rows: Array | None = None, columns: Array | None = None) -> DenseDocuments:
        row_scale, column_scale = self._row_scale, self._column_scale
        if rows is not None:
            row_scale = (row_scale * rows).astype(self.dtype)
        if columns is not None:
            column_scale = (column_scale * columns).astype(self.dtype)
        return DenseDocuments(self._X, row_scale, column_scale)

    def take_rows(self, rows: NDArray[np.intp]) -> DenseDocuments:
        return DenseDocuments(self._X[rows], self._row_scale[rows], self._column_scale)

    def row_blocks(self, size: int) -> Iterator[DenseDocuments]:
        for start in range(0, self.shape[0], size):
            rows = slice(start, start + size)
            yield DenseDocuments(self._X[rows], self._row_scale[rows], self._column_scale)
