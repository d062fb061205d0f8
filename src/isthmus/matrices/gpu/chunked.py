"""Documents that are too large for the memory of the GPU: blocks of rows, copied one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import cupy
import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.engines import EngineError
from isthmus.matrices.gpu.csr import GpuCsrDocuments
from isthmus.matrices.gpu.layout import DeviceMatrix
from isthmus.matrices.one_place import OnePlaceDocuments, computed_once
from isthmus.matrices.protocols import PLAIN_STEP, Array, MembershipStep, StepOptions, TopicStep
from isthmus.matrices.threads import Range, cut_by_nonzeros

if TYPE_CHECKING:
    from isthmus.matrices.gpu.engine import GpuEngine


class ChunkedDocuments(OnePlaceDocuments):
    """Rows of a SciPy matrix in host memory. Every operation copies all blocks to the device.

    The scales of rows and columns, and all factors, are on the device.
    """

    def __init__(
        self,
        engine: GpuEngine,
        X: Any,
        ranges: list[Range],
        row_scale: Array | None = None,
        column_scale: Array | None = None,
    ) -> None:
        self.engine, self._X, self._ranges = engine, X, ranges
        self._start = ranges[0][0]
        self.shape = (ranges[-1][1] - self._start, X.shape[1])
        self.dtype: np.dtype[Any] = X.dtype
        if row_scale is None:
            row_scale = cupy.ones(self.shape[0], self.dtype)
        self._row_scale, self._column_scale = row_scale, column_scale

    @classmethod
    def of(
        cls, engine: GpuEngine, X: Any, start: int, stop: int, max_bytes: int
    ) -> ChunkedDocuments:
        """Cut the rows ``[start, stop)`` into blocks that need at most ``max_bytes`` each."""
        pointers = X.indptr[start : stop + 1]
        n_rows, n_entries = stop - start, int(pointers[-1] - pointers[0])

        def block_bytes(n_blocks: int) -> int:
            rows, entries = -(-n_rows // n_blocks), -(-n_entries // n_blocks)
            return DeviceMatrix.bytes_on_device(entries, rows, X.shape[1], X.dtype)

        n_blocks = 1
        while n_blocks < n_rows and block_bytes(n_blocks) > max_bytes:
            n_blocks += 1 + n_blocks // 4
        if block_bytes(n_blocks) > max_bytes:
            raise EngineError(
                f"The memory of the GPU is too small: the documents need "
                f"{_gigabytes(block_bytes(1))}, a single block at least "
                f"{_gigabytes(block_bytes(n_blocks))}, and {_gigabytes(max_bytes)} are "
                "available. Free memory on the device, or set engine='cpu'."
            )
        ranges = [
            (start + first, start + last) for first, last in cut_by_nonzeros(pointers, n_blocks)
        ]
        return cls(engine, X, ranges or [(start, stop)])

    def _blocks(self) -> Iterator[tuple[slice, GpuCsrDocuments]]:
        """Every block on the device, with its rows."""
        for start, stop in self._ranges:
            rows = slice(start - self._start, stop - self._start)
            matrix = DeviceMatrix.from_host(self._X, start, stop)
            yield (
                rows,
                GpuCsrDocuments(self.engine, matrix, self._row_scale[rows], self._column_scale),
            )

    def times(self, right: Array) -> Array:
        out = cupy.empty((self.shape[0], right.shape[1]), self.dtype)
        for rows, block in self._blocks():
            out[rows] = block.times(right)
        return out

    def transposed_times(self, left: Array) -> Array:
        total = cupy.zeros((self.shape[1], left.shape[1]), self.dtype)
        for rows, block in self._blocks():
            total += block.transposed_times(left[rows])
        return total

    def squares_transposed_times(self, left: Array) -> Array:
        total = cupy.zeros((self.shape[1], left.shape[1]), self.dtype)
        for rows, block in self._blocks():
            total += block.squares_transposed_times(left[rows])
        return total

    def membership_step(
        self,
        memberships: Array,
        profiles: Array,
        gram: NDArray[Any],
        options: StepOptions = PLAIN_STEP,
    ) -> MembershipStep:
        products = cupy.zeros((self.shape[1], memberships.shape[1]), self.dtype)
        new_gram, changed = np.zeros((memberships.shape[1],) * 2), 0
        for rows, block in self._blocks():
            of_rows = replace(
                options,
                fixed=None if options.fixed is None else options.fixed[rows],
                anchor=None if options.anchor is None else options.anchor[rows],
                pull=None if options.pull is None else options.pull[rows],
            )
            step = block.membership_step(memberships[rows], profiles, gram, of_rows)
            products += step.products
            new_gram += step.gram
            changed += step.changed
        return MembershipStep(products, new_gram, changed)

    def topic_step(
        self, mixtures: Array, topics: Array, *, words: bool = True, likelihood: bool = True
    ) -> TopicStep:
        word_side = cupy.zeros(topics.shape, self.dtype) if words else None
        log_likelihood = 0.0 if likelihood else float("nan")
        for rows, block in self._blocks():
            step = block.topic_step(mixtures[rows], topics, words=words, likelihood=likelihood)
            if word_side is not None:
                word_side += step.word_side
            log_likelihood += step.log_likelihood
        return TopicStep(word_side, log_likelihood)

    @computed_once
    def row_sums(self) -> Array:
        return cupy.concatenate([block.row_sums() for _, block in self._blocks()])

    @computed_once
    def row_norms(self) -> Array:
        return cupy.concatenate([block.row_norms() for _, block in self._blocks()])

    @computed_once
    def column_sums(self) -> Array:
        ones = cupy.ones((self.shape[0], 1), self.dtype)
        return self.transposed_times(ones)[:, 0].astype(np.float64)

    def squared_norm(self) -> float:
        return sum(block.squared_norm() for _, block in self._blocks())

    def _with_scales(self, rows: Array, columns: Array | None) -> ChunkedDocuments:
        return ChunkedDocuments(self.engine, self._X, self._ranges, rows, columns)

    def take_rows(self, rows: NDArray[np.intp]) -> Any:
        part = self.engine.documents(self._X[self._start + rows])
        return part.scaled(rows=self._row_scale[cupy.asarray(rows)], columns=self._column_scale)

    def row_blocks(self, size: int) -> Iterator[Any]:
        for rows, block in self._blocks():
            yield from block.row_blocks(min(size, rows.stop - rows.start))


def _gigabytes(size: int) -> str:
    return f"{size / 2**30:.1f} GB"
