"""Names in sentences."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import Any

__all__ = ["first_few"]

FEW = 5


def first_few(names: Collection[Any]) -> str:
    """Quote the first names and say how many more there are.

    >>> first_few(["a", "b"])
    "'a', 'b'"
    >>> first_few(range(9))
    "'0', '1', '2', '3', '4' and 4 more"
    """
    shown = ", ".join(f"'{name}'" for name in islice(names, FEW))
    return shown if len(names) <= FEW else f"{shown} and {len(names) - FEW} more"
