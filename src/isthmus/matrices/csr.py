"""Documents as a SciPy CSR matrix in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels import csr as kernels
from isthmus.matrices.chunks import (
    Range,
    add_up,
    chunk_count,
    cut_by_nonzeros,
    run_chunks,
)
from isthmus.matrices.protocols import Array, MembershipStep, TopicStep


class CsrDocuments:
    """Rows of a CSR matrix with a scale for every row and column held beside them.

    The arrays are borrowed, never written to. ``indptr`` may begin above zero, which makes a
    block of consecutive rows a view.
    """

    def __init__(
        self,
        data: NDArray[Any],
        indices: NDArray[Any],
        indptr: NDArray[Any],
        n_terms: int,
        row_scale: NDArray[Any] | None = None,
        column_scale: NDArray[Any] | None = None,
    ) -> None:
        self._data, self._indices, self._indptr = data, indices, indptr
        self.shape = (len(indptr) - 1, n_terms)
        self.dtype = data.dtype
        n_rows = self.shape[0]
        self._row_scale = np.ones(n_rows, self.dtype) if row_scale is None else row_scale
        self._column_scale = column_scale

    @classmethod
    def from_scipy(cls, X: Any, start: int = 0, stop: int | None = None) -> CsrDocuments:
        """Borrow the rows ``[start, stop)`` of a canonical CSR matrix."""
        stop = X.shape[0] if stop is None else stop
        return cls(X.data, X.indices, X.indptr[start : stop + 1], X.shape[1])

    @property
    def _nonzeros(self) -> int:
        return int(self._indptr[-1]) - int(self._indptr[0])

    @property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self._data, self._indices, self._indptr, self._row_scale

    @cached_property
    def _dense_column_scale(self) -> NDArray[Any]:
        scale = self._column_scale
        return np.ones(self.shape[1], self.dtype) if scale is None else scale

    def _with_columns(self, right: NDArray[Any]) -> NDArray[Any]:
        # Scaling the few columns of the other side once is cheaper than a look-up per non-zero.
        if self._column_scale is None:
            return right
        return right * self._column_scale[:, None]

    def _factor(self, array: Array) -> NDArray[Any]:
        return np.ascontiguousarray(array, self.dtype)

    def _accumulate(
        self, n_columns: int, kernel: Callable[[NDArray[Any], Range], Any]
    ) -> tuple[NDArray[Any], list[Any]]:
        """Run a kernel over chunks of rows, each with an m x n_columns accumulator of its own."""
        n_terms, itemsize = self.shape[1], self.dtype.itemsize
        chunks = chunk_count(
            self._nonzeros * n_columns,
            accumulator_bytes=n_terms * n_columns * itemsize,
            matrix_bytes=self._nonzeros * (itemsize + self._indices.itemsize),
        )
        ranges = cut_by_nonzeros(self._indptr, chunks)

        def run(_: int, rows: Range) -> tuple[NDArray[Any], Any]:
            accumulator = np.zeros((n_terms, n_columns), self.dtype)
            return accumulator, kernel(accumulator, rows)

        parts = run_chunks(run, ranges)
        if not parts:  # no row at all
            return np.zeros((n_terms, n_columns), self.dtype), []
        return add_up([part for part, _ in parts]), [value for _, value in parts]

    def times(self, right: Array) -> NDArray[Any]:
        factor = self._with_columns(self._factor(right))
        out = np.empty((self.shape[0], factor.shape[1]), self.dtype)
        ranges = cut_by_nonzeros(self._indptr, chunk_count(self._nonzeros * factor.shape[1]))
        run_chunks(lambda _, rows: kernels.times(*self._arrays, factor, out, *rows), ranges)
        return out

    def transposed_times(self, left: Array) -> NDArray[Any]:
        factor = self._factor(left)
        product, _ = self._accumulate(
            factor.shape[1],
            lambda accumulator, rows: kernels.scatter(*self._arrays, factor, accumulator, *rows),
        )
        return self._with_columns(product)

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
        old = self._factor(memberships)
        right = self._with_columns(self._factor(profiles))
        gram = self._factor(gram)
        n_rows = self.shape[0]
        fixed = np.zeros(n_rows, np.bool_) if fixed is None else fixed
        pull = np.zeros(n_rows, self.dtype) if pull is None else self._factor(pull)
        anchor = old if anchor is None else self._factor(anchor)
        out = np.empty_like(old)
        products, _ = self._accumulate(
            old.shape[1],
            lambda accumulator, rows: kernels.membership_rows(
                *self._arrays,
                right,
                gram,
                old,
                anchor,
                pull,
                fixed,
                normalise,
                out,
                accumulator,
                *rows,
            ),
        )
        return MembershipStep(out, self._with_columns(products))

    def topic_step(self, mixtures: Array, topics: Array) -> TopicStep:
        mixtures, topics = self._factor(mixtures), self._factor(topics)
        out = np.empty_like(mixtures)
        plain = np.ones(self.shape[0], self.dtype)

        def step(accumulator: NDArray[Any], rows: Range) -> float:
            start, stop = rows
            first, last = self._indptr[start], self._indptr[stop]
            ratios = np.empty(last - first, self.dtype)
            log_likelihood = kernels.topic_ratios(
                *self._arrays, self._dense_column_scale, mixtures, topics, ratios, *rows
            )
            part = (ratios, self._indices[first:last], self._indptr - first, plain)
            kernels.times(*part, topics, out, *rows)
            kernels.scatter(*part, mixtures, accumulator, *rows)
            return float(log_likelihood)

        word_side, likelihoods = self._accumulate(topics.shape[1], step)
        return TopicStep(out, word_side, sum(likelihoods))

    @cached_property
    def _moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        sums, squares = np.empty(self.shape[0]), np.empty(self.shape[0])
        kernels.row_moments(
            *self._arrays, self._dense_column_scale, sums, squares, 0, self.shape[0]
        )
        return sums, squares

    def row_sums(self) -> NDArray[np.float64]:
        return self._moments[0]

    def row_norms(self) -> NDArray[np.float64]:
        return np.sqrt(self._moments[1])

    def column_sums(self) -> NDArray[np.float64]:
        ones = np.ones((self.shape[0], 1), self.dtype)
        return self.transposed_times(ones)[:, 0].astype(np.float64)

    def squared_norm(self) -> float:
        return float(self._moments[1].sum())

    def scaled(self, rows: Array | None = None, columns: Array | None = None) -> CsrDocuments:
        row_scale, column_scale = self._row_scale, self._column_scale
        if rows is not None:
            row_scale = (row_scale * rows).astype(self.dtype)
        if columns is not None:
            column_scale = (self._dense_column_scale * columns).astype(self.dtype)
        return CsrDocuments(
            self._data, self._indices, self._indptr, self.shape[1], row_scale, column_scale
        )

    def row_blocks(self, size: int) -> Iterator[CsrDocuments]:
        for start in range(0, self.shape[0], size):
            stop = min(start + size, self.shape[0])
            yield CsrDocuments(
                self._data,
                self._indices,
                self._indptr[start : stop + 1],
                self.shape[1],
                self._row_scale[start:stop],
                self._column_scale,
            )
