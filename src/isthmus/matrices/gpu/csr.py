"""Documents as a sparse matrix in the memory of the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import cupy
import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.gpu.kernels import get_kernel, launch, launch_persistent, real_type
from isthmus.matrices.gpu.layout import (
    MAX_NARROW,
    MAX_SUM_BYTES,
    DeviceMatrix,
    aligned,
    sum_segments,
)
from isthmus.matrices.one_place import OnePlaceDocuments, computed_once
from isthmus.matrices.protocols import PLAIN_STEP, Array, MembershipStep, StepOptions, TopicStep

if TYPE_CHECKING:
    from isthmus.matrices.gpu.engine import GpuEngine

_BLOCK = 128
# Columns that the lanes of the wide kernel read at a time, and columns per lane.
_WIDE_PARTS, _VECTOR = (8, 16, 32, 64, 128), 4
# Wider memberships are updated by array expressions.
_MAX_UPDATE_WIDTH = 64
# Threads of a block of each kernel, as measured on an H200.
_ROW_THREADS, _WIDE_THREADS, _UPDATE_THREADS = 512, 384, 256


class GpuCsrDocuments(OnePlaceDocuments):
    """Rows of a sparse matrix on the device, with separate scales of rows and columns."""

    def __init__(
        self,
        engine: GpuEngine,
        matrix: DeviceMatrix,
        row_scale: Array | None = None,
        column_scale: Array | None = None,
    ) -> None:
        self.engine, self._matrix = engine, matrix
        self.shape, self.dtype = matrix.shape, matrix.dtype
        if row_scale is None:
            row_scale = cupy.ones(self.shape[0], self.dtype)
        self._row_scale, self._column_scale = row_scale, column_scale

    def times(self, right: Array) -> Array:
        width = right.shape[1]
        out = cupy.empty((self.shape[0], width), self.dtype)
        if 0 in out.shape:
            return out
        if width <= MAX_NARROW:
            self._pass_rows("times_rows", right, out)
        else:
            self._times_wide(right, out)
        return out

    def _pass_rows(self, function: str, factor: Array, *arguments: Any) -> None:
        """Run a kernel for factors with few columns over all rows."""
        width, matrix = factor.shape[1], self._matrix
        kernel = get_kernel(
            "rows", function, LANES=matrix.lanes, THREADS=_ROW_THREADS,
            **matrix.definitions(width),
        )  # fmt: skip
        launch_persistent(
            kernel, (-(-self.shape[0] // _ROW_THREADS), 1), _ROW_THREADS, *self._rows,
            self._table(factor, width), *arguments,
        )  # fmt: skip

    def _times_wide(self, factor: Array, out: Array) -> None:
        """Write the product with a factor with many columns."""
        width, matrix = factor.shape[1], self._matrix
        part, padded = _padded_width(width)
        lanes = part // _VECTOR
        kernel = get_kernel(
            "wide_rows", "times_wide_rows", LANES=lanes, VECTOR=_VECTOR, THREADS=_WIDE_THREADS,
            **matrix.definitions(padded),
        )  # fmt: skip
        blocks = (-(-self.shape[0] * lanes // _WIDE_THREADS), padded // part)
        launch_persistent(
            kernel, blocks, _WIDE_THREADS, *self._rows, self._table(factor, padded),
            np.int32(width), out,
        )  # fmt: skip

    @property
    def _rows(self) -> tuple[Any, ...]:
        matrix = self._matrix
        return np.int32(self.shape[0]), matrix.data, matrix.indices, matrix.indptr, self._row_scale

    def _table(self, factor: Array, padded: int) -> Array:
        """A factor in the order of the device's columns, multiplied by their scales.

        Columns of zeros are added up to ``padded``.
        """
        factor = cupy.ascontiguousarray(factor, self.dtype)
        n_terms, width = factor.shape
        out = cupy.empty((n_terms, padded), self.dtype)
        kernel = get_kernel("row_tools", "gather_table", LANES=32, **self._matrix.definitions(1))
        launch(
            kernel, out.size, _BLOCK, *(np.int32(x) for x in (n_terms, width, padded)), factor,
            self._matrix.order.terms, self._column_scale, out,
        )  # fmt: skip
        return out

    def transposed_times(self, left: Array) -> Array:
        return sum_segments(self._matrix, left, self._row_scale, self._column_scale)

    def squares_transposed_times(self, left: Array) -> Array:
        column_scale = None if self._column_scale is None else self._column_scale**2
        return sum_segments(self._matrix, left, self._row_scale**2, column_scale, squared=True)

    def membership_step(
        self,
        memberships: Array,
        profiles: Array,
        gram: NDArray[Any],
        options: StepOptions = PLAIN_STEP,
    ) -> MembershipStep:
        changed = self.queue_update(memberships, profiles, gram, options)
        products = self.transposed_times(memberships)
        new_gram = self.engine.precise_gram(memberships)
        # Reading the counter waits for the device, so it comes last.
        return MembershipStep(products, new_gram, int(changed))

    def queue_update(
        self, memberships: Array, profiles: Array, gram: NDArray[Any], options: StepOptions
    ) -> Array:
        """Update the memberships in place; returns the number of changed rows, on the device."""
        _check_layout(memberships, self.dtype)
        width, counter = memberships.shape[1], cupy.zeros((), np.int32)
        if width > _MAX_UPDATE_WIDTH:
            moved = self.engine.updated_memberships(
                memberships, self.times(profiles), gram, options
            )
            counter[...] = (moved.argmax(axis=1) != memberships.argmax(axis=1)).sum()
            memberships[...] = moved
            return counter
        if 0 in memberships.shape:
            return counter
        is_narrow = width <= MAX_NARROW
        padded = np.zeros((width if is_narrow else _padded_width(width)[1],) * 2, self.dtype)
        padded[:width, :width] = gram
        limits = np.finfo(self.dtype)
        arguments = (
            cupy.asarray(padded),
            memberships,
            None if options.anchor is None else aligned(options.anchor, self.dtype),
            None if options.pull is None else cupy.ascontiguousarray(options.pull, self.dtype),
            None if options.fixed is None else cupy.ascontiguousarray(options.fixed, np.bool_),
            np.int32(options.normalize),
            self.dtype.type(limits.tiny),
            self.dtype.type(np.sqrt(limits.tiny)),
            counter,
        )
        if is_narrow:
            self._pass_rows("membership_rows", profiles, *arguments)
        else:
            self._update_wide(self.times(profiles), *arguments)
        return counter

    def _update_wide(self, products: Array, *arguments: Any) -> None:
        """Update memberships with many columns, given ``X @ profiles``."""
        n_rows, width = products.shape
        lanes = _padded_width(width)[1] // _VECTOR
        kernel = get_kernel(
            "memberships", "membership_update", REAL=real_type(self.dtype), LANES=lanes,
            VECTOR=_VECTOR, THREADS=_UPDATE_THREADS,
        )  # fmt: skip
        blocks = (-(-n_rows * lanes // _UPDATE_THREADS), 1)
        launch_persistent(
            kernel, blocks, _UPDATE_THREADS, np.int32(n_rows), np.int32(width), products, *arguments
        )

    def topic_step(
        self, mixtures: Array, topics: Array, *, words: bool = True, likelihood: bool = True
    ) -> TopicStep:
        _check_layout(mixtures, self.dtype)
        width = topics.shape[1]
        registers = -(-width // 32)
        # The column scales are part of the documents here, not of the topics.
        table = cupy.ascontiguousarray(cupy.asarray(topics, self.dtype)[self._matrix.order.terms])
        column_scale = None
        if self._column_scale is not None:
            column_scale = self._column_scale[self._matrix.order.terms]
        word_side = self._word_side(mixtures, table, column_scale, registers) if words else None
        updated = cupy.empty_like(mixtures)
        parts = cupy.zeros(self.shape[0]) if likelihood else None
        kernel = get_kernel(
            "topics", "topic_rows", REGISTERS=registers, PANEL=1, **self._matrix.definitions(width)
        )
        if self.shape[0]:
            launch(
                kernel, 32 * self.shape[0], _BLOCK, *self._rows, column_scale, table, mixtures,
                updated, parts, self.dtype.type(np.sqrt(np.finfo(self.dtype).tiny)),
            )  # fmt: skip
        mixtures[...] = updated
        return TopicStep(word_side, float(parts.sum()) if parts is not None else float("nan"))

    def _word_side(
        self, mixtures: Array, table: Array, column_scale: Array | None, registers: int
    ) -> Array:
        width = table.shape[1]
        out = cupy.empty(table.shape, self.dtype)
        for panels in self._matrix.panels(wide=False):
            columns, n_columns = panels.columns, panels.n_columns
            kernel = get_kernel(
                "topics", "topic_segments", REGISTERS=registers, PANEL=panels.height,
                **self._matrix.definitions(width),
            )  # fmt: skip
            scale = None if column_scale is None else column_scale[columns]
            at_once = max(1, MAX_SUM_BYTES // (n_columns * width * self.dtype.itemsize))
            total = cupy.zeros((n_columns, width))
            for first in range(0, panels.count, at_once):
                count = min(at_once, panels.count - first)
                partial = cupy.empty((count, n_columns, width), self.dtype)
                launch(
                    kernel, 32 * count * n_columns, _BLOCK, np.int32(n_columns), np.int32(first),
                    np.int32(count), panels.data, panels.rows, panels.begins, panels.starts,
                    self._row_scale, scale, table[columns], mixtures, partial,
                )  # fmt: skip
                total += partial.sum(axis=0, dtype=np.float64)
            out[self._matrix.order.terms[columns]] = total
        return out

    @cached_property
    def _moments(self) -> tuple[Array, Array]:
        sums, squares = cupy.zeros(self.shape[0]), cupy.zeros(self.shape[0])
        scale = self._column_scale
        if scale is not None:
            scale = scale[self._matrix.order.terms]
        lanes = self._matrix.lanes
        kernel = get_kernel("row_tools", "row_moments", LANES=lanes, **self._matrix.definitions(1))
        if self.shape[0]:
            launch(kernel, lanes * self.shape[0], _BLOCK, *self._rows, scale, sums, squares)
        return sums, squares

    def row_sums(self) -> Array:
        return self._moments[0]

    @computed_once
    def row_norms(self) -> Array:
        return cupy.sqrt(self._moments[1])

    @computed_once
    def column_sums(self) -> Array:
        ones = cupy.ones((self.shape[0], 1), self.dtype)
        return self.transposed_times(ones)[:, 0].astype(np.float64)

    def squared_norm(self) -> float:
        return float(self._moments[1].sum())

    def _with_scales(self, rows: Array, columns: Array | None) -> GpuCsrDocuments:
        return GpuCsrDocuments(self.engine, self._matrix, rows, columns)

    def take_rows(self, rows: NDArray[np.intp]) -> GpuCsrDocuments:
        return GpuCsrDocuments(
            self.engine,
            self._matrix.take_rows(rows),
            self._row_scale[cupy.asarray(rows)],
            self._column_scale,
        )

    def row_blocks(self, size: int) -> Iterator[GpuCsrDocuments]:
        for start in range(0, self.shape[0], size):
            stop = min(start + size, self.shape[0])
            yield GpuCsrDocuments(
                self.engine,
                self._matrix.rows_between(start, stop),
                self._row_scale[start:stop],
                self._column_scale,
            )


def _check_layout(factor: Array, dtype: Any) -> None:
    """Raise ValueError unless kernels can update the factor in place."""
    # Rows are read in vectors of up to 16 bytes that fill them.
    row_bytes = factor.shape[1] * factor.dtype.itemsize
    is_aligned = factor.data.ptr % min(16, row_bytes & -row_bytes or 1) == 0
    if factor.dtype != dtype or not factor.flags.c_contiguous or not is_aligned:
        raise ValueError(
            f"A factor of type {factor.dtype} cannot be updated in place: it must be a contiguous, "
            f"aligned array of type {dtype}."
        )


def _padded_width(width: int) -> tuple[int, int]:
    """Columns that are read at a time, and the width rounded up to a multiple of them."""
    part = next((p for p in _WIDE_PARTS if p >= width), _WIDE_PARTS[-1])
    return part, -(-width // part) * part
