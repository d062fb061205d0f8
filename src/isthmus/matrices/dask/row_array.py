"""An array with one row per document whose rows stay on the workers."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from isthmus.matrices.dask import row_functions
from isthmus.matrices.dask.expression import Layout, Node, given, operation, selected

if TYPE_CHECKING:
    from isthmus.matrices.dask.rounds import Rounds

_NOT_COLLECTED = (
    "An array with one row per document is on the workers of the Dask cluster: use engine.to_host "
    "to collect it."
)


class RowArray(NDArrayOperatorsMixin):
    """Behaves like a NumPy array; row-wise operations are recorded, sums over rows are computed.

    Operations in place change what this object refers to; slices are not views. Other operands are
    arrays with the same rows, numbers, and NumPy arrays that are broadcast over the rows.
    """

    __hash__ = object.__hash__

    def __init__(self, rounds: Rounds, node: Node) -> None:
        self._rounds, self.node = rounds, node
        rounds.remember(self)

    # Shape and type

    @property
    def layout(self) -> Layout:
        return self.node.layout

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.node.sample.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.layout.n_rows, *self.node.sample.shape[1:])

    @property
    def ndim(self) -> int:
        return int(self.node.sample.ndim)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.layout.n_rows

    def __repr__(self) -> str:
        return f"RowArray(shape={self.shape}, dtype={self.dtype}, blocks={len(self.layout)})"

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(_NOT_COLLECTED)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(_NOT_COLLECTED)

    def __bool__(self) -> bool:
        raise TypeError("The truth value of an array is ambiguous: use any() or all().")

    @property
    def T(self) -> TransposedRows:  # noqa: N802 - as in NumPy
        return TransposedRows(self)

    # Operations on rows

    def new(self, node: Node) -> RowArray:
        """An array with the same owner."""
        return RowArray(self._rounds, node)

    def applied(self, function: Any, *arguments: Any, **options: Any) -> RowArray:
        """A function of the rows of every block, of arrays like this one and of others."""
        values = [self.operand(value) for value in arguments]
        named = {name: self.operand(value) for name, value in options.items()}
        return self.new(operation(self.layout, function, *values, **named))

    def operand(self, value: Any) -> Any:
        """An operand of an operation; raises TypeError for a NumPy array with many rows."""
        if isinstance(value, RowArray):
            return value.node
        if isinstance(value, np.ndarray) and value.ndim >= self.ndim and value.shape[0] > 1:
            raise TypeError(
                "A NumPy array cannot be combined with an array on the workers row by row: use "
                "documents.asarray."
            )
        # The caller may change the array before it is used.
        return value.copy() if isinstance(value, np.ndarray) else value

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__":
            return NotImplemented
        if ufunc is np.matmul:
            left, right = inputs
            if not isinstance(left, RowArray) or isinstance(right, RowArray):
                return NotImplemented
            return left.times_small(row_functions.matmul, right)
        out = options.pop("out", None)
        result = self.applied(ufunc, *inputs, **options)
        if out is None:
            return result
        (target,) = out
        if not isinstance(target, RowArray):
            return NotImplemented
        target._replace(row_functions.assigned, result, ...)
        return target

    def __array_function__(self, function: Any, _: Any, arguments: Any, options: Any) -> Any:
        implementation = row_functions.FUNCTIONS.get(function.__name__)
        if implementation is None:
            raise TypeError(
                f"numpy.{function.__name__} is not available for arrays on the workers of a Dask "
                "cluster."
            )
        return implementation(*arguments, **options)

    def times_small(self, function: Any, small: Any) -> RowArray:
        """A product with a small matrix, whatever its number of rows."""
        return self.new(operation(self.layout, function, self.node, np.array(small)))

    def astype(self, dtype: Any, copy: bool = True, **_: Any) -> RowArray:
        if np.dtype(dtype) == self.dtype:
            return self.new(self.node)
        return self.applied(row_functions.as_type, self, np.dtype(dtype))

    def copy(self, order: str = "C") -> RowArray:
        return self.new(self.node)

    # Items

    def __getitem__(self, key: Any) -> RowArray:
        first, rest = _split_key(key)
        if isinstance(first, slice):
            chosen = self.node if first == slice(None) else selected(self.node, first)
        elif isinstance(first, np.ndarray):
            rows = np.flatnonzero(first) if first.dtype == bool else first
            chosen = selected(self.node, rows)
        else:
            raise TypeError(
                "Rows of an array on the workers are selected by a slice or by a NumPy array."
            )
        if not rest:
            return self.new(chosen)
        return self.new(operation(chosen.layout, operator.getitem, chosen, (slice(None), *rest)))

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, RowArray):
            self._replace(row_functions.assigned, value, key)
            return
        first, rest = _split_key(key)
        if isinstance(first, np.ndarray):
            mask = np.zeros(len(self), bool)
            mask[first] = True
            if rest:
                raise TypeError("Rows and columns are not assigned together.")
            marked = self.new(given(self.layout, mask))
            self._replace(row_functions.assigned, value, marked)
            return
        if first.indices(len(self)) != (0, len(self), 1):
            raise TypeError("Assign to all rows, or to those of a mask.")
        self._replace(row_functions.assigned, value, (slice(None), *rest) if rest else ...)

    def _replace(self, function: Any, value: Any, key: Any) -> None:
        """Refer to the result of an assignment from now on."""
        if key is ... and isinstance(value, RowArray):
            same = value.dtype == self.dtype and value.shape == self.shape
            if same:
                self.node = value.node
                return
        self.node = operation(
            self.layout, function, self.node, self.operand(value), self.operand(key)
        )

    # Reductions

    def sum(self, axis: int | None = None, dtype: Any = None, keepdims: bool = False) -> Any:
        if axis in (1, -1) and self.ndim == 2:
            return self.applied(row_functions.row_sums, self, dtype, keepdims)
        if axis == 0 and dtype is None and self.node.column_sums is not None:
            return self.node.column_sums.copy()
        return self._over_rows(row_functions.sums, "sum", axis, dtype, keepdims)

    def mean(self, axis: int | None = None, dtype: Any = None) -> Any:
        if axis in (1, -1) and self.ndim == 2:
            return self.applied(row_functions.row_means, self, dtype)
        count = self.size if axis is None else len(self)
        kind = np.float64 if dtype is None and self.dtype.kind in "bui" else dtype
        total = self._over_rows(row_functions.sums, "sum", axis, kind, False)
        return (total / total.dtype.type(count)) if count else total / 0

    def max(self, axis: int | None = None, keepdims: bool = False, **_: Any) -> Any:
        return self._extreme(np.max, "max", axis, keepdims)

    def min(self, axis: int | None = None, keepdims: bool = False, **_: Any) -> Any:
        return self._extreme(np.min, "min", axis, keepdims)

    def any(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self._extreme(np.any, "max", axis, keepdims)

    def all(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self._extreme(np.all, "min", axis, keepdims)

    def argmax(self, axis: int | None = None) -> RowArray:
        return self._of_rows(np.argmax, axis)

    def argmin(self, axis: int | None = None) -> RowArray:
        return self._of_rows(np.argmin, axis)

    def _of_rows(self, function: Any, axis: int | None) -> RowArray:
        if axis not in (1, -1) or self.ndim != 2:
            raise TypeError(f"{function.__name__} is available for axis=1 only.")
        return self.applied(function, self, axis=1)

    def _extreme(self, function: Any, combine: str, axis: int | None, keepdims: bool) -> Any:
        if axis in (1, -1) and self.ndim == 2:
            return self.applied(function, self, axis=1, keepdims=keepdims)
        return self._over_rows(function, combine, axis, None, keepdims)

    def _over_rows(
        self, function: Any, combine: str, axis: int | None, dtype: Any, keepdims: bool
    ) -> Any:
        options: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
        if dtype is not None:
            options["dtype"] = np.dtype(dtype)
        return self._rounds.reduce(self.node, function, combine, **options)

    def gram(self, right: RowArray) -> NDArray[Any]:
        """``self.T @ right``."""
        node = operation(self.layout, row_functions.gram_of_block, self.node, right.node)
        result: NDArray[Any] = self._rounds.reduce(node, row_functions.unchanged, "sum")
        return result


class TransposedRows:
    """The transpose of an array, for products over the rows."""

    # NumPy leaves operators to this class.
    __array_ufunc__ = None

    def __init__(self, rows: RowArray) -> None:
        self._rows = rows

    def __matmul__(self, right: RowArray) -> NDArray[Any]:
        return self._rows.gram(right)


def _split_key(key: Any) -> tuple[Any, tuple[Any, ...]]:
    """The key of the rows, and the keys of the other axes."""
    if key is Ellipsis:
        return slice(None), ()
    if isinstance(key, tuple):
        if key and key[0] is Ellipsis:
            return slice(None), key
        return key[0], key[1:]
    return key, ()
