"""What a worker computes in one round: all steps of a program, for the blocks of one group.

Sums over blocks are added in the order of a binary tree over the block numbers.
The leaves of the tree are the blocks of a matrix. Node ``(level, i)`` covers the blocks from
``i * 2**level`` to ``(i + 1) * 2**level - 1``, as far as they exist: rows of one domain are in some
of the blocks. Its value is the sum of its two children, or that of one child if the other covers no
block. Whoever has some of the blocks adds up the subtrees that are complete, and only siblings are
ever joined. So the result has the same bits for any distribution of the blocks over workers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isthmus.kernels.dispatch import read_only, use_compile_setting
from isthmus.matrices.dask.expression import Selection
from isthmus.matrices.threads import limited_threads, one_thread, run_all, whole_operations

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


@dataclass(frozen=True)
class Reference:
    """An argument of a step: the value of another step, or an array that was sent apart."""

    number: int
    is_constant: bool = False


@dataclass(frozen=True)
class Step:
    """One operation on blocks; without a function and pieces, a value that the worker gets."""

    function: Callable[..., Any] | None = None
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    pieces: Mapping[int, tuple[int, Selection]] | None = None
    """For every block, another step and the rows of a block of it."""

    @property
    def inputs(self) -> list[int]:
        values = (*self.arguments, *self.options.values())
        return [v.number for v in values if isinstance(v, Reference) and not v.is_constant]


@dataclass(frozen=True)
class Reduction:
    """A sum, maximum or minimum over rows: a function of every block, and how blocks are joined."""

    step: int
    function: Callable[..., Any]
    options: Mapping[str, Any]
    combine: str


@dataclass(frozen=True)
class Program:
    """Steps in the order of computation, the values to keep on the worker, and the sums."""

    steps: Sequence[Step]
    kept: Sequence[int]
    reductions: Sequence[Reduction]
    numbers: Sequence[int]
    """The number of every block in its matrix, for the order of sums."""
    compiles: str
    """The setting for compiled loops, which must be the same on all workers."""

    @property
    def outputs(self) -> list[int]:
        return [*self.kept, *(reduction.step for reduction in self.reductions)]


def needed(program: Program, position: int) -> list[tuple[int, int]]:
    """Steps and blocks that the results of one block need, in the order of computation."""
    wanted: list[dict[int, None]] = [{} for _ in program.steps]
    for number in program.outputs:
        wanted[number][position] = None
    for number in reversed(range(len(program.steps))):
        step = program.steps[number]
        for place in wanted[number]:
            if step.pieces is not None:
                source, selection = step.pieces[place]
                wanted[source][selection.position] = None
            for source in step.inputs:
                wanted[source][place] = None
    return [(number, place) for number, places in enumerate(wanted) for place in places]


def compute_group(
    program: Program,
    positions: Sequence[int],
    table: Mapping[tuple[int, int], tuple[int, tuple[int, ...]]],
    values: Sequence[Any],
    constants: Sequence[Any],
    _lineage: Any = None,
) -> tuple[list[list[Any]], list[Parts]]:
    """Return the kept values of every block, and the parts of every sum.

    ``table`` says for a step and a block which of the ``values`` it is, and where in there.
    """

    def of_block(position: int) -> tuple[list[Any], list[Any]]:
        # A thread of the pool does not inherit these settings.
        settings = limited_threads(1), use_compile_setting(program.compiles), whole_operations()
        with settings[0], settings[1], settings[2]:
            return _compute_block(program, position, table, values, constants)

    with one_thread(), limited_threads(_worker_threads()):
        results = run_all(of_block, positions)
    kept = [[result[0][slot] for result in results] for slot in range(len(program.kept))]
    parts = []
    for number, reduction in enumerate(program.reductions):
        by_block = {
            program.numbers[position]: result[1][number]
            for position, result in zip(positions, results, strict=True)
        }
        parts.append(merge([leaves(by_block)], program.numbers, reduction.combine))
    return kept, parts


def _compute_block(
    program: Program,
    position: int,
    table: Mapping[tuple[int, int], tuple[int, tuple[int, ...]]],
    values: Sequence[Any],
    constants: Sequence[Any],
) -> tuple[list[Any], list[Any]]:
    order = needed(program, position)
    uses = _count_uses(program, position, order)
    known: dict[tuple[int, int], Any] = {}

    def used(key: tuple[int, int]) -> Any:
        """The value of a step; it is forgotten after its last use."""
        uses[key] -= 1
        return known[key] if uses[key] else known.pop(key)

    for number, place in order:
        step = program.steps[number]
        if step.pieces is not None:
            source, selection = step.pieces[place]
            value = used((source, selection.position))
            value = value if selection.rows is None else value[selection.rows]
        elif step.function is not None:

            def actual(argument: Any, place: int = place) -> Any:
                if not isinstance(argument, Reference):
                    return argument
                if argument.is_constant:
                    return constants[argument.number]
                return used((argument.number, place))

            arguments = [actual(argument) for argument in step.arguments]
            options = {name: actual(argument) for name, argument in step.options.items()}
            value = step.function(*arguments, **options)
        else:
            index, path = table[number, place]
            value = values[index]
            for item in path:
                value = value[item]
        known[number, place] = _in_order(value)
    kept = [used((number, position)) for number in program.kept]
    reduced = [
        reduction.function(used((reduction.step, position)), **reduction.options)
        for reduction in program.reductions
    ]
    return kept, reduced


def _in_order(value: Any) -> Any:
    """The value in aligned and contiguous memory.

    Arrays from a message may be unaligned, and a slice has gaps. NumPy and BLAS then take other
    paths with other last bits, and results would depend on which worker computed what.
    """
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        return value
    return np.require(value, requirements=("C_CONTIGUOUS", "ALIGNED"))


def _count_uses(
    program: Program, position: int, order: Sequence[tuple[int, int]]
) -> Counter[tuple[int, int]]:
    uses: Counter[tuple[int, int]] = Counter((number, position) for number in program.outputs)
    for number, place in order:
        step = program.steps[number]
        if step.pieces is not None:
            source, selection = step.pieces[place]
            uses[source, selection.position] += 1
        for source in step.inputs:
            uses[source, place] += 1
    return uses


def merge_parts(
    groups: Sequence[Sequence[Parts]], numbers: Sequence[int], combines: Sequence[str]
) -> list[Parts]:
    """Join the parts of several groups, for every sum."""
    return [
        merge([_unchanged_parts(group[number]) for group in groups], numbers, combine)
        for number, combine in enumerate(combines)
    ]


def _unchanged_parts(parts: Parts) -> Parts:
    # Dask may run this task again with the same inputs.
    return {place: unchanged(value) for place, value in parts.items()}


def _worker_threads() -> int:
    """Threads of this worker; Dask sets the variables of the environment to one."""
    from distributed import get_worker

    try:
        return max(1, int(get_worker().state.nthreads))
    except ValueError:  # not on a worker
        return 1
