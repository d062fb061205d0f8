"""Documents of several domains as one matrix, without copying them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from isthmus.matrices.protocols import Array, Documents


class StackedDocuments:
    """Blocks of rows with one vocabulary as one matrix.

    Implements the part of the protocol :class:`Documents` that subspace methods need.
    """

    def __init__(self, blocks: Sequence[Documents]) -> None:
        self.blocks = tuple(blocks)
        self.engine = self.blocks[0].engine
        self.starts = np.concatenate([[0], np.cumsum([block.shape[0] for block in self.blocks])])
        self.shape = (int(self.starts[-1]), self.blocks[0].shape[1])
        self.dtype: np.dtype[Any] = self.blocks[0].dtype

    def times(self, right: Array) -> Array:
        return self.engine.xp.concatenate([block.times(right) for block in self.blocks])

    def transposed_times(self, left: Array) -> Array:
        parts = zip(self.blocks, self.split(left), strict=True)
        # Blocks are added in a fixed order, so that threads do not change the result.
        return sum(block.transposed_times(part) for block, part in parts)

    def squared_norm(self) -> float:
        return sum(block.squared_norm() for block in self.blocks)

    def split(self, rows: Array) -> list[Array]:
        """Views of the values of each block."""
        return [rows[start:stop] for start, stop in pairwise(self.starts.tolist())]
