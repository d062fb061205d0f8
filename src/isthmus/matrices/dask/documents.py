"""Documents whose rows are on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.matrices.csr import CsrDocuments
from isthmus.matrices.dask import row_functions
from isthmus.matrices.dask.expression import Node, Place, Shared, given, operation, selected
from isthmus.matrices.dask.matrix import DistributedMatrix
from isthmus.matrices.dask.row_array import RowArray
from isthmus.matrices.one_place import computed_once, inverse_norms
from isthmus.matrices.protocols import (
    PLAIN_STEP,
    Array,
    MembershipStep,
    StepOptions,
    TopicStep,
)

if TYPE_CHECKING:
    from isthmus.matrices.dask.engine import DaskEngine


class DaskDocuments:
    """Rows of a distributed matrix, with separate scales of rows and columns.

    Arrays with one row per document are :class:`RowArray`; those with one row per term are NumPy
    arrays of the client.
    """

    def __init__(
        self,
        engine: DaskEngine,
        matrix: DistributedMatrix,
        row_scale: RowArray | None = None,
        column_scale: Shared | None = None,
    ) -> None:
        self.engine, self._matrix = engine, matrix
        self.shape, self.dtype = matrix.shape, matrix.dtype
        self._row_scale, self._column_scale = row_scale, column_scale
        self._rounds = engine.rounds
        self._block = _MatrixNode(matrix)

    @property
    def _inputs(self) -> tuple[Any, Any, Any]:
        """The arguments of every task: the block and the two scales."""
        rows = None if self._row_scale is None else self._row_scale.node
        return self._block, rows, self._column_scale

    def _rows(self, method: Any, *arguments: Any) -> RowArray:
        """The result of a method of the documents of every block, one row per document."""
        layout = self._matrix.layout
        node = operation(layout, _call, *self._inputs, method, *arguments)
        return RowArray(self._rounds, node)

    def _partial(self, function: Any, *arguments: Any) -> Node:
        """An operation whose results are added up; it is not computed for 0 rows."""
        node = Node(self._matrix.layout, None)
        node.function, node.arguments = function, (*self._inputs, *arguments)
        return node

    def _total(self, stage: str, method: Any, *arguments: Any) -> Any:
        """The sum of the results of a method of the documents of every block."""
        with self.engine.stage(stage):
            node = self._partial(_call, method, *arguments)
            return self._rounds.reduce(node, row_functions.unchanged, "sum")

    def asarray(self, values: Any, dtype: Any = None) -> RowArray:
        if isinstance(values, RowArray):
            return values if dtype is None else values.astype(dtype)
        rows = np.array(values, dtype, order="C")
        return RowArray(self._rounds, given(self._matrix.layout, rows))

    def full(self, value: Any, n_columns: int | None = None, dtype: Any = np.float64) -> RowArray:
        shape = () if n_columns is None else (n_columns,)
        node = operation(self._matrix.layout, _filled, self._block, value, shape, np.dtype(dtype))
        return RowArray(self._rounds, node)

    def times(self, right: Array) -> RowArray:
        factor = np.array(right, self.dtype, order="C")
        return self._rows(CsrDocuments.times, factor)

    def transposed_times(self, left: Array) -> NDArray[Any]:
        rows = self.asarray(left)
        with self.engine.stage("transposed-product"):
            product = self._partial(_call, CsrDocuments.transposed_times, rows.node)
            # Solvers often need the sums of the same columns next: they cost almost nothing here.
            summed = [node for node in (rows.node, *_cast_from(rows.node)) if node.sample.ndim == 2]
            results = self._rounds.run(
                [
                    (product, row_functions.unchanged, {}, "sum"),
                    *((node, row_functions.sums, {"axis": 0}, "sum") for node in summed),
                ]
            )
        for node, sums in zip(summed, results[1:], strict=True):
            node.column_sums = sums
        return np.asarray(results[0])

    def squares_transposed_times(self, left: Array) -> NDArray[Any]:
        node = self.asarray(left).node
        return np.asarray(
            self._total("squares-product", CsrDocuments.squares_transposed_times, node)
        )

    def membership_step(
        self,
        memberships: RowArray,
        profiles: Array,
        gram: NDArray[Any],
        options: StepOptions = PLAIN_STEP,
    ) -> MembershipStep:
        values = (options.anchor, options.pull, options.fixed)
        nodes = [None if part is None else part.node for part in values]
        step = self._partial(
            _membership_step,
            memberships.node,
            np.asarray(profiles, self.dtype),
            _SmallInput(np.asarray(gram), options.normalize),
            *nodes,
        )
        sums = self._stepped("membership-step", memberships, step)
        return MembershipStep(np.asarray(sums[0]), np.asarray(sums[1]), int(sums[2]))

    def topic_step(
        self, mixtures: RowArray, topics: Array, *, words: bool = True, likelihood: bool = True
    ) -> TopicStep:
        step = self._partial(
            _topic_step,
            mixtures.node,
            np.asarray(topics, self.dtype) if words or likelihood else np.array(topics, self.dtype),
            words,
            likelihood,
        )
        if not words and not likelihood:
            mixtures.node = _part_of(step, mixtures.node)
            return TopicStep(None, float("nan"))
        word_side, log_likelihood = self._stepped("topic-step", mixtures, step)
        return TopicStep(
            np.asarray(word_side) if words else None,
            float(log_likelihood) if likelihood else float("nan"),
        )

    def _stepped(self, stage: str, rows: RowArray, step: Node) -> Any:
        """Let an array refer to the rows after a step, and return the sums of the step."""
        rows.node = _part_of(step, rows.node)
        with self.engine.stage(stage):
            return self._rounds.reduce(step, row_functions.item, "sum", number=1)

    def row_sums(self) -> RowArray:
        return self._rows(CsrDocuments.row_sums)

    def row_norms(self) -> RowArray:
        return self._rows(CsrDocuments.row_norms)

    @computed_once
    def column_sums(self) -> NDArray[np.float64]:
        return np.asarray(self._total("column-sums", CsrDocuments.column_sums))

    def squared_norm(self) -> float:
        return float(self._total("squared-norm", CsrDocuments.squared_norm))

    def scaled(self, rows: RowArray | None = None, columns: Array | None = None) -> DaskDocuments:
        row_scale, column_scale = self._row_scale, self._column_scale
        if rows is not None:
            row_scale = (rows if row_scale is None else row_scale * rows).astype(self.dtype)
        if columns is not None:
            known = 1 if column_scale is None else column_scale.array
            column_scale = Shared(np.asarray(known * columns).astype(self.dtype))
        return DaskDocuments(self.engine, self._matrix, row_scale, column_scale)

    def unit_rows(self) -> DaskDocuments:
        # Not kept: what was computed may be lost with a worker, and then is computed again.
        return self.scaled(rows=inverse_norms(self.row_norms(), self.engine.xp))

    def take_rows(self, rows: NDArray[np.intp]) -> DaskDocuments:
        matrix, scale = self._matrix.take_rows(rows), self._row_scale
        if scale is not None:
            scale = scale.new(selected(scale.node, rows))
        return DaskDocuments(self.engine, matrix, scale, self._column_scale)

    def row_blocks(self, size: int) -> Iterator[DaskDocuments]:
        # The rows are in blocks already.
        yield self


class _MatrixNode(Node):
    """The blocks of a matrix, which may be made again after a worker was lost."""

    def __init__(self, matrix: DistributedMatrix) -> None:
        self._matrix = matrix
        self._futures: list[Any] | None = None
        self._places: list[Place] = []
        super().__init__(matrix.layout, sparse.csr_array((0, matrix.shape[1]), dtype=matrix.dtype))

    @property
    def places(self) -> list[Place] | None:
        futures = self._matrix.futures
        # A round asks for every block, so the list is made once.
        if futures is not self._futures:
            self._futures, self._places = futures, [Place(future) for future in futures]
        return self._places

    @places.setter
    def places(self, value: Any) -> None:
        """The matrix knows them."""


def _filled(block: Any, value: Any, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    return np.full((block.shape[0], *shape), value, dtype)


def _part_of(step: Node, before: Node) -> Node:
    """The rows after a step; they have the columns and the type of those before."""
    node = Node(step.layout, before.sample)
    node.function, node.arguments = row_functions.item, (step, 0)
    return node


def _cast_from(node: Node) -> list[Node]:
    """The node that this one has the values of in another type, if it is such a node."""
    return [node.inputs[0]] if node.function is row_functions.as_type else []


# What the workers compute with the documents of a block


def _documents(block: Any, rows: NDArray[Any] | None, columns: NDArray[Any] | None) -> CsrDocuments:
    """The documents of a block with the scales of their rows and columns."""
    return CsrDocuments(block.data, block.indices, block.indptr, block.shape[1], rows, columns)


def _call(
    block: Any,
    rows: NDArray[Any] | None,
    columns: NDArray[Any] | None,
    method: Any,
    *arguments: Any,
) -> Any:
    return method(_documents(block, rows, columns), *arguments)


@dataclass(frozen=True)
class _SmallInput:
    """Small input of a membership step."""

    gram: NDArray[Any]
    normalize: bool


def _membership_step(
    block: Any,
    rows: NDArray[Any] | None,
    columns: NDArray[Any] | None,
    memberships: NDArray[Any],
    profiles: NDArray[Any],
    small: _SmallInput,
    anchor: NDArray[Any] | None,
    pull: NDArray[Any] | None,
    fixed: NDArray[Any] | None,
) -> tuple[NDArray[Any], tuple[NDArray[Any], NDArray[Any], int]]:
    """The new memberships, and the sums of the step."""
    updated = np.array(memberships, order="C")
    step = _documents(block, rows, columns).membership_step(
        updated, profiles, small.gram, StepOptions(anchor, pull, fixed, small.normalize)
    )
    return updated, (step.products, step.gram, step.changed)


def _topic_step(
    block: Any,
    rows: NDArray[Any] | None,
    columns: NDArray[Any] | None,
    mixtures: NDArray[Any],
    topics: NDArray[Any],
    words: bool,
    likelihood: bool,
) -> tuple[NDArray[Any], tuple[NDArray[Any] | None, float]]:
    """The new mixtures, and the sums of the step."""
    updated = np.array(mixtures, order="C")
    step = _documents(block, rows, columns).topic_step(
        updated, topics, words=words, likelihood=likelihood
    )
    return updated, (step.word_side, step.log_likelihood)
