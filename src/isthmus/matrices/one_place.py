"""What all engines share whose rows are in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from isthmus.matrices.protocols import Array, Result

__all__ = ["OnePlaceEngine"]


class OnePlaceEngine:
    """An engine of one process and one device, where nothing gets lost; see :class:`Engine`."""

    def matrix(self, X: Any) -> Any:
        return X

    def run(self, function: Callable[[], Result]) -> Result:
        return function()

    def row_slices(self, rows: Array, size: int) -> Iterator[slice]:
        for start in range(0, len(rows), size):
            yield slice(start, start + size)
