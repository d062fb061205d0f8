"""Blocks of rows, and the sequence of blocks that an array with one row per document has."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Block", "Home", "Layout", "Selection", "select_rows"]


@dataclass(eq=False)
class Home:
    """The worker that holds a block and everything that is computed from it."""

    worker: str | None = None


@dataclass(frozen=True)
class Block:
    """Some rows of documents. Arrays with the same blocks have the same rows."""

    key: Hashable
    n_rows: int = field(compare=False)
    home: Home = field(compare=False)
    number: int = field(compare=False)
    """Its number in the matrix that it comes from."""


class Layout:
    """The blocks of an array, in the order of its rows."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = tuple(blocks)

    def __len__(self) -> int:
        return len(self.blocks)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Layout) and self.blocks == other.blocks)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """The first row of every block, and the number of rows at the end."""
        return np.concatenate([[0], np.cumsum([block.n_rows for block in self.blocks])]).astype(
            np.intp
        )

    @property
    def n_rows(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the blocks for the order of sums, in increasing order.

        Rows that were joined in another order than that of their matrix have new numbers.
        """
        numbers = tuple(block.number for block in self.blocks)
        is_increasing = all(left < right for left, right in pairwise(numbers))
        return numbers if is_increasing else tuple(range(len(numbers)))

    def groups(self) -> list[tuple[str | None, list[int]]]:
        """Workers with the positions of their blocks."""
        by_worker: dict[str | None, list[int]] = {}
        for position, block in enumerate(self.blocks):
            by_worker.setdefault(block.home.worker, []).append(position)
        return list(by_worker.items())


@dataclass(frozen=True)
class Selection:
    """Some rows of a block of another layout; all rows if ``rows`` is None."""

    position: int
    rows: NDArray[np.intp] | None
    n_rows: int


def select_rows(layout: Layout, rows: slice | NDArray[np.intp]) -> tuple[Layout, list[Selection]]:
    """The layout of some rows in increasing order, and what each of its blocks consists of."""
    if isinstance(rows, slice):
        start, stop, step = rows.indices(layout.n_rows)
        if step != 1:
            raise ValueError("Rows of distributed arrays are selected in steps of 1.")
        bounds = np.clip(layout.starts, start, max(start, stop))
        numbers = None
    else:
        numbers = np.asarray(rows, np.intp)
        if len(numbers) > 1 and not (np.diff(numbers) > 0).all():
            raise ValueError("Rows of distributed arrays are selected in increasing order.")
        bounds = np.searchsorted(numbers, layout.starts)
    blocks, pieces = [], []
    for position, block in enumerate(layout.blocks):
        first, last = int(bounds[position]), int(bounds[position + 1])
        n_rows = last - first
        if n_rows == 0:
            continue
        begin = int(layout.starts[position])
        if n_rows == block.n_rows:
            blocks.append(block)
            pieces.append(Selection(position, None, n_rows))
            continue
        local = np.arange(first, last) - begin if numbers is None else numbers[first:last] - begin
        key = (block.key, blake2b(local.tobytes(), digest_size=12).hexdigest())
        blocks.append(Block(key, n_rows, block.home, block.number))
        pieces.append(Selection(position, local, n_rows))
    if not blocks:  # no row at all: an empty block keeps the type and the columns
        first_block = layout.blocks[0]
        empty = np.empty(0, np.intp)
        blocks.append(Block((first_block.key, "none"), 0, first_block.home, first_block.number))
        pieces.append(Selection(0, empty, 0))
    return Layout(blocks), pieces
