"""Documents as a sparse matrix in the memory of the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import cupy
import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.gpu.kernels import get_kernel, launch, real_type
from isthmus.matrices.gpu.layout import SLICE_BYTES, DeviceMatrix, Panels
from isthmus.matrices.protocols import Array, MembershipStep, TopicStep

if TYPE_CHECKING:
    from isthmus.matrices.gpu.engine import GpuEngine

_BLOCK = 128
# Factors with more columns have a kernel of their own, in which a warp shares a row.
_MAX_NARROW = 8
# Columns that the lanes of the wide kernel read at a time, and columns per lane.
_WIDE_PARTS, _VECTOR = (16, 32, 64, 128), 4
# Memberships with more columns do not fit into the registers of a thread.
_MAX_UPDATE_WIDTH = 64
# Threads of a block that adds up segments.
_SEGMENT_THREADS = 1024
# Limit on the memory of the sums of all panels.
_PARTIAL_BYTES = 2**28


class GpuCsrDocuments:
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
        if width == 0:
            return cupy.zeros((self.shape[0], 0), self.dtype)
        if width > _MAX_NARROW:
            return self._times_wide(right)
        out = cupy.empty((self.shape[0], width), self.dtype)
        self._launch_rows("times_rows", width, self._table(right), out)
        return out

    def _times_wide(self, right: Array) -> Array:
        width = right.shape[1]
        part = next((p for p in _WIDE_PARTS if p >= width), _WIDE_PARTS[-1])
        padded = -(-width // part) * part
        table = self._table(right)
        if padded != width:
            table = cupy.pad(table, ((0, 0), (0, padded - width)))
        out = cupy.empty((self.shape[0], padded), self.dtype)
        kernel = get_kernel(
            "wide_rows", "times_wide_rows", LANES=part // _VECTOR, VECTOR=_VECTOR,
            **self._matrix.definitions(padded),
        )  # fmt: skip
        n_rows = self.shape[0]
        if n_rows:
            blocks = -(-32 * n_rows // _BLOCK)
            kernel((blocks, padded // part), (_BLOCK,), (*self._rows, table, out))
        return out if padded == width else cupy.ascontiguousarray(out[:, :width])

    @property
    def _rows(self) -> tuple[Any, ...]:
        matrix = self._matrix
        return np.int32(self.shape[0]), matrix.data, matrix.indices, matrix.indptr, self._row_scale

    def _launch_rows(self, function: str, width: int, *arguments: Any) -> None:
        """Run a kernel over the rows with a few threads per row."""
        lanes = self._matrix.lanes
        kernel = get_kernel("rows", function, LANES=lanes, **self._matrix.definitions(width))
        if self.shape[0]:
            launch(kernel, lanes * self.shape[0], _BLOCK, *self._rows, *arguments)

    def _table(self, factor: Array) -> Array:
        """A factor with one row per column of the device's order, multiplied by their scales."""
        factor = cupy.asarray(factor, self.dtype)
        if self._column_scale is not None:
            factor = factor * self._column_scale[:, None]
        return cupy.ascontiguousarray(factor[self._matrix.order.terms])

    def transposed_times(self, left: Array) -> Array:
        return self._sum_segments(left, squared=False)

    def squares_transposed_times(self, left: Array) -> Array:
        return self._sum_segments(left, squared=True)

    def _sum_segments(self, left: Array, *, squared: bool) -> Array:
        panels, width = self._matrix.panels, left.shape[1]
        out = cupy.zeros((self.shape[1], width), self.dtype)
        if width == 0 or 0 in self.shape:
            return out
        largest = SLICE_BYTES // self.dtype.itemsize
        size = next(size for size in (1, 2, 4) if size >= min(width, largest))
        row_scale, column_scale = self._row_scale, self._column_scale
        if squared:
            row_scale = row_scale**2
            column_scale = None if column_scale is None else column_scale**2
        n_slices = -(-width // size)
        slice_bytes = panels.count * self.shape[1] * size * self.dtype.itemsize
        at_once = max(1, min(n_slices, _PARTIAL_BYTES // slice_bytes))
        for first in range(0, n_slices, at_once):
            columns = slice(first * size, min((first + at_once) * size, width))
            partial = self._panel_sums(panels, left[:, columns], row_scale, size, squared)
            self._add_panels(panels, partial, out, columns, size, column_scale)
        return out

    def _panel_sums(
        self, panels: Panels, left: Array, row_scale: Array, size: int, squared: bool
    ) -> Array:
        """Sums of all segments, for every panel and every slice of a few columns."""
        n_rows, n_columns = self.shape
        width = left.shape[1]
        n_slices = -(-width // size)
        left = _aligned(left, self.dtype)
        if not panels.in_shared_memory:
            left = _in_slices(left, row_scale, size)
        partial = cupy.empty((panels.count, n_slices, n_columns, size), self.dtype)
        shared_bytes = panels.height * size * self.dtype.itemsize if panels.in_shared_memory else 0
        kernel = get_kernel(
            "segments", "segment_sums", REAL=real_type(self.dtype), INDEX="int", WIDTH=1,
            SLICE=size, SHARED=int(panels.in_shared_memory), SQUARED=int(squared),
            PANEL=panels.height, THREADS=_SEGMENT_THREADS,
        )  # fmt: skip
        kernel.max_dynamic_shared_size_bytes = shared_bytes
        sizes = (panels.n_huge, panels.n_long, panels.n_medium)
        counts = (n_rows, n_columns, width, panels.n_parts, n_slices, *sizes)
        kernel(
            (panels.count * panels.n_parts * n_slices,),
            (_SEGMENT_THREADS,),
            (
                *(np.int32(number) for number in counts), panels.data, panels.rows, panels.begins,
                panels.starts, panels.bounds, left, row_scale, partial,
            ),
            shared_mem=shared_bytes,
        )  # fmt: skip
        return partial

    def _add_panels(
        self,
        panels: Panels,
        partial: Array,
        out: Array,
        columns: slice,
        size: int,
        column_scale: Array | None,
    ) -> None:
        width, n_columns = columns.stop - columns.start, self.shape[1]
        kernel = get_kernel(
            "segments", "add_panels", REAL=real_type(self.dtype), INDEX="int", WIDTH=1, SLICE=size,
            SHARED=0, SQUARED=0, PANEL=panels.height, THREADS=_SEGMENT_THREADS,
        )  # fmt: skip
        n_slices = partial.shape[1]
        sums = cupy.empty((n_columns, width), self.dtype)
        kernel(
            (-(-n_columns * size // _BLOCK), n_slices),
            (_BLOCK,),
            (
                *(np.int32(number) for number in (panels.count, n_columns, n_slices, width)),
                partial, self._matrix.order.terms,
                0 if column_scale is None else column_scale, sums,
            ),
        )  # fmt: skip
        out[:, columns] = sums

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
        changed = self.queue_update(memberships, profiles, gram, fixed, anchor, pull, normalize)
        products = self.transposed_times(memberships)
        new_gram = self.engine.precise_gram(memberships)
        # Reading the counter waits for the device, so it comes last.
        return MembershipStep(products, new_gram, int(changed))

    def queue_update(
        self,
        memberships: Array,
        profiles: Array,
        gram: NDArray[Any],
        fixed: Array | None,
        anchor: Array | None,
        pull: Array | None,
        normalize: bool,
    ) -> Array:
        """Update the memberships in place; returns the number of changed rows, on the device."""
        _check_layout(memberships, self.dtype)
        width, counter = memberships.shape[1], cupy.zeros((), np.int32)
        limits = np.finfo(self.dtype)
        arguments = (
            cupy.asarray(np.ascontiguousarray(gram), self.dtype),
            memberships,
            None if anchor is None else _aligned(anchor, self.dtype),
            None if pull is None else cupy.ascontiguousarray(pull, self.dtype),
            None if fixed is None else cupy.ascontiguousarray(fixed, np.bool_),
            np.int32(normalize),
            self.dtype.type(limits.tiny),
            self.dtype.type(np.sqrt(limits.tiny)),
            counter,
        )
        if width <= _MAX_NARROW:
            self._launch_rows("membership_rows", width, self._table(profiles), *arguments)
        elif width <= _MAX_UPDATE_WIDTH:
            kernel = get_kernel(
                "rows", "membership_update", LANES=1, **self._matrix.definitions(width)
            )
            products = self.times(profiles)
            if self.shape[0]:
                launch(kernel, self.shape[0], 128, np.int32(self.shape[0]), products, *arguments)
        else:
            moved = self.engine.updated_memberships(
                memberships, self.times(profiles), gram, fixed, anchor, pull, normalize
            )
            counter[...] = (moved.argmax(axis=1) != memberships.argmax(axis=1)).sum()
            memberships[...] = moved
        return counter

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
        panels, (n_columns, width) = self._matrix.panels, table.shape
        kernel = get_kernel(
            "topics", "topic_segments", REGISTERS=registers, PANEL=panels.height,
            **self._matrix.definitions(width),
        )  # fmt: skip
        at_once = max(1, _PARTIAL_BYTES // (n_columns * width * self.dtype.itemsize))
        total = cupy.zeros((n_columns, width))
        for first in range(0, panels.count, at_once):
            count = min(at_once, panels.count - first)
            partial = cupy.empty((count, n_columns, width), self.dtype)
            launch(
                kernel, 32 * count * n_columns, _BLOCK, np.int32(n_columns), np.int32(first),
                np.int32(count), panels.data, panels.rows, panels.begins, panels.starts,
                self._row_scale, column_scale, table, mixtures, partial,
            )  # fmt: skip
            total += partial.sum(axis=0, dtype=np.float64)
        out = cupy.empty((n_columns, width), self.dtype)
        out[self._matrix.order.terms] = total
        return out

    @cached_property
    def _moments(self) -> tuple[Array, Array]:
        sums, squares = cupy.zeros(self.shape[0]), cupy.zeros(self.shape[0])
        scale = self._column_scale
        if scale is not None:
            scale = scale[self._matrix.order.terms]
        self._launch_rows("row_moments", 1, scale, sums, squares)
        return sums, squares

    def row_sums(self) -> Array:
        return self._moments[0]

    def row_norms(self) -> Array:
        return cupy.sqrt(self._moments[1])

    def column_sums(self) -> Array:
        ones = cupy.ones((self.shape[0], 1), self.dtype)
        return self.transposed_times(ones)[:, 0].astype(np.float64)

    def squared_norm(self) -> float:
        return float(self._moments[1].sum())

    def scaled(self, rows: Array | None = None, columns: Array | None = None) -> GpuCsrDocuments:
        row_scale, column_scale = self._row_scale, self._column_scale
        if rows is not None:
            row_scale = (row_scale * rows).astype(self.dtype)
        if columns is not None:
            both = columns if column_scale is None else column_scale * columns
            column_scale = both.astype(self.dtype)
        return GpuCsrDocuments(self.engine, self._matrix, row_scale, column_scale)

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


def _aligned(factor: Array, dtype: Any) -> Array:
    """A contiguous factor that begins at a multiple of 16 bytes, as vector loads require.

    A view of one row counts as contiguous wherever it begins.
    """
    factor = cupy.ascontiguousarray(factor, dtype)
    return factor.copy() if factor.data.ptr % 16 else factor


def _check_layout(factor: Array, dtype: Any) -> None:
    """Raise ValueError unless kernels can update the factor in place."""
    # Rows of whole vectors are read as vectors.
    is_aligned = factor.shape[1] % _VECTOR or factor.data.ptr % 16 == 0
    if factor.dtype != dtype or not factor.flags.c_contiguous or not is_aligned:
        raise ValueError(
            f"A factor of type {factor.dtype} cannot be updated in place: it must be a contiguous, "
            f"aligned array of type {dtype}."
        )


def _in_slices(left: Array, row_scale: Array, size: int) -> Array:
    """A factor, multiplied by the scales of the rows, as slices of a few columns."""
    n_rows, width = left.shape
    n_slices = -(-width // size)
    slices = cupy.zeros((n_slices, n_rows, size), left.dtype)
    for number in range(n_slices):
        part = left[:, number * size : (number + 1) * size]
        slices[number, :, : part.shape[1]] = part * row_scale[:, None]
    return slices
