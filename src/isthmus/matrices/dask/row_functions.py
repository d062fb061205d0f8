"""Functions of NumPy for arrays with one row per document, and what they do with a block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.dask.expression import joined
from isthmus.matrices.host import HostEngine

_HOST = HostEngine()

# What the workers do with the rows of a block


def matmul(rows: NDArray[Any], small: NDArray[Any]) -> NDArray[Any]:
    return rows @ small


def product(rows: NDArray[Any], small: NDArray[Any]) -> NDArray[Any]:
    """``rows @ small`` in the dtype of the rows."""
    return rows @ np.asarray(small, rows.dtype)


def as_type(rows: NDArray[Any], dtype: Any) -> NDArray[Any]:
    return rows.astype(dtype)


def assigned(rows: NDArray[Any], value: Any, key: Any) -> NDArray[Any]:
    """A copy with other values."""
    changed = rows.copy()
    changed[key] = value
    return changed


def row_sums(rows: NDArray[Any], dtype: Any, keepdims: bool) -> NDArray[Any]:
    return np.asarray(rows.sum(axis=1, dtype=dtype, keepdims=keepdims))


def row_means(rows: NDArray[Any], dtype: Any) -> NDArray[Any]:
    return np.asarray(rows.mean(axis=1, dtype=dtype))


def sums(rows: NDArray[Any], **options: Any) -> Any:
    return np.sum(rows, **options)


def unchanged(value: Any) -> Any:
    return value


def item(values: tuple[Any, ...], number: int) -> Any:
    return values[number]


def gram_of_block(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    return _HOST.gram(left, right)


def filled(like: NDArray[Any], value: Any, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    return np.full((len(like), *shape), value, dtype)


# Functions of NumPy that get such an array


def _first(values: Any) -> Any:
    """The first array on the workers."""
    from isthmus.matrices.dask.row_array import RowArray

    return next(value for value in values if isinstance(value, RowArray))


def _where(condition: Any, x: Any, y: Any) -> Any:
    return _first((condition, x, y)).applied(np.where, condition, x, y)


def _concatenate(arrays: Any, axis: int = 0) -> Any:
    first = _first(arrays)
    if axis == 0:
        return first.new(joined([array.node for array in arrays]))
    nodes = [first.operand(array) for array in arrays]
    return first.applied(_side_by_side, *map(first.new, nodes))


def _side_by_side(*parts: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate(parts, axis=1)


def _full_like(rows: Any, value: Any, dtype: Any = None, shape: Any = None, **_: Any) -> Any:
    if shape is None:
        shape = rows.shape
    if shape[0] != len(rows):
        raise TypeError("An array like one on the workers has as many rows.")
    kind = rows.dtype if dtype is None else np.dtype(dtype)
    return rows.applied(filled, rows, value, tuple(shape[1:]), kind)


def _zeros_like(rows: Any, dtype: Any = None, shape: Any = None, **_: Any) -> Any:
    return _full_like(rows, 0, dtype, shape)


def _ones_like(rows: Any, dtype: Any = None, shape: Any = None, **_: Any) -> Any:
    return _full_like(rows, 1, dtype, shape)


def _take_along_axis(rows: Any, indices: Any, axis: int = -1) -> Any:
    if axis not in (1, -1):
        raise TypeError("take_along_axis is available for axis=1 only.")
    return rows.applied(np.take_along_axis, rows, indices, axis=1)


def _count_nonzero(rows: Any, axis: int | None = None, **_: Any) -> Any:
    return (rows != 0).sum(axis=axis)


def _method(name: str) -> Callable[..., Any]:
    def call(rows: Any, *arguments: Any, **options: Any) -> Any:
        return getattr(rows, name)(*arguments, **options)

    return call


def _clip(rows: Any, low: Any = None, high: Any = None, **_: Any) -> Any:
    return rows.applied(np.clip, rows, low, high)


#: Implementations by the name of the function.
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "where": _where,
    "concatenate": _concatenate,
    "full_like": _full_like,
    "zeros_like": _zeros_like,
    "empty_like": _zeros_like,
    "ones_like": _ones_like,
    "take_along_axis": _take_along_axis,
    "count_nonzero": _count_nonzero,
    "clip": _clip,
    **{
        name: _method(method)
        for name, method in (
            *((name, name) for name in ("sum", "mean", "any", "all", "argmax", "argmin", "copy")),
            *(("max", "max"), ("amax", "max"), ("min", "min"), ("amin", "min")),
        )
    },
}
