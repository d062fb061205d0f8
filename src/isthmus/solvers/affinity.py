"""Similarities between all documents, as products: the matrix itself is never formed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.solvers.scaling import unit_rows

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
    own: tuple[NDArray[np.float64], ...] | None
    """Every document's similarity to itself, taken out of the product; None leaves it in."""

    @classmethod
    def of(
        cls, documents: Sequence[Documents], *, signed: bool = False, with_self: bool = True
    ) -> CosineAffinity:
        blocks = tuple(unit_rows(block) for block in documents)
        own = None if with_self else tuple(_own(block, signed) for block in blocks)
        return cls(blocks, np.ones((len(blocks), len(blocks))), signed, own)

    @property
    def n_rows(self) -> int:
        return sum(block.shape[0] for block in self.blocks)

    def reweighted(self, weights: NDArray[Any]) -> CosineAffinity:
        return replace(self, weights=self.weights * weights)

    def times(self, columns: NDArray[Any]) -> NDArray[Any]:
        seen = zip(self.blocks, self.seen_by(self.weights, columns), strict=True)
        product = np.concatenate([view.of(block) for block, view in seen])
        if self.own is not None:
            weighted = zip(self.own, np.diagonal(self.weights), strict=True)
            product -= np.concatenate([own * weight for own, weight in weighted])[:, None] * columns
        return product

    def seen_by(self, weights: NDArray[Any], columns: NDArray[Any]) -> list[Seen]:
        """``W @ columns`` as documents see it that weigh the blocks by the rows of ``weights``."""
        ends = np.cumsum([block.shape[0] for block in self.blocks])
        parts = np.split(columns, ends[:-1])
        shape, dtype = (self.blocks[0].shape[1], columns.shape[1]), self.blocks[0].dtype
        seen = [Seen(np.zeros(shape, dtype), np.zeros(columns.shape[1])) for _ in weights]
        half = 0.5 if self.signed else 1.0
        for e, (block, part) in enumerate(zip(self.blocks, parts, strict=True)):
            totals = (1 - half) * part.sum(axis=0)
            for start in range(0, columns.shape[1], _COLUMNS):
                some = slice(start, start + _COLUMNS)
                sums = half * np.asarray(block.transposed_times(part[:, some]))
                for row, of_row in zip(weights, seen, strict=True):
                    of_row.words[:, some] += dtype.type(row[e]) * sums
            for row, of_row in zip(weights, seen, strict=True):
                of_row.offset[:] += row[e] * totals
        return seen


def _own(block: Documents, signed: bool) -> NDArray[np.float64]:
    squares = block.row_norms() ** 2  # 1, or 0 for an empty document
    return (1 + squares) / 2 if signed else squares


@dataclass(frozen=True)
class Seen:
    """Similarities to all fitted documents times some columns: linear in a document."""

    words: NDArray[Any]
    """A row a term."""
    offset: NDArray[Any]

    def of(self, documents: Documents) -> NDArray[np.float64]:
        """The rows of documents of length 1."""
        return np.asarray(documents.times(self.words), np.float64) + self.offset


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
