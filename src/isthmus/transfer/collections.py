"""Texts and labels in collections of Dask: bags, and columns of data frames."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["collected", "is_collection", "partitions_of"]


def is_collection(values: Any) -> bool:
    """Return whether values are a collection of Dask; Dask need not be installed."""
    if "dask" not in sys.modules or not hasattr(values, "to_delayed"):
        return False
    from dask.base import is_dask_collection

    return bool(is_dask_collection(values))


def partitions_of(texts: Any, client: Any) -> list[Any]:
    """Return a future of every partition, which has texts."""
    return list(client.compute(list(_as_one_dimensional(texts).to_delayed())))


def collected(values: Any) -> list[Any]:
    """Return all values of a collection, such as labels, as a list."""
    return list(_as_one_dimensional(values).compute())


def _as_one_dimensional(values: Any) -> Any:
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(
            "A Dask data frame was given where texts or labels are expected: pass a column of it, "
            "as in frame['text']."
        )
    return values
