"""Similarities between all documents, as products: the matrix itself is never formed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.numerics.scaling import unit_rows

#: Similarities up to this are rounding: a document's to itself is 1.
ROUNDING = 1e-5
# Columns taken at a time, so that what is made on the way stays small beside the result.
_COLUMNS = 8


class Affinity(Protocol):
    """A symmetric matrix with a row and a column a document, known by its products alone."""

    @property
    def n_rows(self) -> int: ...

    def times(self, columns: NDArray[Any]) -> NDArray[Any]:
        """``W @ columns``."""
        ...

    def reweighted(self, weights: NDArray[Any]) -> Affinity:
        """The same with every entry times the weight of its two blocks of rows."""
        ...


def degrees_of(affinity: Affinity) -> NDArray[np.float64]:
    """What the similarities of every document add up to."""
    return np.asarray(affinity.times(np.ones((affinity.n_rows, 1)))[:, 0], np.float64)


def inverse_roots(degrees: NDArray[Any], rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    """``D^-1/2`` of these rows, which have degrees above zero; 0 of the others."""
    return np.where(rows, 1 / np.sqrt(np.where(rows, degrees, 1.0)), 0.0)


@dataclass(frozen=True)
class CosineAffinity:
    """Cosines between documents, ``W = X X'`` with rows of length 1.

    ``signed`` is for documents with entries below zero (embeddings), whose cosines could make
    degrees negative: there ``W = (1 1' + X X') / 2``, that is (1 + cos) / 2.
    """

    blocks: tuple[Documents, ...]
    """Rows of length 1, or of zeros."""
    weights: NDArray[np.float64]
    """A number for every pair of blocks, 1 if nothing else is wanted."""
    signed: bool
    filled: tuple[NDArray[np.bool_], ...]
    """Which documents are not empty: only they are like any other."""
    with_self: bool
    """Whether a document is like itself, or the diagonal of ``W`` is zero."""

    @classmethod
    def of(
        cls, documents: Sequence[Documents], *, signed: bool = False, with_self: bool = True
    ) -> CosineAffinity:
        blocks = tuple(unit_rows(block) for block in documents)
        filled = tuple(block.row_norms() > 0 for block in blocks)
        return cls(blocks, np.ones((len(blocks), len(blocks))), signed, filled, with_self)

    @property
    def n_rows(self) -> int:
        return sum(block.shape[0] for block in self.blocks)

    def reweighted(self, weights: NDArray[Any]) -> CosineAffinity:
        return replace(self, weights=self.weights * weights)

    def times(self, columns: NDArray[Any]) -> NDArray[Any]:
        seen = zip(self.blocks, self.seen_by(self.weights, columns), strict=True)
        product = np.concatenate([view.of(block) for block, view in seen])
        if not self.with_self:
            weighted = zip(self.filled, np.diagonal(self.weights), strict=True)
            own = np.concatenate([filled * weight for filled, weight in weighted])
            product -= own[:, None] * columns
        return product

    def seen_by(self, weights: NDArray[Any], columns: NDArray[Any]) -> list[OutOfSampleMap]:
        """``W @ columns`` as documents see it that weigh the blocks by the rows of ``weights``.

        Rows that are the same share what they see: of all sources it is often the same.
        """
        rows, which = np.unique(weights, axis=0, return_inverse=True)
        shape, dtype = (self.blocks[0].shape[1], columns.shape[1]), self.blocks[0].dtype
        seen = [OutOfSampleMap(np.zeros(shape, dtype), np.zeros(columns.shape[1])) for _ in rows]
        half = 0.5 if self.signed else 1.0
        ends = np.cumsum([block.shape[0] for block in self.blocks])
        parts = zip(self.blocks, self.filled, np.split(columns, ends[:-1]), strict=True)
        for e, (block, filled, part) in enumerate(parts):
            totals = (1 - half) * part[filled].sum(axis=0)
            for start in range(0, columns.shape[1], _COLUMNS):
                some = slice(start, start + _COLUMNS)
                sums = half * np.asarray(block.transposed_times(part[:, some]))
                for row, of_row in zip(rows, seen, strict=True):
                    of_row.words[:, some] += dtype.type(row[e]) * sums
            for row, of_row in zip(rows, seen, strict=True):
                of_row.offset[:] += row[e] * totals
        return [seen[number] for number in which.ravel()]


@dataclass(frozen=True)
class OutOfSampleMap:
    """Similarities to all fitted documents times some columns: linear in a document."""

    words: NDArray[Any]
    """A row a term."""
    offset: NDArray[Any]

    def of(self, documents: Documents) -> NDArray[np.float64]:
        """The rows of documents of length 1; zeros for empty ones."""
        product = np.asarray(documents.times(self.words), np.float64)
        if self.offset.any():
            product += (documents.row_norms() > 0)[:, None] * self.offset
        return product


@dataclass(frozen=True)
class GraphAffinity:
    """Similarities kept for some pairs only: a sparse symmetric matrix."""

    graph: Documents
    block_of_row: NDArray[np.intp]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, graph: Documents, sizes: Sequence[int]) -> GraphAffinity:
        """The graph of all documents, whose rows stand block after block in ``sizes``."""
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
        # A weight depends on the blocks of row and column alone, so one product with the columns
        # set apart by block serves all of them.
        n_blocks, width = len(self.weights), columns.shape[1]
        apart = np.zeros((self.n_rows, n_blocks * width))
        for block in range(n_blocks):
            rows = self.block_of_row == block
            apart[rows, block * width : (block + 1) * width] = columns[rows]
        product = np.asarray(self.graph.times(apart), np.float64)
        product = product.reshape(self.n_rows, n_blocks, width)
        return np.einsum("ib,ibk->ik", self.weights[self.block_of_row], product)
