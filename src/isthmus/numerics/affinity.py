"""Similarities between all documents, as products: the matrix is never formed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.numerics.scaling import unit_rows

#: Similarities up to this value are rounding errors; the similarity of a document to itself is 1.
ROUNDING = 1e-5
# Columns per product, so that intermediate results stay small.
_COLUMNS = 8


class Affinity(Protocol):
    """A symmetric matrix of similarities between documents that offers products only."""

    @property
    def n_rows(self) -> int: ...

    def times(self, columns: NDArray[Any]) -> NDArray[Any]:
        """``W @ columns``."""
        ...

    def reweighted(self, weights: NDArray[Any]) -> Affinity:
        """The affinity with every entry multiplied by the weight of its pair of blocks."""
        ...


def degrees_of(affinity: Affinity) -> NDArray[np.float64]:
    """Row sums of the similarities."""
    return np.asarray(affinity.times(np.ones((affinity.n_rows, 1)))[:, 0], np.float64)


def inverse_sqrt_degrees(degrees: NDArray[Any], rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    """``D^-1/2`` for the given rows, whose degrees must be positive; 0 for the others."""
    return np.where(rows, 1 / np.sqrt(np.where(rows, degrees, 1.0)), 0.0)


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
    filled: tuple[NDArray[np.bool_], ...]
    """Which documents are not empty; the similarities of empty documents are 0."""
    with_self: bool
    """Whether the diagonal of ``W`` is kept; otherwise it is zero."""

    @classmethod
    def of(
        cls, documents: Sequence[Documents], *, signed: bool = False, with_self: bool = True
    ) -> CosineAffinity:
        """The affinity of all documents, with equal weights."""
        blocks = tuple(unit_rows(block) for block in documents)
        filled = tuple(block.row_norms() > 0 for block in blocks)
        return cls(blocks, np.ones((len(blocks), len(blocks))), signed, filled, with_self)

    @property
    def n_rows(self) -> int:
        return sum(block.shape[0] for block in self.blocks)

    def reweighted(self, weights: NDArray[Any]) -> CosineAffinity:
        return replace(self, weights=self.weights * weights)

    def times(self, columns: NDArray[Any]) -> NDArray[Any]:
        maps = zip(self.blocks, self.out_of_sample_maps(self.weights, columns), strict=True)
        product = np.concatenate([map_.of(block) for block, map_ in maps])
        if not self.with_self:
            weighted = zip(self.filled, np.diagonal(self.weights), strict=True)
            diagonal = np.concatenate([filled * weight for filled, weight in weighted])
            product -= diagonal[:, None] * columns
        return product

    def out_of_sample_maps(
        self, weights: NDArray[Any], columns: NDArray[Any]
    ) -> list[OutOfSampleMap]:
        """Maps from a document to its row of ``W @ columns``, one per row of ``weights``.

        A row of ``weights`` holds the factor of every block. Equal rows share one map, as all
        sources often do.
        """
        unique, which = np.unique(weights, axis=0, return_inverse=True)
        shape, dtype = (self.blocks[0].shape[1], columns.shape[1]), self.blocks[0].dtype
        maps = [OutOfSampleMap(np.zeros(shape, dtype), np.zeros(columns.shape[1])) for _ in unique]
        factor = 0.5 if self.signed else 1.0
        ends = np.cumsum([block.shape[0] for block in self.blocks])
        parts = zip(self.blocks, self.filled, np.split(columns, ends[:-1]), strict=True)
        for e, (block, filled, part) in enumerate(parts):
            totals = (1 - factor) * part[filled].sum(axis=0)
            for start in range(0, columns.shape[1], _COLUMNS):
                some = slice(start, start + _COLUMNS)
                sums = factor * np.asarray(block.transposed_times(part[:, some]))
                for row, map_ in zip(unique, maps, strict=True):
                    map_.words[:, some] += dtype.type(row[e]) * sums
            for row, map_ in zip(unique, maps, strict=True):
                map_.offset[:] += row[e] * totals
        return [maps[number] for number in which.ravel()]


@dataclass(frozen=True)
class OutOfSampleMap:
    """Similarities to all fitted documents times some columns, as a linear map of a document."""

    words: NDArray[Any]
    """One row per term."""
    offset: NDArray[Any]

    def of(self, documents: Documents) -> NDArray[np.float64]:
        """The mapped unit-norm documents; zeros for empty ones."""
        product = np.asarray(documents.times(self.words), np.float64)
        if self.offset.any():
            product += (documents.row_norms() > 0)[:, None] * self.offset
        return product


@dataclass(frozen=True)
class GraphAffinity:
    """A sparse symmetric matrix of similarities."""

    graph: Documents
    block_of_row: NDArray[np.intp]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, graph: Documents, sizes: Sequence[int]) -> GraphAffinity:
        """The affinity of a graph whose rows are in consecutive blocks of the given ``sizes``."""
        return cls(
            graph, np.repeat(np.arange(len(sizes)), sizes), np.ones((len(sizes), len(sizes)))
        )

    @property
    def n_rows(self) -> int:
        return self.graph.shape[0]

    def reweighted(self, weights: NDArray[Any]) -> GraphAffinity:
        return replace(self, weights=self.weights * weights)

    def times(self, columns: NDArray[Any]) -> NDArray[Any]:
        if (self.weights == 1).all():
            return np.asarray(self.graph.times(columns), np.float64)
        # A weight depends only on the blocks of row and column, so one product with the columns
        # separated by block is enough.
        n_blocks, width = len(self.weights), columns.shape[1]
        separated = np.zeros((self.n_rows, n_blocks * width))
        for block in range(n_blocks):
            rows = self.block_of_row == block
            separated[rows, block * width : (block + 1) * width] = columns[rows]
        product = np.asarray(self.graph.times(separated), np.float64)
        product = product.reshape(self.n_rows, n_blocks, width)
        return np.einsum("ib,ibk->ik", self.weights[self.block_of_row], product)
