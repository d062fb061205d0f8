"""Arrays with one row per document, for engines that hold all rows of an array together."""

from __future__ import annotations

from typing import Any

import numpy as np

from isthmus.matrices.protocols import Array

__all__ = ["RowValues"]


class RowValues:
    """The part of the protocol ``Documents`` that makes arrays with one row per document."""

    engine: Any
    shape: tuple[int, int]

    def asarray(self, values: Any, dtype: Any = None) -> Array:
        return self.engine.asarray(values, dtype)

    def full(self, value: Any, n_columns: int | None = None, dtype: Any = np.float64) -> Array:
        shape = (self.shape[0],) if n_columns is None else (self.shape[0], n_columns)
        return self.engine.xp.full(shape, value, dtype=dtype)
