"""One round of tasks: everything that is pending is computed, and sums over rows are returned."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from isthmus.kernels.dispatch import compile_setting
from isthmus.matrices.dask.cluster import lost_workers, results_of
from isthmus.matrices.dask.expression import Layout, Node, Place, Shared
from isthmus.matrices.dask.group_task import (
    Program,
    Reduction,
    Reference,
    Step,
    compute_group,
    merge_parts,
    needed,
    total,
)
from isthmus.matrices.dask.row_functions import item

if TYPE_CHECKING:
    from isthmus.matrices.dask.row_array import RowArray

# Smaller arrays are part of the program.
_INLINE_BYTES = 64 * 2**10
# Larger ones are sent with the tasks if they need no more than this for all groups together. That
# saves the time of sending them to every worker before the tasks, about 15 ms on one machine.
_TASK_BYTES = 2 * 2**20
# More groups are merged by the workers first, this many at a time.
_FAN_IN = 8
# The scheduler remembers how every result was computed. After this many rounds it forgets, as a
# part of the input cannot be computed again.
_REMEMBERED_ROUNDS = 16
# With this many non-zeros, loops are compiled. All workers must use the same version of a loop.
_COMPILED_NONZEROS = 1_000_000


class Rounds:
    """Sends programs to the workers of a client."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.stage = "rows"
        """The prefix of the task names, for the dashboard."""
        self._arrays: WeakValueDictionary[int, RowArray] = WeakValueDictionary()
        self._numbers = itertools.count(1)
        self._token = uuid.uuid4().hex[:8]
        self._compiles = False

    def remember(self, array: RowArray) -> None:
        """Compute this array in the next round, if it still exists then."""
        self._arrays[id(array)] = array

    def forget(self) -> None:
        """Do not compute arrays of a run that failed, which may still exist."""
        self._arrays.clear()

    def expect(self, n_nonzeros: int) -> None:
        """Choose the loops for documents with this many non-zeros."""
        self._compiles = self._compiles or n_nonzeros >= _COMPILED_NONZEROS

    def reduce(self, node: Node, function: Callable[..., Any], combine: str, **options: Any) -> Any:
        """A sum, maximum or minimum over the rows of a node."""
        return self.run([(node, function, options, combine)])[0]

    def run(
        self, reductions: Sequence[tuple[Node, Callable[..., Any], dict[str, Any], str]]
    ) -> list[Any]:
        """Compute several reductions over nodes of one layout in one round."""
        layout = reductions[0][0].layout
        kept = self._pending(layout)
        builder = _Builder()
        program = builder.program(kept, reductions, layout.numbers, self._setting())
        with lost_workers(self.client):
            parts, futures = self._submit(layout, program, builder, bool(kept))
            combines = [reduction.combine for reduction in program.reductions]
            merged = results_of(self.client, self._merged(parts, layout.numbers, combines))
        places: list[Place | None] = [None] * len(layout)
        for slot, node in enumerate(kept):
            for future, positions in futures:
                for index, position in enumerate(positions):
                    places[position] = Place(future, (0, slot, index))
            node.keep([place for place in places if place is not None])
        return [
            total([group[number] for group in merged], layout.numbers, combine)
            for number, combine in enumerate(combines)
        ]

    def collect(self, node: Node) -> NDArray[Any]:
        """All rows of a node as a NumPy array."""
        if node.given is not None:
            return node.given.copy()
        parts = self.reduce(node, _as_list, "sum")
        return np.concatenate(parts)

    def _setting(self) -> str:
        setting = compile_setting()
        if setting != "auto":
            return setting
        return "always" if self._compiles else "never"

    def _pending(self, layout: Layout) -> list[Node]:
        nodes = {id(a.node): a.node for a in list(self._arrays.values()) if a.node.is_pending}
        return [node for node in nodes.values() if node.layout == layout]

    def _submit(
        self, layout: Layout, program: Program, builder: _Builder, keeps: bool
    ) -> tuple[list[Any], list[tuple[Any, list[int]]]]:
        """Return the futures of the sums, and those of the whole results with their blocks."""
        number = next(self._numbers)
        name = f"isthmus-{self.stage}"
        groups = layout.groups()
        constants = self._sent(builder.constants, len(groups))
        lineage = self.client.scatter(number, hash=False) if number % _REMEMBERED_ROUNDS == 0 else 0
        parts, results = [], []
        for group, (worker, positions) in enumerate(groups):
            table, values = self._inputs(program, builder, worker, positions)
            where: dict[str, Any] = {"pure": False}
            if worker is not None:
                where |= {"workers": [worker], "allow_other_workers": True}
            ending = f"{self._token}-{number}-{group}"
            result = self.client.submit(
                compute_group,
                program,
                positions,
                table,
                values,
                constants,
                lineage,
                key=f"{name}-{ending}",
                **where,
            )
            results.append((result, positions))
            part = self.client.submit(item, result, 1, key=f"isthmus-sums-{ending}", **where)
            parts.append(part)
        return parts, results

    def _inputs(
        self, program: Program, builder: _Builder, worker: str | None, positions: Sequence[int]
    ) -> tuple[dict[tuple[int, int], tuple[int, tuple[int, ...]]], list[Any]]:
        """The values that the blocks of a group read, and where each of them is."""
        table: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
        values: list[Any] = []
        known: dict[str, int] = {}
        given: list[tuple[tuple[int, int], NDArray[Any]]] = []
        for position in positions:
            for key in needed(program, position):
                node = builder.nodes[key[0]]
                if key in table:
                    continue
                if node.places is not None:
                    place = node.places[key[1]]
                    index = known.setdefault(place.future.key, len(values))
                    if index == len(values):
                        values.append(place.future)
                    table[key] = index, place.path
                elif node.given is not None:
                    start, stop = node.layout.starts[key[1] : key[1] + 2]
                    given.append((key, node.given[start:stop]))
        if given:
            rows: Any = [part for _, part in given]
            if sum(part.nbytes for part in rows) > _INLINE_BYTES:
                where = None if worker is None else [worker]
                rows = self.client.scatter([rows], workers=where, hash=False)[0]
            values.append(rows)
            for number, (key, _) in enumerate(given):
                table[key] = len(values) - 1, (number,)
        return table, values

    def _sent(self, arrays: Sequence[Any], n_groups: int) -> list[Any]:
        """Arrays to be sent with every task, and futures of arrays that all workers have."""
        changing = [array for array in arrays if not isinstance(array, Shared)]
        with_task = n_groups * sum(array.nbytes for array in changing) <= _TASK_BYTES
        return [
            array if with_task and not isinstance(array, Shared) else self._broadcast(array)
            for array in arrays
        ]

    def _broadcast(self, array: Any) -> Any:
        if not isinstance(array, Shared):
            return self.client.scatter(array, broadcast=True, hash=False)
        if array.array.nbytes <= _INLINE_BYTES:
            return array.array
        if array.future is None:
            array.future = self.client.scatter(array.array, broadcast=True, hash=False)
        return array.future

    def _merged(self, parts: list[Any], numbers: Sequence[int], combines: list[str]) -> list[Any]:
        """Merge on the workers until few groups are left."""
        level = 0
        while len(parts) > _FAN_IN:
            level += 1
            groups = [parts[i : i + _FAN_IN] for i in range(0, len(parts), _FAN_IN)]
            parts = [
                self.client.submit(
                    merge_parts,
                    group,
                    numbers,
                    combines,
                    pure=False,
                    key=f"isthmus-merge-{uuid.uuid4().hex}-{level}",
                )
                for group in groups
            ]
        return parts


def _as_list(values: NDArray[Any]) -> _Rows:
    return _Rows([values])


class _Rows(list[Any]):
    """Blocks in their order; the sum of two lists is one list."""

    def __array_ufunc__(self, ufunc: Any, method: str, left: Any, right: Any) -> _Rows:
        return _Rows([*left, *right])


class _Builder:
    """Numbers the nodes of an expression, inputs first."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.constants: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._constant_numbers: dict[int, int] = {}

    def program(
        self,
        kept: Sequence[Node],
        reductions: Sequence[tuple[Node, Callable[..., Any], dict[str, Any], str]],
        numbers: Sequence[int],
        compiles: str,
    ) -> Program:
        for node in (*kept, *(reduction[0] for reduction in reductions)):
            self._add(node)
        return Program(
            [self._step(node) for node in self.nodes],
            [self._numbers[id(node)] for node in kept],
            [
                Reduction(self._numbers[id(node)], function, options, combine)
                for node, function, options, combine in reductions
            ],
            numbers,
            compiles,
        )

    def _add(self, root: Node) -> None:
        # Expressions may be deeper than the recursion limit.
        stack = [(root, False)]
        while stack:
            node, is_complete = stack.pop()
            if id(node) in self._numbers:
                continue
            if is_complete:
                self._numbers[id(node)] = len(self.nodes)
                self.nodes.append(node)
                continue
            stack.append((node, True))
            inputs = node.inputs if node.pieces is None else [piece[0] for piece in node.pieces]
            stack += [(value, False) for value in inputs if id(value) not in self._numbers]

    def _step(self, node: Node) -> Step:
        if node.pieces is not None:
            pieces = [(self._numbers[id(source)], piece) for source, piece in node.pieces]
            return Step(pieces=dict(enumerate(pieces)))
        return Step(
            node.function,
            tuple(self._argument(value) for value in node.arguments),
            {name: self._argument(value) for name, value in node.options.items()},
        )

    def _argument(self, value: Any) -> Any:
        if isinstance(value, Node):
            return Reference(self._numbers[id(value)])
        if isinstance(value, Shared) or (
            isinstance(value, np.ndarray) and value.nbytes > _INLINE_BYTES
        ):
            number = self._constant_numbers.setdefault(id(value), len(self.constants))
            if number == len(self.constants):
                self.constants.append(value)
            return Reference(number, is_constant=True)
        return value
