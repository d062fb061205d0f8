"""Sums over blocks in the order of a binary tree over the block numbers.

The leaves of the tree are the blocks of a matrix. Node ``(level, i)`` covers the blocks from
``i * 2**level`` to ``(i + 1) * 2**level - 1``, as far as they exist: rows of one domain are in some
of the blocks. Its value is the sum of its two children, or that of one child if the other covers no
block. Whoever has some of the blocks adds up the subtrees that are complete, and only siblings are
ever joined. So the result has the same bits for any distribution of the blocks over workers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from isthmus.matrices.arrays import read_only

__all__ = ["COMBINE", "Parts", "add", "leaves", "merge", "total", "unchanged"]

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


def unchanged(value: Any) -> Any:
    """The same value, which is not overwritten by a sum: a result of another task."""
    if isinstance(value, tuple):
        return tuple(map(unchanged, value))
    return read_only(value) if isinstance(value, np.ndarray) else value


def leaves(values: Mapping[int, Any]) -> Parts:
    """The values of single blocks, by block number, as parts of the tree."""
    return {(0, number): value for number, value in values.items()}


def merge(parts: Iterable[Parts], numbers: Sequence[int], combine: str = "sum") -> Parts:
    """Join siblings as far as possible; ``numbers`` are those of all blocks, in order."""
    function = COMBINE[combine]
    joined: Parts = {}
    for part in parts:
        joined.update(part)
    for level in range(int(numbers[-1]).bit_length()):
        for number in sorted(i for at, i in joined if at == level):
            sibling, parent = number ^ 1, (level + 1, number // 2)
            if not _covers_blocks(level, sibling, numbers):
                joined[parent] = joined.pop((level, number))
            elif number < sibling and (level, sibling) in joined:
                left, right = joined.pop((level, number)), joined.pop((level, sibling))
                joined[parent] = function(left, right)
    return joined


def _covers_blocks(level: int, number: int, numbers: Sequence[int]) -> bool:
    first = bisect_left(numbers, number << level)
    return first < len(numbers) and numbers[first] < (number + 1) << level


def total(parts: Iterable[Parts], numbers: Sequence[int], combine: str = "sum") -> Any:
    """The value of the root; the parts cover all blocks."""
    joined = merge(parts, numbers, combine)
    (value,) = joined.values()
    return value
