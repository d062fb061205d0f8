"""What documents and engines share whose rows are in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from operator import call
from typing import Any, Self, TypeVar

import numpy as np

from isthmus.matrices.protocols import Array

Sums = TypeVar("Sums")


def computed_once(function: Callable[[Any], Sums]) -> Callable[[Any], Sums]:
    """Let documents keep the result of a method; NumPy arrays are read-only, as callers share them.

    Documents do not change, and what is kept is small: a number per row or term, or scales.
    """
    name = f"_{function.__name__}_once"

    @wraps(function)
    def method(documents: Any) -> Sums:
        kept = documents.__dict__
        if name not in kept:
            result = function(documents)
            if isinstance(result, np.ndarray):
                result.flags.writeable = False
            # An object that refers to itself would wait for the garbage collector.
            kept[name] = None if result is documents else result
        return documents if kept[name] is None else kept[name]

    return method


class OnePlaceDocuments:
    """Documents of one process and one device, with scales of rows and columns.

    A subclass sets ``_row_scale`` and ``_column_scale`` (None for ones), and makes documents with
    other scales in ``_with_scales``.
    """

    engine: Any
    shape: tuple[int, int]
    dtype: Any
    _row_scale: Array
    _column_scale: Array | None

    def asarray(self, values: Any, dtype: Any = None) -> Array:
        return self.engine.asarray(values, dtype)

    def full(self, value: Any, n_columns: int | None = None, dtype: Any = np.float64) -> Array:
        shape = (self.shape[0],) if n_columns is None else (self.shape[0], n_columns)
        return self.engine.xp.full(shape, value, dtype=dtype)

    def row_norms(self) -> Array:
        raise NotImplementedError  # pragma: no cover - every subclass defines it

    def _with_scales(self, rows: Array, columns: Array | None) -> Self:
        raise NotImplementedError  # pragma: no cover - every subclass that uses it defines it

    def scaled(self, rows: Array | None = None, columns: Array | None = None) -> Self:
        row_scale, column_scale = self._row_scale, self._column_scale
        if rows is not None:
            row_scale = (row_scale * rows).astype(self.dtype)
        if columns is not None:
            both = columns if column_scale is None else column_scale * columns
            column_scale = both.astype(self.dtype)
        return self._with_scales(row_scale, column_scale)

    @computed_once
    def unit_rows(self) -> Self:
        unit = self.scaled(rows=inverse_norms(self.row_norms(), self.engine.xp))
        return self if bool((unit._row_scale == self._row_scale).all()) else unit


def inverse_norms(norms: Array, xp: Any) -> Array:
    """The scale of every row that gives it unit norm; 1 for an empty row."""
    return 1 / xp.where(norms > 0, norms, 1.0)


class OnePlaceEngine:
    """An engine of one process and one device, where nothing gets lost; see :class:`Engine`."""

    #: A function is called once: there is no worker that could be lost.
    run: Any = staticmethod(call)

    def matrix(self, X: Any) -> Any:
        return X

    def release(self) -> None:
        """Nothing is kept."""

    def row_slices(self, rows: Array, size: int) -> Iterator[slice]:
        for start in range(0, len(rows), size):
            yield slice(start, start + size)
