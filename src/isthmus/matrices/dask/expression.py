"""What is to be computed with arrays that have one row per document.

A node is an operation on the rows of every block. Its type and its columns are found by computing
it with 0 rows. Nothing else is computed before a sum over rows is needed (see ``rounds``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.dask.layout import Layout, Selection, select_rows

__all__ = ["Node", "Place", "Shared", "given", "joined", "kept", "operation", "selected"]


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
