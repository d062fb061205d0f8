"""Arrays with one row per document: their blocks of rows, and what is to be computed with them.

A layout is the sequence of blocks that such an array has. A node is an operation on the rows of
every block. Its type and its columns are found by computing it with 0 rows. Nothing else is
computed before a sum over rows is needed (see ``rounds``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray


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


@dataclass(frozen=True)
class Place:
    """Where the value of one block is: the result of a task, and the way to it in there."""

    future: Any
    path: tuple[int, ...] = ()


class Shared:
    """An array with one row per term that is sent to the workers once; it must not be changed."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self.future: Any = None


class Node:
    """Values of all blocks of a layout: computed already, given by the client, or an operation."""

    def __init__(self, layout: Layout, sample: Any) -> None:
        self.layout = layout
        self.sample = sample
        """The value for 0 rows."""
        self.function: Callable[..., Any] | None = None
        self.arguments: tuple[Any, ...] = ()
        self.options: dict[str, Any] = {}
        self.pieces: list[tuple[Node, Selection]] | None = None
        """For a selection or a concatenation: a node and its block, for every block."""
        self.given: NDArray[Any] | None = None
        """All rows, if the client has them."""
        self.places: list[Place] | None = None
        """Where the value of every block is, if it was computed."""
        self.column_sums: Any = None
        """``sum(axis=0)``, if a task has computed it in passing."""

    @property
    def is_pending(self) -> bool:
        return self.places is None

    @property
    def inputs(self) -> list[Node]:
        """The nodes that an operation reads; they have the same layout."""
        values = (*self.arguments, *self.options.values())
        return [value for value in values if isinstance(value, Node)]

    def keep(self, places: Sequence[Place]) -> None:
        """The value was computed: forget how."""
        self.places = list(places)
        self.function, self.arguments, self.options = None, (), {}
        self.pieces, self.given = None, None


def _sample_of(value: Any) -> Any:
    if isinstance(value, Shared):
        return value.array
    return value.sample if isinstance(value, Node) else value


def operation(
    layout: Layout, function: Callable[..., Any], *arguments: Any, **options: Any
) -> Node:
    """A function of the rows of every block; arguments may be nodes, numbers and arrays."""
    for value in (*arguments, *options.values()):
        if isinstance(value, Node) and value.layout != layout:
            raise ValueError("Arrays with the rows of different documents cannot be combined.")
    with np.errstate(all="ignore"):
        sample = function(
            *(_sample_of(value) for value in arguments),
            **{name: _sample_of(value) for name, value in options.items()},
        )
    node = Node(layout, sample)
    node.function, node.arguments, node.options = function, arguments, options
    return node


def given(layout: Layout, values: NDArray[Any]) -> Node:
    """Rows of an array of the client; they are sent to the workers when they are needed."""
    if values.shape[0] != layout.n_rows:
        raise ValueError(f"{values.shape[0]} rows are given for {layout.n_rows} documents.")
    node = Node(layout, values[:0])
    node.given = values
    return node


def kept(layout: Layout, sample: Any, places: Sequence[Place]) -> Node:
    """Values that the workers have already."""
    node = Node(layout, sample)
    node.places = list(places)
    return node


def selected(node: Node, rows: slice | NDArray[np.intp]) -> Node:
    """Some rows in increasing order; the node itself for all rows."""
    layout, pieces = select_rows(node.layout, rows)
    if layout == node.layout:
        return node
    chosen = Node(layout, node.sample)
    chosen.pieces = [(node, piece) for piece in pieces]
    return chosen


def joined(nodes: Sequence[Node]) -> Node:
    """The rows of several nodes, one after the other."""
    if len(nodes) == 1:
        return nodes[0]
    sample = np.concatenate([node.sample for node in nodes])
    whole = Node(Layout([block for node in nodes for block in node.layout.blocks]), sample)
    whole.pieces = [
        (operation(node.layout, _as_type, node, sample.dtype), Selection(i, None, block.n_rows))
        if node.sample.dtype != sample.dtype
        else (node, Selection(i, None, block.n_rows))
        for node in nodes
        for i, block in enumerate(node.layout.blocks)
    ]
    return whole


def _as_type(values: NDArray[Any], dtype: Any) -> NDArray[Any]:
    return values.astype(dtype, copy=False)
