"""A sparse matrix in the memory of the device, by rows, and its products with the transpose.

Columns are numbered by falling frequency. The factors that belong to frequent columns are then
next to each other and stay in the cache, and neighboring columns have about the same length.
``panels`` makes copies that are ordered by column, in segments. ``upload`` copies large arrays from
the memory of the CPU.

A product with the transpose is summed over the segments. A factor is summed in slices of a few
columns. Every panel has sums of its own, which are then added in the order of the panels.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from mmap import mmap
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.gpu.kernels import get_kernel, index_type, launch, real_type
from isthmus.matrices.gpu.panels import PADDING, Panels, make_panels, panel_bytes, slice_size
from isthmus.matrices.protocols import Array

# Up to this many columns, a column number has 16 bits.
_SHORT_COLUMNS = 2**16
_COUNTING_THREADS = 2**20
# Entries of a row per thread; the number of threads is rounded up to a power of two.
_ENTRIES_PER_LANE = 12
_ENTRIES_AT_ONCE = 2**26
_BLOCK = 256
# Locking the memory of smaller arrays is not worth it.
_MIN_BYTES = 2**23
# Two fits may copy the same array: one must not unlock the memory that the other one reads.
_one_at_a_time = threading.Lock()
MAX_NARROW = 4
"""Factors with more columns are wide: several lanes read one of their rows."""
MAX_SUM_BYTES = 2**28
"""Limit on the memory of the sums of all panels."""
_THREADS, _ADDING_THREADS = 1024, 128


@dataclass(frozen=True)
class ColumnOrder:
    """The columns by falling frequency."""

    terms: Any
    """The term at every position."""
    positions: Any
    """The position of every term."""
    counts: Any
    """Entries at every position, in the first part of the matrix."""


class DeviceMatrix:
    """CSR arrays on the device; the panels are made when a product needs them."""

    def __init__(self, data: Any, indices: Any, indptr: Any, order: ColumnOrder) -> None:
        self._panels: dict[bool, tuple[Panels, ...]] = {}
        self.data, self.indices, self.indptr, self.order = data, indices, indptr, order
        self.shape = (len(indptr) - 1, len(order.terms))
        self.dtype: np.dtype[Any] = data.dtype

    @classmethod
    def from_host(cls, X: Any, start: int, stop: int) -> DeviceMatrix:
        """Copy the rows ``[start, stop)`` of a canonical SciPy matrix to the device."""
        first, last = int(X.indptr[start]), int(X.indptr[stop])
        n_entries, n_columns = last - first, X.shape[1]
        indptr = cupy.asarray(X.indptr[start : stop + 1].astype(np.int64) - first)
        data = cupy.zeros(n_entries + PADDING, X.dtype)
        upload(X.data[first:last], data[:n_entries])
        indices = cupy.zeros(n_entries + PADDING, _index_type(n_columns))
        order: ColumnOrder | None = None
        for begin in range(0, n_entries, _ENTRIES_AT_ONCE):
            end = min(begin + _ENTRIES_AT_ONCE, n_entries)
            part = cupy.empty(end - begin, X.indices.dtype)
            upload(X.indices[first + begin : first + end], part)
            # The first part decides on the order of the columns: any is right, this one is fast.
            order = order or _column_order(part, n_columns)
            indices[begin:end] = order.positions[part]
        if order is None:
            order = _column_order(cupy.zeros(0, np.int32), n_columns)
        return cls(data, indices, indptr, order)

    @staticmethod
    def bytes_on_device(n_entries: int, n_rows: int, n_columns: int, dtype: Any) -> int:
        """Return the bytes that a matrix needs with its panels, while they are made."""
        per_entry = np.dtype(dtype).itemsize + np.dtype(_index_type(n_columns)).itemsize
        rows = n_entries * per_entry + 8 * n_rows + 4 * min(n_entries, _ENTRIES_AT_ONCE)
        return int(rows + panel_bytes(n_entries, n_rows, n_columns, dtype))

    @property
    def n_entries(self) -> int:
        """Number of entries of these rows."""
        return int(self._first_and_last[1] - self._first_and_last[0])

    @cached_property
    def _first_and_last(self) -> NDArray[np.int64]:
        return cupy.asnumpy(self.indptr[[0, -1]])

    @cached_property
    def lanes(self) -> int:
        """Threads that share a row: most rows then take one or two steps of four entries."""
        mean = self.n_entries / max(1, self.shape[0])
        return int(min(32, max(2, 2 ** int(np.ceil(np.log2(max(mean, 1) / _ENTRIES_PER_LANE))))))

    def definitions(self, width: int) -> dict[str, Any]:
        """Macros of the kernels that read rows."""
        index = index_type(self.indices.dtype)
        return {"REAL": real_type(self.dtype), "INDEX": index, "WIDTH": width}

    def rows_between(self, start: int, stop: int) -> DeviceMatrix:
        """Return consecutive rows as a view."""
        pointers = self.indptr[start : stop + 1]
        return DeviceMatrix(self.data, self.indices, pointers, self.order)

    def take_rows(self, rows: NDArray[np.intp]) -> DeviceMatrix:
        """Return a copy of some rows."""
        numbers = cupy.asarray(rows)
        begins = cupy.ascontiguousarray(self.indptr[:-1][numbers])
        lengths = self.indptr[1:][numbers] - begins
        indptr = cupy.concatenate([cupy.zeros(1, np.int64), cupy.cumsum(lengths)])
        n_entries = int(indptr[-1])
        data = cupy.zeros(n_entries + PADDING, self.dtype)
        indices = cupy.zeros(n_entries + PADDING, self.indices.dtype)
        copy = get_kernel("row_tools", "copy_rows", LANES=32, **self.definitions(1))
        launch(
            copy, 32 * len(rows), _BLOCK, np.int32(len(rows)), self.data, self.indices, begins,
            indptr, data, indices,
        )  # fmt: skip
        return DeviceMatrix(data, indices, indptr, self.order)

    def panels(self, *, wide: bool) -> tuple[Panels, ...]:
        """The column-ordered copy, for factors with few columns or for wide ones."""
        if wide not in self._panels:
            counts = self.order.counts * (self.n_entries / max(1, int(self.order.counts.sum())))
            self._panels[wide] = make_panels(
                self.data, self.indices, self.indptr, counts, wide=wide
            )
        return self._panels[wide]


def _index_type(n_columns: int) -> Any:
    return np.uint16 if n_columns <= _SHORT_COLUMNS else np.int32


def _column_order(columns: Any, n_columns: int) -> ColumnOrder:
    counts = cupy.zeros(n_columns, np.uint32)
    index = index_type(columns.dtype)
    kernel = get_kernel("row_tools", "count_columns", REAL="float", INDEX=index, LANES=32)
    threads = min(len(columns), _COUNTING_THREADS)
    launch(kernel, threads, _BLOCK, np.int64(len(columns)), columns, counts)
    counts = counts.astype(np.int64)
    # Every key is different, so that the order does not depend on the algorithm.
    terms = cupy.argsort(cupy.arange(n_columns) - counts * n_columns)
    positions = cupy.empty(n_columns, np.int32)
    positions[terms] = cupy.arange(n_columns, dtype=np.int32)
    return ColumnOrder(terms.astype(np.int32), positions, counts[terms])


def upload(array: NDArray[Any], target: Any) -> None:
    """Copy an array of the CPU to an array of the device with the same type."""
    array = np.ascontiguousarray(array)
    if array.nbytes < _MIN_BYTES:
        target.set(array)
        return
    with _one_at_a_time:
        is_locked = _lock_pages(array)
        try:
            target.set(array)
            # The device may read locked memory after the call.
            cupy.cuda.get_current_stream().synchronize()
        finally:
            if is_locked:
                cupy.cuda.runtime.hostUnregister(array.ctypes.data)


def _lock_pages(array: NDArray[Any]) -> bool:
    """Lock an array in memory: the device reads it several times as fast then.

    False if that is not possible. Pages of a file are not locked: they might be copied for it.
    """
    if _is_file(array):
        return False
    try:
        cupy.cuda.runtime.hostRegister(array.ctypes.data, array.nbytes, 0)
    except cupy.cuda.runtime.CUDARuntimeError:
        return False
    return True


def _is_file(array: Any) -> bool:
    while array is not None:
        if isinstance(array, np.memmap | mmap):
            return True
        array = getattr(array, "base", None)
    return False


def sum_segments(
    matrix: DeviceMatrix,
    left: Array,
    row_scale: Array,
    column_scale: Array | None,
    *,
    squared: bool = False,
) -> Array:
    """Return ``X.T @ left`` with scaled rows and columns; the entries may be squared."""
    width = left.shape[1]
    if width == 0 or 0 in matrix.shape:
        return cupy.zeros((matrix.shape[1], width), matrix.dtype)
    wide = width > MAX_NARROW
    size = slice_size(width, matrix.dtype, wide=wide)
    out = cupy.empty((matrix.shape[1], width), matrix.dtype)
    for panels in matrix.panels(wide=wide):
        slice_bytes = panels.count * panels.n_columns * size * matrix.dtype.itemsize
        # As many slices at a time as fit, or else one slice and some panels.
        step = size * max(1, MAX_SUM_BYTES // slice_bytes)
        for first in range(0, width, step):
            columns = slice(first, min(first + step, width))
            n_bytes = -(-(columns.stop - first) // size) * size * matrix.dtype.itemsize
            for group in panels.groups(n_bytes, MAX_SUM_BYTES):
                sums = _panel_sums(matrix, group, left[:, columns], row_scale, size, squared)
                _add_panels(matrix, group, sums, column_scale, out, columns)
    return out


def _panel_sums(
    matrix: DeviceMatrix, panels: Panels, left: Array, row_scale: Array, size: int, squared: bool
) -> Array:
    """Sums of all segments, for every panel and every slice."""
    dtype, in_shared = matrix.dtype, panels.in_shared_memory
    rows = slice(panels.first_row, panels.first_row + panels.count * panels.height)
    left, row_scale = left[rows], row_scale[rows]
    n_rows, width = left.shape
    n_slices = -(-width // size)
    left = aligned(left, dtype)
    if not in_shared:
        left = _in_slices(left, row_scale, size)
    sums = cupy.empty((panels.count, n_slices, panels.n_columns, size), dtype)
    shared_bytes = panels.height * size * dtype.itemsize if in_shared else 0
    kernel = get_kernel(
        "segments", "segment_sums", REAL=real_type(dtype), SLICE=size,
        PANEL=panels.height, THREADS=_THREADS, SHARED=int(in_shared), SQUARED=int(squared),
    )  # fmt: skip
    kernel.max_dynamic_shared_size_bytes = shared_bytes
    counts = (n_rows, panels.n_columns, width, panels.n_parts, n_slices)
    kernel(
        (panels.count * panels.n_parts * n_slices,),
        (_THREADS,),
        (
            *(np.int32(number) for number in counts), panels.data, panels.rows, panels.begins,
            panels.starts, panels.bounds, left, row_scale, sums,
        ),
        shared_mem=shared_bytes,
    )  # fmt: skip
    return sums


def _add_panels(
    matrix: DeviceMatrix,
    panels: Panels,
    sums: Array,
    column_scale: Array | None,
    out: Array,
    columns: slice,
) -> None:
    """Write the sums of the first panels to some columns of ``out``, or add those of later ones."""
    n_slices, size = sums.shape[1], sums.shape[3]
    kernel = get_kernel("add_panels", "add_panels", REAL=real_type(matrix.dtype))
    places = (columns.stop - columns.start, columns.start, out.shape[1], panels.first_row > 0)
    counts = (panels.count, panels.n_columns, n_slices, size, *places)
    kernel(
        (-(-panels.n_columns * size // _ADDING_THREADS), n_slices),
        (_ADDING_THREADS,),
        (
            *(np.int32(number) for number in counts), sums, matrix.order.terms[panels.columns],
            0 if column_scale is None else column_scale, out,
        ),
    )  # fmt: skip


def aligned(factor: Array, dtype: Any) -> Array:
    """A contiguous factor that begins at a multiple of 16 bytes, as vector loads require.

    A view of one row counts as contiguous wherever it begins.
    """
    factor = cupy.ascontiguousarray(factor, dtype)
    return factor.copy() if factor.data.ptr % 16 else factor


def _in_slices(left: Array, row_scale: Array, size: int) -> Array:
    """A factor, multiplied by the scales of the rows, as slices of a few columns."""
    n_rows, width = left.shape
    if width == size:
        return (left * row_scale[:, None])[None]
    n_slices = -(-width // size)
    slices = cupy.zeros((n_slices, n_rows, size), left.dtype)
    for number in range(n_slices):
        part = left[:, number * size : (number + 1) * size]
        slices[number, :, : part.shape[1]] = part * row_scale[:, None]
    return slices
