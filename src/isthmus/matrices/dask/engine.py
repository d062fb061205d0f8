"""The engine of a Dask cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from isthmus._warnings import warn_user
from isthmus.matrices.dask import row_functions
from isthmus.matrices.dask.cluster import (
    MAX_RESTARTS,
    WorkerLostError,
    repeated,
    too_many_losses,
)
from isthmus.matrices.dask.documents import DaskDocuments
from isthmus.matrices.dask.matrix import DistributedMatrix
from isthmus.matrices.dask.rounds import Rounds
from isthmus.matrices.dask.row_array import RowArray
from isthmus.matrices.host import HostEngine
from isthmus.matrices.protocols import Array, Result

# Seconds before a restart, in which the scheduler notices what else was lost.
_PAUSE = 0.5


class DaskEngine(HostEngine):
    """Rows on the workers of a client; arrays with one row per term are NumPy arrays.

    What has one row per term is computed on the client, by the engine of the CPU.
    """

    name = "dask"

    def __init__(self, client: Any) -> None:
        self.client = client
        self.rounds = Rounds(client)
        self._matrices: WeakSet[DistributedMatrix] = WeakSet()

    def documents(self, X: Any, rows: slice | NDArray[np.intp] | None = None) -> Any:
        matrix = self.matrix(X)
        self.rounds.expect(matrix.nnz if matrix._facts is not None else 0)
        return DaskDocuments(self, matrix if rows is None else matrix.take_rows(rows))

    def matrix(self, X: Any) -> DistributedMatrix:
        matrix = X
        if not isinstance(X, DistributedMatrix):
            matrix = repeated(self.client, lambda: DistributedMatrix.from_matrix(X, self.client))
        self._matrices.add(matrix)
        return matrix

    def run(self, function: Callable[[], Result]) -> Result:
        for restart in range(MAX_RESTARTS + 1):
            try:
                if restart:
                    time.sleep(_PAUSE)
                    self._restore()
                return function()
            except WorkerLostError as error:
                if restart == MAX_RESTARTS:
                    raise too_many_losses(error) from error
                warn_user(
                    "A worker of the Dask cluster was lost, so the fit starts again from its "
                    "beginning."
                )
        raise AssertionError  # pragma: no cover - the loop returns or raises

    def _restore(self) -> None:
        """Make the blocks of all matrices again."""
        self.rounds.forget()
        for matrix in list(self._matrices):
            matrix.restore()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Name the tasks of the rounds inside a ``with`` statement."""
        before, self.rounds.stage = self.rounds.stage, name
        try:
            yield
        finally:
            self.rounds.stage = before

    def asarray(self, array: Any, dtype: Any = None) -> Any:
        if isinstance(array, RowArray):
            return array if dtype is None else array.astype(dtype)
        return super().asarray(array, dtype)

    def row_slices(self, rows: Array, size: int) -> Iterator[slice]:
        if isinstance(rows, RowArray):
            yield slice(None)
            return
        yield from super().row_slices(rows, size)

    def to_host(self, array: Array) -> NDArray[Any]:
        if isinstance(array, RowArray):
            with self.stage("collect"):
                return self.rounds.collect(array.node)
        return super().to_host(array)

    def own_copy(self, factor: Array) -> Any:
        return factor.copy() if isinstance(factor, RowArray) else super().own_copy(factor)

    def multiplied(self, factor: Array, numerator: Array, denominator: Array) -> Any:
        if isinstance(factor, RowArray):
            return factor.applied(_multiplied, factor, numerator, denominator)
        return super().multiplied(factor, numerator, denominator)

    def gram(self, left: Array, right: Array) -> NDArray[Any]:
        if isinstance(left, RowArray):
            with self.stage("gram"):
                return left.gram(right)
        return super().gram(left, right)

    def product(self, rows: Array, small: NDArray[Any]) -> Any:
        if isinstance(rows, RowArray):
            return rows.times_small(row_functions.product, small)
        return super().product(rows, small)

    def normalized_rows(self, factor: Array) -> Any:
        if isinstance(factor, RowArray):
            return factor.applied(_normalized_rows, factor)
        return super().normalized_rows(factor)


_HOST = HostEngine()


def _multiplied(factor: Any, numerator: Any, denominator: Any) -> NDArray[Any]:
    return _HOST.multiplied(factor, numerator, denominator)


def _normalized_rows(factor: Any) -> NDArray[Any]:
    return _HOST.normalized_rows(factor)
