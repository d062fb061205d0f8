"""Similarities between all documents, as products: the matrix is never formed; its components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Documents, Engine

#: Similarities up to this value are rounding errors; the similarity of a document to itself is 1.
ROUNDING = 1e-5
# Columns per product, so that intermediate results stay small.
_COLUMNS = 8
# Maximum number of components that are searched, by falling largest degree.
_MAX_COMPONENTS = 50


class Affinity(Protocol):
    """A symmetric matrix of similarities between documents that offers products only."""

    @property
    def engine(self) -> Engine:
        """The engine of the columns."""
        ...

    @property
    def n_rows(self) -> int: ...

    def times(self, columns: Array) -> Array:
        """``W @ columns``, in float64."""
        ...

    def reweighted(self, weights: NDArray[Any]) -> Affinity:
        """The affinity with every entry multiplied by the weight of its pair of blocks."""
        ...


def degrees_of(affinity: Affinity) -> Array:
    """Row sums of the similarities, in float64."""
    return affinity.times(affinity.engine.xp.ones((affinity.n_rows, 1)))[:, 0]


def inverse_sqrt_degrees(degrees: Array, rows: Array, xp: Any = np) -> Array:
    """``D^-1/2`` for the given rows, whose degrees must be positive; 0 for the others.

    ``xp`` is the array namespace of the degrees.
    """
    return xp.where(rows, 1 / xp.sqrt(xp.where(rows, degrees, 1.0)), 0.0)


@dataclass(frozen=True)
class CosineAffinity:
    """Cosines between documents, ``W = X X'`` with unit-norm rows.

    ``signed`` is for documents with negative entries (embeddings), whose cosines could make degrees
    negative: then ``W = (1 1' + X X') / 2``, that is (1 + cos) / 2.
    """

    blocks: tuple[Documents, ...]
    """Rows of unit norm, or of zeros."""
    weights: NDArray[np.float64]
    """One factor per pair of blocks, 1 by default."""
    signed: bool
    filled: tuple[Array, ...]
    """Which documents are not empty; the similarities of empty documents are 0."""
    with_self: bool
    """Whether the diagonal of ``W`` is kept; otherwise it is zero."""

    @classmethod
    def of(
        cls, documents: Sequence[Documents], *, signed: bool = False, with_self: bool = True
    ) -> CosineAffinity:
        """The affinity of all documents, with equal weights."""
        blocks = tuple(block.unit_rows() for block in documents)
        filled = tuple(block.row_norms() > 0 for block in blocks)
        return cls(blocks, np.ones((len(blocks), len(blocks))), signed, filled, with_self)

    @property
    def engine(self) -> Engine:
        return self.blocks[0].engine

    @property
    def n_rows(self) -> int:
        return sum(block.shape[0] for block in self.blocks)

    def reweighted(self, weights: NDArray[Any]) -> CosineAffinity:
        return replace(self, weights=self.weights * weights)

    def times(self, columns: Array) -> Array:
        maps = self.out_of_sample_maps(self.weights, columns)
        parts = zip(self.blocks, self.filled, maps, strict=True)
        xp = self.engine.xp
        product = xp.concatenate([map_.of(block, filled) for block, filled, map_ in parts])
        if not self.with_self:
            weighted = zip(self.filled, np.diagonal(self.weights).tolist(), strict=True)
            diagonal = xp.concatenate([filled * weight for filled, weight in weighted])
            product -= diagonal[:, None] * columns
        return product

    def out_of_sample_maps(self, weights: NDArray[Any], columns: Array) -> list[OutOfSampleMap]:
        """Maps from a document to its row of ``W @ columns``, one per row of ``weights``.

        A row of ``weights`` holds the factor of every block. Equal rows share one map, as all
        sources often do.
        """
        unique, which = np.unique(weights, axis=0, return_inverse=True)
        width, dtype = columns.shape[1], self.blocks[0].dtype
        shape = (self.blocks[0].shape[1], width)
        maps = [OutOfSampleMap(self.engine.xp.zeros(shape, dtype), np.zeros(width)) for _ in unique]
        begin = 0
        for e, (block, filled) in enumerate(zip(self.blocks, self.filled, strict=True)):
            part = columns[begin : begin + block.shape[0]]
            begin += block.shape[0]
            for start in range(0, width, _COLUMNS):
                some = slice(start, start + _COLUMNS)
                sums = block.transposed_times(part[:, some])
                if self.signed:
                    sums = 0.5 * sums
                for row, map_ in zip(unique, maps, strict=True):
                    map_.words[:, some] += sums * dtype.type(row[e])
            if self.signed:
                totals = 0.5 * self.engine.to_host(part[filled].sum(axis=0))
                for row, map_ in zip(unique, maps, strict=True):
                    map_.offset[:] += row[e] * totals
        return [maps[number] for number in which.ravel()]


@dataclass(frozen=True)
class OutOfSampleMap:
    """Similarities to all fitted documents times some columns, as a linear map of a document."""

    words: Array
    """One row per term."""
    offset: NDArray[Any]

    def of(self, documents: Documents, filled: Array | None = None) -> Array:
        """The mapped unit-norm documents in float64; zeros for empty ones.

        ``filled`` says which documents are not empty, if that is known.
        """
        product = documents.times(self.words).astype(np.float64, copy=False)
        if self.offset.any():
            known = documents.row_norms() > 0 if filled is None else filled
            product += known[:, None] * documents.engine.asarray(self.offset)
        return product


@dataclass(frozen=True)
class GraphAffinity:
    """A sparse symmetric matrix of similarities."""

    graph: Documents
    sizes: tuple[int, ...]
    """Numbers of rows of the blocks."""
    weights: NDArray[np.float64]
    """One factor per pair of blocks, 1 by default."""

    @classmethod
    def of(cls, graph: Documents, sizes: Sequence[int]) -> GraphAffinity:
        """The affinity of a graph whose rows are in consecutive blocks of the given ``sizes``."""
        return cls(graph, tuple(sizes), np.ones((len(sizes), len(sizes))))

    @property
    def engine(self) -> Engine:
        return self.graph.engine

    @property
    def n_rows(self) -> int:
        return self.graph.shape[0]

    def reweighted(self, weights: NDArray[Any]) -> GraphAffinity:
        return replace(self, weights=self.weights * weights)

    def times(self, columns: Array) -> Array:
        if (self.weights == 1).all():
            return self.graph.times(columns).astype(np.float64, copy=False)
        # A weight depends only on the blocks of row and column, so one product with the columns
        # separated by block is enough.
        xp, n_blocks, width = self.engine.xp, len(self.sizes), columns.shape[1]
        ends = np.cumsum(self.sizes).tolist()
        rows = [slice(end - size, end) for end, size in zip(ends, self.sizes, strict=True)]
        separated = xp.zeros((self.n_rows, n_blocks * width))
        for block, some in enumerate(rows):
            separated[some, block * width : (block + 1) * width] = columns[some]
        products = self.graph.times(separated).astype(np.float64, copy=False)
        result = xp.zeros(columns.shape)
        for block, some in enumerate(rows):
            for other, weight in enumerate(self.weights[block].tolist()):
                result[some] += weight * products[some, other * width : (other + 1) * width]
        return result


def large_components(
    affinity: Affinity, degrees: Array, known: Array, least: float = 0.05
) -> Array:
    """Rows of the components that contain a ``known`` row and are large enough.

    ``least`` is the minimum proportion of all rows with a neighbor. Every component contributes
    one leading eigenvector that does not separate classes, so a few duplicates with a vocabulary of
    their own would use up the spectrum. A component is found by the rows that can be reached from
    its row of largest degree. This takes few products, because paths between documents are short.
    """
    xp = affinity.engine.xp
    remaining = degrees > ROUNDING
    min_size = max(1.0, least * float(remaining.sum()))
    kept = xp.zeros(len(degrees), bool)
    for _ in range(_MAX_COMPONENTS):
        if int(remaining.sum()) < min_size:
            break
        start = xp.zeros(len(degrees), bool)
        start[int(xp.where(remaining, degrees, -1.0).argmax())] = True
        reached = reachable_rows(affinity, start)
        if int(reached.sum()) >= min_size and bool((reached & known).any()):
            kept |= reached
        remaining &= ~reached
    return kept


def reachable_rows(affinity: Affinity, rows: Array) -> Array:
    """The given rows and all rows that are connected to them by a path."""
    reached = rows.copy()
    while True:
        similar = affinity.times(reached[:, None].astype(float))[:, 0] > ROUNDING
        if not bool((similar & ~reached).any()):
            return reached
        reached |= similar
