"""One vocabulary for two languages, and how counts find their places in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.text.bridge.coverage import Coverage

__all__ = ["Bridge"]


@dataclass(frozen=True)
class Bridge:
    """One vocabulary for two languages.

    Attributes
    ----------
    terms : list of str
        The source's terms and those of the target that are features of their own, sorted.
    source : array of int
        The column of every term of the source.
    target : csr_matrix of shape (target terms, terms)
        How the counts of every term of the target are split over the columns; rows sum to 1.
    use : array of float
        Occurrences of every term of the target.
    coverage : Coverage
    """

    terms: list[str]
    source: NDArray[np.intp]
    target: sparse.csr_matrix
    use: NDArray[np.float64]
    coverage: Coverage

    def place_source(self, counts: Any) -> Any:
        """Counts of the source's terms in their columns."""
        columns = self.source.astype(counts.indices.dtype)[counts.indices]
        shape = (counts.shape[0], len(self.terms))
        placed = sparse.csr_matrix((counts.data, columns, counts.indptr), shape=shape, copy=False)
        placed.sort_indices()
        return placed

    def place_target(self, counts: Any) -> Any:
        """Counts of the target's terms, split over their columns."""
        placed = sparse.csr_matrix(counts @ self.target.astype(counts.dtype))
        placed.sort_indices()
        return placed

    def spellings(
        self, source: Sequence[str], target: Sequence[str], *, of_target: bool
    ) -> list[str]:
        """The terms as people write them, from the spellings of both vocabularies.

        For the target, its own words with what they were joined to: "Buch (book)".
        """
        names = dict(zip(self.source.tolist(), source, strict=True))
        by_column = self.target.tocsc()
        for column in range(len(self.terms)):
            rows = slice(by_column.indptr[column], by_column.indptr[column + 1])
            if rows.start == rows.stop or (column in names and not of_target):
                continue
            heaviest = np.argmax(by_column.data[rows] * self.use[by_column.indices[rows]])
            own = target[by_column.indices[rows][heaviest]]
            other = names.get(column, own)  # a term that the target has to itself
            names[column] = own if own == other else f"{own} ({other})"
        return [names[column] for column in range(len(self.terms))]
