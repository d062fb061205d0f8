"""Products with the transpose: sums over the segments of a column-ordered copy.

A factor is summed in slices of a few columns. Every panel has sums of its own, which are then added
in the order of the panels.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from isthmus.matrices.gpu.kernels import get_kernel, real_type
from isthmus.matrices.gpu.layout import DeviceMatrix
from isthmus.matrices.gpu.panels import Panels, slice_size
from isthmus.matrices.protocols import Array

MAX_NARROW = 4
"""Factors with more columns are wide: several lanes read one of their rows."""
MAX_SUM_BYTES = 2**28
"""Limit on the memory of the sums of all panels."""
_THREADS, _ADDING_THREADS = 1024, 128


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
