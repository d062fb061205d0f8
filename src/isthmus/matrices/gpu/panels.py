"""Copies of a sparse matrix that are ordered by column, for products with the transpose.

The rows are cut into panels whose part of a dense factor fits into the shared memory of a block of
threads. The entries of one column in one panel are a segment. A column that would have hardly an
entry per panel is rare: its segments are as long as row numbers of 16 bits allow, and the factor is
read through the cache. Rare columns come last, because columns are ordered by frequency.

A wide factor is summed in slices of 64 bytes per row, a narrow one in slices of at most 16 bytes.
They need panels of different heights, so there are two kinds of copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import cupy
import numpy as np
from cupyx.scipy import sparse
from numpy.typing import NDArray

from isthmus.matrices.engines import EngineError
from isthmus.matrices.gpu.kernels import get_kernel, index_type, launch, real_type

PADDING = 8
"""Kernels read groups of entries, also beyond the last one."""
# A chunk of rows is sorted with numbers of 32 bits.
_MAX_CHUNK_ENTRIES = 2**31 - 1
# Bytes of one row of a slice, for narrow and for wide factors.
_SLICE_BYTES = {False: 16, True: 64}
# A column with fewer entries per panel, on average, is rare.
_MIN_SEGMENT = {False: 2, True: 16}
# Mean entries of a segment from which a block, a warp, or several lanes, share it. They make four
# kinds of segments.
_LENGTHS = {False: (6000, 128, 12), True: (10**9, 64, 24)}
# Rows of the segments of rare columns: as many as have numbers of 16 bits.
_MAX_ROWS = 2**16
# Parts of all panels per multiprocessor: enough for an even load.
_PARTS_PER_PROCESSOR = 8
# A segment takes as long as about this many entries more.
_SEGMENT_COST = 12
_BLOCK = 256


@dataclass(frozen=True)
class Panels:
    """The entries of some columns, by panel of rows, then by column, then by row."""

    height: int
    """Rows of a panel."""
    columns: slice
    """The columns, in the order of the device."""
    in_shared_memory: bool
    """Whether a slice of a factor for one panel is copied to shared memory."""
    data: Any
    rows: Any
    """Row numbers within the panel, 16 bits each."""
    begins: Any
    """The first entry of every panel."""
    starts: Any
    """The first entry of every segment, counted from the beginning of its panel."""
    bounds: Any
    """For every panel and every kind of segments, the columns at which parts begin and end."""
    first_row: int = 0
    """The first row of the first panel."""

    @property
    def count(self) -> int:
        """Number of panels."""
        return int(self.starts.shape[0])

    @property
    def n_columns(self) -> int:
        return int(self.columns.stop - self.columns.start)

    @property
    def n_parts(self) -> int:
        return int(self.bounds.shape[2]) - 1

    def groups(self, bytes_per_column: int, max_bytes: int) -> Iterator[Panels]:
        """Yield as many panels at a time that their sums need at most ``max_bytes``."""
        at_once = max(1, max_bytes // (self.n_columns * bytes_per_column))
        if at_once >= self.count:
            yield self
            return
        for first in range(0, self.count, at_once):
            part = slice(first, first + at_once)
            yield replace(
                self,
                begins=self.begins[part],
                starts=self.starts[part],
                bounds=self.bounds[part],
                first_row=first * self.height,
            )


def slice_size(width: int, dtype: Any, *, wide: bool) -> int:
    """Columns of a slice of a factor with ``width`` columns: a power of two."""
    largest = _SLICE_BYTES[wide] // np.dtype(dtype).itemsize
    return int(min(largest, 2 ** int(np.ceil(np.log2(max(1, width))))))


def panel_bytes(n_entries: int, n_rows: int, n_columns: int, dtype: Any) -> int:
    """Return the bytes of both copies, while they are made."""
    itemsize = np.dtype(dtype).itemsize
    # Entries twice, and 4 bytes per segment of frequent columns.
    per_entry = 2 * (itemsize + 2) + sum(4 / length for length in _MIN_SEGMENT.values())
    rare_segments = 2 * (n_rows / _MAX_ROWS + 1) * n_columns
    # A chunk has its keys, the sorted entries and the work space of the sort.
    chunk = n_entries * min(1, _MAX_ROWS / max(1, n_rows)) * (24 + itemsize)
    return int(n_entries * per_entry + 4 * rare_segments + chunk)


def make_panels(
    data: Any, indices: Any, indptr: Any, counts: Any, *, wide: bool
) -> tuple[Panels, ...]:
    """Copy the rows of a matrix; ``counts`` are estimated entries of the columns.

    The entries of the rows begin at ``indptr[0]``.
    """
    n_rows, n_columns = len(indptr) - 1, len(counts)
    height = _panel_height(wide)
    per_segment = cupy.asnumpy(counts) * (min(height, n_rows) / max(1, n_rows))
    # All columns of a single panel are treated alike.
    is_frequent = (per_segment >= _MIN_SEGMENT[wide]) | (n_rows <= height)
    builder = _PanelBuilder(data, indices, indptr, height, int(is_frequent.sum()), n_columns)
    builder.fill()
    return builder.panels(per_segment, _LENGTHS[wide])


class _PanelBuilder:
    """Sorts a matrix chunk by chunk; a chunk has as many rows as segments of rare columns."""

    def __init__(
        self, data: Any, indices: Any, indptr: Any, height: int, n_frequent: int, n_columns: int
    ) -> None:
        self._data, self._indices, self._indptr = data, indices, indptr
        self._height, self._n_frequent, self._n_columns = height, n_frequent, n_columns
        self._n_rows = len(indptr) - 1
        self._per_chunk = _panels_per_chunk(indptr, height)
        self._tall = self._per_chunk * height
        n_panels, n_chunks = (max(1, -(-self._n_rows // h)) for h in (height, self._tall))
        # The first entry of every chunk, and the end of the last one.
        ends = cupy.asnumpy(indptr[:: self._tall])[:n_chunks]
        self._ends = np.append(ends, cupy.asnumpy(indptr[-1:]))
        n_entries, n_rare = int(self._ends[-1] - self._ends[0]), n_columns - n_frequent
        self._sorted = cupy.zeros(n_entries + PADDING, data.dtype)
        self._rows = cupy.zeros(n_entries + PADDING, np.uint16)
        self._begins = cupy.zeros(n_panels, np.int64)
        self._starts = cupy.zeros((n_panels, n_frequent + 1), np.uint32)
        self._rare_begins = cupy.zeros(n_chunks, np.int64)
        self._rare_starts = cupy.zeros((n_chunks, n_rare + 1), np.uint32)

    def fill(self) -> None:
        """Sort all chunks."""
        for number in range(len(self._rare_begins) if self._n_rows else 0):
            self._fill_chunk(number)

    def _fill_chunk(self, number: int) -> None:
        begin, end = (int(place) for place in self._ends[number : number + 2])
        start, n_entries = begin - int(self._ends[0]), end - begin
        place = slice(start, start + n_entries)
        first = number * self._tall
        pointers = self._indptr[first : first + self._tall + 1]
        n_rows, n_frequent = len(pointers) - 1, self._n_frequent
        n_short, n_rare = -(-n_rows // self._height), self._n_columns - n_frequent
        keys = cupy.empty(n_entries, np.int32)
        launch(
            self._kernel("segment_keys"), 32 * n_rows, _BLOCK,
            *(np.int32(x) for x in (n_rows, self._height, n_frequent, n_short)),
            self._indices, pointers, keys,
        )  # fmt: skip
        block = sparse.csr_matrix((n_rows, n_short * n_frequent + n_rare), dtype=self._data.dtype)
        block.data, block.indices = self._data[begin:end], keys
        block.indptr = (pointers - begin).astype(np.int32)
        by_key = block.tocsc()
        ends = by_key.indptr
        self._sorted[place] = by_key.data
        launch(
            self._kernel("panel_rows"), n_entries, _BLOCK, np.int32(n_entries),
            np.int32(self._height), ends[n_short * n_frequent :], by_key.indices,
            self._rows[place],
        )  # fmt: skip
        panels = slice(number * self._per_chunk, number * self._per_chunk + n_short)
        firsts = cupy.arange(n_short) * n_frequent
        self._begins[panels] = start + ends[firsts]
        places = firsts[:, None] + cupy.arange(n_frequent + 1)
        self._starts[panels] = ends[places] - ends[firsts][:, None]
        rare = ends[n_short * n_frequent :]
        self._rare_begins[number] = start + rare[0]
        self._rare_starts[number] = rare - rare[0]

    def panels(self, per_segment: NDArray[Any], lengths: tuple[int, ...]) -> tuple[Panels, ...]:
        """The panels of the frequent and of the rare columns, if there are any."""
        parts = []
        frequent, rare = slice(0, self._n_frequent), slice(self._n_frequent, self._n_columns)
        if self._n_frequent:
            entries = per_segment[frequent]
            parts.append(self._part(frequent, True, entries, lengths))
        if self._n_frequent < self._n_columns:
            entries = per_segment[rare] * min(self._per_chunk, self._n_rows / self._height)
            parts.append(self._part(rare, False, entries, lengths))
        return tuple(parts)

    def _part(
        self, columns: slice, in_shared: bool, entries: NDArray[Any], lengths: tuple[int, ...]
    ) -> Panels:
        starts = self._starts if in_shared else self._rare_starts
        return Panels(
            self._height if in_shared else self._tall,
            columns,
            in_shared,
            self._sorted,
            self._rows,
            self._begins if in_shared else self._rare_begins,
            starts,
            self._part_bounds(starts, [int(np.count_nonzero(entries >= x)) for x in lengths]),
        )

    def _part_bounds(self, starts: Any, kinds: list[int]) -> Any:
        """Columns that cut every panel into parts of about the same cost.

        ``kinds`` are the columns at which another kind of segments begins.
        """
        n_panels, n_columns, n_kinds = starts.shape[0], starts.shape[1] - 1, len(kinds) + 1
        processors = int(cupy.cuda.Device().attributes["MultiProcessorCount"])
        n_parts = max(1, min(n_columns, round(_PARTS_PER_PROCESSOR * processors / n_panels)))
        bounds = cupy.empty((n_panels, n_kinds, n_parts + 1), np.int32)
        numbers = (n_panels, n_kinds, n_parts, n_columns, _SEGMENT_COST)
        launch(
            self._kernel("part_bounds"), bounds.size, _BLOCK, *(np.int32(x) for x in numbers),
            cupy.asarray(np.array([0, *kinds, n_columns], np.int32)), starts, bounds,
        )  # fmt: skip
        return bounds

    def _kernel(self, function: str) -> Any:
        index = index_type(self._indices.dtype)
        return get_kernel("panels", function, REAL=real_type(self._data.dtype), INDEX=index)


def _panels_per_chunk(indptr: Any, height: int) -> int:
    """Panels that are sorted together: as many rows as have numbers of 16 bits."""
    ends = np.append(cupy.asnumpy(indptr[::height]), cupy.asnumpy(indptr[-1:]))
    count = max(1, _MAX_ROWS // height)
    while count and np.diff(np.append(ends[::count], ends[-1:])).max() > _MAX_CHUNK_ENTRIES:
        count //= 2
    if not count:
        raise EngineError(
            f"The documents are too long for the GPU: {height:,} of them have more than "
            f"{_MAX_CHUNK_ENTRIES:,} non-zeros. Set engine='cpu'."
        )
    return count


def _panel_height(wide: bool) -> int:
    """Rows of a panel whose slice of a factor fits into the shared memory of one block."""
    shared = int(cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"])
    narrow = min(_MAX_ROWS, max(1, (shared - 2048) // (1024 * _SLICE_BYTES[False])) * 1024)
    return narrow * _SLICE_BYTES[False] // _SLICE_BYTES[wide]
