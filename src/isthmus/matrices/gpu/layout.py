"""A sparse matrix in the memory of the device: its rows, and a copy in panels ordered by column.

Columns are numbered by falling frequency. The factors that belong to frequent columns are then
next to each other and stay in the cache, and neighbouring columns have about the same length.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cupy
import numpy as np
from cupyx.scipy import sparse
from numpy.typing import NDArray

from isthmus.matrices.gpu.kernels import get_kernel, launch, real_type

# Kernels read groups of entries, also beyond the last one.
_PADDING = 8
# Up to this many columns, a column number has 16 bits.
_SHORT_COLUMNS = 2**16
# Entries that are counted to estimate how frequent the columns are.
_SAMPLE = 4_000_000
# Bytes of one row of a slice in shared memory.
SLICE_BYTES = 16
# With fewer entries per segment, panels are as tall as 16-bit row numbers allow, and the factor is
# read from global memory.
_MIN_SEGMENT = 2
_TALL_PANEL = 2**16
# Mean entries of a segment from which a block, a warp, or eight lanes, share it.
_HUGE, _LONG, _MEDIUM = 6000, 128, 12
# Parts of all panels per multiprocessor: enough for an even load.
_PARTS_PER_PROCESSOR = 8
# A segment takes as long as about so many entries more.
_SEGMENT_COST = 6
# Entries of a row per thread; the number of threads is rounded up to a power of two.
_ENTRIES_PER_LANE = 12
_ENTRIES_AT_ONCE = 2**26
_BLOCK = 256


@dataclass(frozen=True)
class ColumnOrder:
    """The columns by falling frequency."""

    terms: Any
    """The term at every position."""
    positions: Any
    """The position of every term."""
    counts: Any
    """Estimated entries at every position."""


@dataclass(frozen=True)
class Panels:
    """The entries by panel of rows, then by column, then by row."""

    height: int
    """Rows of a panel."""
    in_shared_memory: bool
    """Whether the rows of a factor for one panel fit into shared memory."""
    data: Any
    rows: Any
    """Row numbers within the panel, 16 bits each."""
    begins: Any
    """The first entry of every panel."""
    starts: Any
    """The first entry of every segment, counted from the beginning of its panel."""
    bounds: Any
    """Columns at which the parts of every panel begin and end."""
    n_huge: int
    """Number of columns whose segments get a block."""
    n_long: int
    """Number of columns whose segments get at least a warp."""
    n_medium: int
    """Number of columns whose segments get at least eight lanes."""

    @property
    def count(self) -> int:
        """Number of panels."""
        return int(self.starts.shape[0])

    @property
    def n_parts(self) -> int:
        return int(self.bounds.shape[1]) - 1


class DeviceMatrix:
    """CSR arrays on the device; the panels are made when a product needs them."""

    def __init__(self, data: Any, indices: Any, indptr: Any, order: ColumnOrder) -> None:
        self.data, self.indices, self.indptr, self.order = data, indices, indptr, order
        self.shape = (len(indptr) - 1, len(order.terms))
        self.dtype: np.dtype[Any] = data.dtype

    @classmethod
    def from_host(cls, X: Any, start: int, stop: int) -> DeviceMatrix:
        """Copy the rows ``[start, stop)`` of a canonical SciPy matrix to the device."""
        first, last = int(X.indptr[start]), int(X.indptr[stop])
        n_entries, n_columns = last - first, X.shape[1]
        indptr = cupy.asarray(X.indptr[start : stop + 1].astype(np.int64) - first)
        data = cupy.zeros(n_entries + _PADDING, X.dtype)
        data[:n_entries].set(np.ascontiguousarray(X.data[first:last]))
        indices = cupy.zeros(n_entries + _PADDING, _index_type(n_columns))
        order: ColumnOrder | None = None
        for begin in range(0, n_entries, _ENTRIES_AT_ONCE):
            end = min(begin + _ENTRIES_AT_ONCE, n_entries)
            part = cupy.asarray(np.ascontiguousarray(X.indices[first + begin : first + end]))
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
        panels = np.dtype(dtype).itemsize + 2
        return int(n_entries * (per_entry + panels) + 8 * n_rows + 4 * _ENTRIES_AT_ONCE)

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
        index = "unsigned short" if self.indices.dtype == np.uint16 else "int"
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
        data = cupy.zeros(n_entries + _PADDING, self.dtype)
        indices = cupy.zeros(n_entries + _PADDING, self.indices.dtype)
        copy = get_kernel("rows", "copy_rows", LANES=32, **self.definitions(1))
        launch(
            copy, 32 * len(rows), _BLOCK, np.int32(len(rows)), self.data, self.indices, begins,
            indptr, data, indices,
        )  # fmt: skip
        return DeviceMatrix(data, indices, indptr, self.order)

    @cached_property
    def panels(self) -> Panels:
        """The column-ordered copy."""
        n_rows, n_columns = self.shape
        height = _panel_height()
        n_panels = max(1, -(-n_rows // height))
        in_shared = self.n_entries >= _MIN_SEGMENT * n_panels * n_columns or n_panels == 1
        if not in_shared:
            height = _TALL_PANEL
            n_panels = max(1, -(-n_rows // height))
        data = cupy.zeros(self.n_entries + _PADDING, self.dtype)
        rows = cupy.zeros(self.n_entries + _PADDING, np.uint16)
        starts = cupy.zeros((n_panels, n_columns + 1), np.uint32)
        pointers = cupy.asnumpy(self.indptr[::height]) if n_rows else np.zeros(1, np.int64)
        ends = np.append(pointers[:n_panels], self._first_and_last[1]) - self._first_and_last[0]
        for number in range(n_panels):
            self._fill_panel(number, height, ends, data, rows, starts)
        per_segment = self.order.counts * (self.n_entries / max(1, int(self.order.counts.sum())))
        per_segment = cupy.asnumpy(per_segment) / n_panels
        return Panels(
            height,
            bool(in_shared),
            data,
            rows,
            cupy.asarray(ends[:-1]),
            starts,
            _part_bounds(starts),
            *(int(np.count_nonzero(per_segment >= size)) for size in (_HUGE, _LONG, _MEDIUM)),
        )

    def _fill_panel(
        self, number: int, height: int, ends: NDArray[np.int64], data: Any, rows: Any, starts: Any
    ) -> None:
        begin, end = number * height, min((number + 1) * height, self.shape[0])
        offset = int(self._first_and_last[0])
        entries = slice(offset + int(ends[number]), offset + int(ends[number + 1]))
        pointers = self.indptr[begin : end + 1] - entries.start
        block = sparse.csr_matrix((end - begin, self.shape[1]), dtype=self.dtype)
        block.data = self.data[entries]
        block.indices = self.indices[entries].astype(np.int32)
        block.indptr = pointers.astype(np.int32)
        by_column = block.tocsc()
        place = slice(int(ends[number]), int(ends[number + 1]))
        data[place] = by_column.data
        rows[place] = by_column.indices
        starts[number] = by_column.indptr


def _index_type(n_columns: int) -> Any:
    return np.uint16 if n_columns <= _SHORT_COLUMNS else np.int32


def _column_order(columns: Any, n_columns: int) -> ColumnOrder:
    step = max(1, len(columns) // _SAMPLE)
    counts = cupy.bincount(columns[::step], minlength=n_columns) * step
    # Every key is different, so that the order does not depend on the algorithm.
    terms = cupy.argsort(cupy.arange(n_columns) - counts * n_columns)
    positions = cupy.empty(n_columns, np.int32)
    positions[terms] = cupy.arange(n_columns, dtype=np.int32)
    return ColumnOrder(terms.astype(np.int32), positions, counts[terms])


def _panel_height() -> int:
    """Rows of a panel whose slice of a factor fits into the shared memory of one block."""
    shared = int(cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"])
    return min(_TALL_PANEL, max(1, (shared - 2048) // (1024 * SLICE_BYTES)) * 1024)


def _part_bounds(starts: Any) -> Any:
    """Columns that cut every panel into parts of about the same cost."""
    n_panels, n_columns = starts.shape[0], starts.shape[1] - 1
    processors = int(cupy.cuda.Device().attributes["MultiProcessorCount"])
    n_parts = max(1, min(n_columns, -(-_PARTS_PER_PROCESSOR * processors // n_panels)))
    numbers = cupy.arange(n_columns + 1, dtype=np.int64) * _SEGMENT_COST
    shares = cupy.arange(n_parts + 1) / n_parts
    bounds = cupy.empty((n_panels, n_parts + 1), np.int32)
    for panel in range(n_panels):
        cost = starts[panel].astype(np.int64) + numbers
        bounds[panel] = cupy.searchsorted(cost, shares * cost[-1])
    bounds[:, 0], bounds[:, -1] = 0, n_columns
    return bounds
