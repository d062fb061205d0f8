"""Sums over blocks in the order of a binary tree over the block numbers.

The leaves of the tree are the blocks. Node ``(level, i)`` covers the blocks from ``i * 2**level``
to ``(i + 1) * 2**level - 1``, as far as they exist. Its value is the sum of its two children, or
that of the left child if the right one covers no block. Whoever has some of the blocks adds up the
subtrees that are complete, and only siblings are ever joined. So the result has the same bits for
any distribution of the blocks over workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

__all__ = ["COMBINE", "Parts", "add", "leaves", "merge", "total"]

#: Values of nodes of the tree, by level and number.
Parts = dict[tuple[int, int], Any]


def add(left: Any, right: Any) -> Any:
    """The sum of two values: arrays, numbers, None, or tuples of them."""
    return _combined(np.add, left, right)


def _largest(left: Any, right: Any) -> Any:
    return _combined(np.maximum, left, right)


def _smallest(left: Any, right: Any) -> Any:
    return _combined(np.minimum, left, right)


def _combined(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if left is None:
        return None
    if isinstance(left, tuple):
        return tuple(_combined(function, *pair) for pair in zip(left, right, strict=True))
    if isinstance(left, np.ndarray) and left.flags.writeable and left.dtype == right.dtype:
        # Large sums are parts of nothing else; new memory would take longer than the addition.
        return function(left, right, out=left)  # type: ignore[call-arg]
    return function(left, right)


#: Functions that join two siblings, by name.
COMBINE: Mapping[str, Callable[[Any, Any], Any]] = {
    "sum": add,
    "max": _largest,
    "min": _smallest,
}


def leaves(values: Mapping[int, Any]) -> Parts:
    """The values of single blocks, by block number, as parts of the tree."""
    return {(0, number): value for number, value in values.items()}


def merge(parts: Iterable[Parts], n_blocks: int, combine: str = "sum") -> Parts:
    """Join siblings as far as possible."""
    function = COMBINE[combine]
    joined: Parts = {}
    for part in parts:
        joined.update(part)
    for level in range(_height(n_blocks)):
        for number in sorted(i for at, i in joined if at == level):
            if number % 2:
                continue
            if (number + 1) << level >= n_blocks:  # there is no right sibling
                joined[level + 1, number // 2] = joined.pop((level, number))
            elif (level, number + 1) in joined:
                left, right = joined.pop((level, number)), joined.pop((level, number + 1))
                joined[level + 1, number // 2] = function(left, right)
    return joined


def total(parts: Iterable[Parts], n_blocks: int, combine: str = "sum") -> Any:
    """The value of the root; the parts cover all blocks."""
    joined = merge(parts, n_blocks, combine)
    (value,) = joined.values()
    return value


def _height(n_blocks: int) -> int:
    return max(0, n_blocks - 1).bit_length()
