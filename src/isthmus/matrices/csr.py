"""Documents stored as a CSR matrix."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels import loops
from isthmus.kernels.dispatch import Kernel, read_only
from isthmus.matrices.host import HostEngine, symmetric
from isthmus.matrices.one_place import OnePlaceDocuments, computed_once
from isthmus.matrices.protocols import PLAIN_STEP, Array, MembershipStep, StepOptions, TopicStep
from isthmus.matrices.threads import (
    Range,
    accumulator_count,
    add_up,
    chunk_count,
    cut_by_nonzeros,
    cut_terms,
    run_all,
    thread_limit,
)

# Rows whose squared entries are computed at a time.
_SQUARED_ROWS = 20_000
# Non-zeros per block of a Kullback-Leibler step, which stores the ratios of one block at a time.
_TOPIC_BLOCK = 4_000_000
# Columns of a wide factor are multiplied in blocks of this many bytes per row, because more rows of
# a narrow factor stay in the cache: half the time per column, compared with 256 bytes per row.
_BLOCK_BYTES = 128
# Smaller factors stay in the cache anyway.
_SMALL_FACTOR_BYTES = 2 * 2**20
# From this many non-zeros on, X.T @ A is summed over ranges of rows, each with an accumulator. With
# ranges of terms, every thread looks at every row: that needs no accumulators, but the memory is
# read once per thread, so that many cores are hardly faster than two on a million documents.
_MANY_NONZEROS = 10_000_000
# Large vocabularies and wide factors have room for few accumulators, which would leave cores idle.
_MIN_ACCUMULATORS = 8
# Up to this many column numbers with 64 bits are copied to 32 bits: that is quicker than compiling
# loops for both, and the copy is smaller than the accumulators of a product may be.
_FEW_NONZEROS = 8_000_000
# With fewer non-zeros per term, copying the blocks takes longer than it saves.
_NONZEROS_PER_TERM = 16


class CsrDocuments(OnePlaceDocuments):
    """Rows of a CSR matrix, with separate scales of rows and columns.

    The arrays are not modified: they may be read-only or memory-mapped. They are not copied, except
    for a few column numbers with 64 bits. ``indptr`` may begin above zero, so that a block of
    consecutive rows is a view.
    """

    engine = HostEngine()

    def __init__(
        self,
        data: NDArray[Any],
        indices: NDArray[Any],
        indptr: NDArray[Any],
        n_terms: int,
        row_scale: NDArray[Any] | None = None,
        column_scale: NDArray[Any] | None = None,
    ) -> None:
        indptr = indptr.astype(np.int64, copy=False)
        if indices.dtype != np.int32 and _are_worth_narrowing(indptr, n_terms):
            used = slice(int(indptr[0]), int(indptr[-1]))
            data, indices = data[used], indices[used].astype(np.int32)
            indptr = indptr - indptr[0]
        self._data, self._indices = _borrowed(data), _borrowed(indices)
        self._indptr = _borrowed(indptr)
        self.shape = (len(indptr) - 1, n_terms)
        self.dtype = data.dtype
        if row_scale is None:
            row_scale = np.ones(self.shape[0], self.dtype)
        self._row_scale = read_only(row_scale)
        self._column_scale = column_scale
        self._term_ranges: dict[tuple[int, int, int], list[Range]] = {}

    @classmethod
    def from_scipy(cls, X: Any, start: int = 0, stop: int | None = None) -> CsrDocuments:
        """Return the rows ``[start, stop)`` of a canonical CSR matrix."""
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
        return read_only(np.ones(self.shape[1], self.dtype) if scale is None else scale)

    def _with_columns(self, right: NDArray[Any]) -> NDArray[Any]:
        # Scaling the rows of the dense factor once is cheaper than a look-up per non-zero.
        if self._column_scale is None:
            return right
        return right * self._column_scale[:, None]

    def _factor(self, array: Array) -> NDArray[Any]:
        return read_only(np.ascontiguousarray(array, self.dtype))

    def _loop(self, kernel: Kernel, width: int, *, repeated: bool) -> Any:
        work = self._nonzeros * max(1, width)
        types = (self.dtype, self._indices.dtype)
        return kernel.choose(width, work, *types, repeated=repeated)

    def times(self, right: Array) -> NDArray[Any]:
        blocks = self._column_blocks(right.shape[1])
        if len(blocks) == 1:
            return self._times(right)
        out = np.empty((self.shape[0], right.shape[1]), self.dtype)
        for columns in blocks:
            out[:, columns] = self._times(right[:, columns])
        return out

    def _times(self, right: Array) -> NDArray[Any]:
        factor = read_only(self._with_columns(self._factor(right)))
        width = factor.shape[1]
        out = np.empty((self.shape[0], width), self.dtype)
        loop = self._loop(loops.times, width, repeated=False)
        ranges = cut_by_nonzeros(self._indptr, chunk_count(self._nonzeros * width))
        run_all(lambda rows: loop(*self._arrays, factor, out, *rows), ranges)
        return out

    def transposed_times(self, left: Array) -> NDArray[Any]:
        blocks = self._column_blocks(left.shape[1])
        if len(blocks) == 1:
            return self._transposed_times(left)
        out = np.empty((self.shape[1], left.shape[1]), self.dtype)
        for columns in blocks:
            out[:, columns] = self._transposed_times(left[:, columns])
        return out

    def _transposed_times(self, left: Array) -> NDArray[Any]:
        factor = self._factor(left)
        width = factor.shape[1]
        out = np.zeros((self.shape[1], width), self.dtype)
        self._scatter(self._loop(loops.scattered, width, repeated=False), self._arrays, factor, out)
        return self._with_columns(out)

    def squares_transposed_times(self, left: Array) -> NDArray[Any]:
        total = np.zeros((self.shape[1], left.shape[1]), self.dtype)
        # In blocks of rows, because the squares of a block are a copy.
        for number, block in enumerate(self.row_blocks(_SQUARED_ROWS)):
            begin = number * _SQUARED_ROWS
            total += block._squared().transposed_times(left[begin : begin + _SQUARED_ROWS])
        return total

    def _squared(self) -> CsrDocuments:
        first, last = int(self._indptr[0]), int(self._indptr[-1])
        return CsrDocuments(
            self._data[first:last] ** 2,
            self._indices[first:last],
            self._indptr - first,
            self.shape[1],
            self._row_scale**2,
            None if self._column_scale is None else self._column_scale**2,
        )

    def _column_blocks(self, width: int) -> list[slice]:
        """Return the columns of a factor that are multiplied together; columns do not interact."""
        columns = _BLOCK_BYTES // self.dtype.itemsize
        factor_bytes = self.shape[1] * width * self.dtype.itemsize
        if (
            factor_bytes <= _SMALL_FACTOR_BYTES
            or self._nonzeros < _NONZEROS_PER_TERM * self.shape[1]
        ):
            return [slice(0, width)]
        return [slice(start, min(start + columns, width)) for start in range(0, width, columns)]

    def _scatter(
        self, loop: Any, arrays: tuple[NDArray[Any], ...], factor: NDArray[Any], out: NDArray[Any]
    ) -> None:
        """Add ``X.T @ factor`` to ``out`` for the rows in ``arrays``."""
        _, indices, indptr, _ = arrays
        first, last = int(indptr[0]), int(indptr[-1])
        if last - first >= _MANY_NONZEROS and loop is not loops.scattered.plain:
            n_accumulators = self._count_accumulators(indptr, out.shape[1])
            if n_accumulators >= _MIN_ACCUMULATORS:
                out += self._sum_of_row_ranges(loop, arrays, factor, n_accumulators)
                return
        chunks = chunk_count((last - first) * out.shape[1])
        if loop is loops.scattered.plain:  # the plain version always computes all terms
            chunks = 1
        elif chunks > 1:
            chunks = min(thread_limit(), chunks)
        key = (first, last, chunks)
        if key not in self._term_ranges:
            self._term_ranges[key] = cut_terms(indices[first:last], self.shape[1], chunks)
        all_rows = (0, len(indptr) - 1)
        run_all(lambda terms: loop(*arrays, factor, out, *all_rows, *terms), self._term_ranges[key])

    def _sum_of_row_ranges(
        self, loop: Any, arrays: tuple[NDArray[Any], ...], factor: NDArray[Any], n_ranges: int
    ) -> NDArray[Any]:
        """Return ``X.T @ factor`` as the sum over ranges of rows."""
        n_terms, width = self.shape[1], factor.shape[1]
        ranges = cut_by_nonzeros(arrays[2], n_ranges)

        def part(rows: Range) -> NDArray[Any]:
            sums = np.zeros((n_terms, width), self.dtype)
            loop(*arrays, factor, sums, *rows, 0, n_terms)
            return sums

        return add_up(run_all(part, ranges))

    def _count_accumulators(self, indptr: NDArray[Any], width: int) -> int:
        """Number of ranges of rows that have an array of one row per term each."""
        nonzeros = int(indptr[-1]) - int(indptr[0])
        return accumulator_count(
            2 * nonzeros * width,
            nonzeros,
            self.shape[1],
            accumulator_bytes=self.shape[1] * width * self.dtype.itemsize,
            matrix_bytes=nonzeros * (self.dtype.itemsize + self._indices.itemsize),
        )

    def membership_step(
        self, memberships: Array, profiles: Array, gram: Array, options: StepOptions = PLAIN_STEP
    ) -> MembershipStep:
        n_rows, n_terms = self.shape
        width = memberships.shape[1]
        right = read_only(self._with_columns(self._factor(profiles)))
        small = self._factor(gram)
        fixed = read_only(
            np.zeros(n_rows, np.bool_) if options.fixed is None else np.asarray(options.fixed)
        )
        weight = self._factor(np.zeros(n_rows) if options.pull is None else options.pull)
        towards = self._factor(memberships if options.anchor is None else options.anchor)
        loop = self._loop(loops.membership_rows, width, repeated=True)
        ranges = cut_by_nonzeros(self._indptr, self._count_accumulators(self._indptr, width))

        def step(rows: Range) -> tuple[NDArray[Any], NDArray[np.float64], int]:
            products = np.zeros((n_terms, width), self.dtype)
            new_gram = np.zeros((width, width))
            changed = loop(
                *self._arrays, right, small, memberships, towards, weight, fixed, options.normalize,
                products, new_gram, *rows,
            )  # fmt: skip
            return products, new_gram, changed

        parts = run_all(step, ranges or [(0, 0)])
        return MembershipStep(
            self._with_columns(add_up([part[0] for part in parts])),
            symmetric(add_up([part[1] for part in parts])),
            sum(part[2] for part in parts),
        )

    def topic_step(
        self, mixtures: Array, topics: Array, *, words: bool = True, likelihood: bool = True
    ) -> TopicStep:
        topics = self._factor(topics)
        width = topics.shape[1]
        word_side = np.zeros(topics.shape if words else (0, width), self.dtype)
        total = 0.0
        forward = self._loop(loops.topic_rows, width, repeated=True)
        backward = self._loop(loops.scattered, width, repeated=True) if words else None
        n_blocks = 1 + self._nonzeros // _TOPIC_BLOCK
        for start, stop in cut_by_nonzeros(self._indptr, n_blocks):
            ratios, updated, part = self._document_side(
                forward, mixtures, topics, start, stop, likelihood
            )
            if words:
                block = self._ratio_block(ratios, start, stop)
                self._scatter(backward, block, read_only(mixtures[start:stop]), word_side)
            mixtures[start:stop] = updated
            total += part
        return TopicStep(word_side if words else None, total if likelihood else float("nan"))

    def _document_side(
        self,
        loop: Any,
        mixtures: NDArray[Any],
        topics: NDArray[Any],
        start: int,
        stop: int,
        likelihood: bool,
    ) -> tuple[NDArray[Any], NDArray[Any], float]:
        """Return the ratios at the non-zeros of some rows, the new mixtures, the log-likelihood."""
        width = topics.shape[1]
        pointers = self._indptr[start : stop + 1]
        first, nonzeros = int(pointers[0]), int(pointers[-1] - pointers[0])
        ratios = np.empty(nonzeros, self.dtype)
        updated = np.empty((stop - start, width), self.dtype)
        mixtures = read_only(mixtures)

        def step(rows: Range) -> float:
            begin, end = start + rows[0], start + rows[1]
            inside = slice(int(self._indptr[begin]) - first, int(self._indptr[end]) - first)
            expected, part = np.empty(inside.stop - inside.start, self.dtype), ratios[inside]
            loop(
                *self._arrays, self._dense_column_scale, mixtures, topics, expected, part,
                updated[rows[0] : rows[1]], begin, end,
            )  # fmt: skip
            return _log_likelihood(part, expected) if likelihood else 0.0

        parts = run_all(step, cut_by_nonzeros(pointers, chunk_count(nonzeros * width)))
        return ratios, updated, sum(parts)

    def _ratio_block(self, ratios: NDArray[Any], start: int, stop: int) -> tuple[NDArray[Any], ...]:
        """Return the CSR arrays of some rows with ratios instead of the values."""
        first, last = int(self._indptr[start]), int(self._indptr[stop])
        return (
            read_only(ratios),
            self._indices[first:last],
            read_only(self._indptr[start : stop + 1] - first),
            read_only(np.ones(stop - start, self.dtype)),
        )

    @cached_property
    def _moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        sums, squares = np.empty(self.shape[0]), np.empty(self.shape[0])
        loop = self._loop(loops.row_moments, 0, repeated=False)
        scale = self._dense_column_scale
        run_all(
            lambda rows: loop(*self._arrays, scale, sums, squares, *rows),
            cut_by_nonzeros(self._indptr, chunk_count(self._nonzeros)),
        )
        return sums, squares

    @computed_once
    def row_sums(self) -> NDArray[np.float64]:
        return self._moments[0]

    @computed_once
    def row_norms(self) -> NDArray[np.float64]:
        return np.sqrt(self._moments[1])

    @computed_once
    def column_sums(self) -> NDArray[np.float64]:
        ones = np.ones((self.shape[0], 1), self.dtype)
        return self.transposed_times(ones)[:, 0].astype(np.float64)

    def squared_norm(self) -> float:
        return float(self._moments[1].sum())

    def _with_scales(self, rows: Array, columns: Array | None) -> CsrDocuments:
        return CsrDocuments(self._data, self._indices, self._indptr, self.shape[1], rows, columns)

    def take_rows(self, rows: NDArray[np.intp]) -> CsrDocuments:
        lengths = np.diff(self._indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        # Positions of the entries of these rows, consecutive within a row.
        entries = np.arange(indptr[-1]) + np.repeat(self._indptr[rows] - indptr[:-1], lengths)
        return CsrDocuments(
            self._data[entries],
            self._indices[entries],
            indptr,
            self.shape[1],
            self._row_scale[rows],
            self._column_scale,
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


def _borrowed(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of the caller's array, copied if it is not contiguous and aligned."""
    return read_only(np.require(array, requirements=("C_CONTIGUOUS", "ALIGNED")))


def _are_worth_narrowing(indptr: NDArray[np.int64], n_terms: int) -> bool:
    return indptr[-1] - indptr[0] <= _FEW_NONZEROS and n_terms <= np.iinfo(np.int32).max


def _log_likelihood(ratios: NDArray[Any], expected: NDArray[Any]) -> float:
    # The logarithm of NumPy is vectorized, that of a compiled loop is not.
    logarithms = np.log(expected, dtype=np.float64)
    np.multiply(logarithms, expected, out=logarithms)
    return float(np.einsum("p,p->", ratios, logarithms, dtype=np.float64))
