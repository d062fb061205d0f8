"""Rows of a problem cut into blocks of one kind, and put together again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Domain, Problem
from isthmus.matrices.protocols import Documents


@dataclass(frozen=True)
class Block:
    """Rows of one domain that are all labelled, or all not."""

    domain: Domain
    rows: NDArray[np.intp]
    """Where they stand in the domain."""
    documents: Documents

    @property
    def labels(self) -> NDArray[np.intp]:
        return self.domain.labels[self.rows]


def whole_domains(problem: Problem) -> list[Block]:
    """A block a domain."""
    return [Block(d, np.arange(len(d.labels)), d.documents) for d in problem.domains]


def by_label(problem: Problem) -> list[Block]:
    """A block for the labelled and one for the other rows of every domain that has such."""
    blocks = []
    for domain in problem.domains:
        for rows in (np.flatnonzero(domain.labelled), np.flatnonzero(~domain.labelled)):
            if len(rows) == len(domain.labels):
                blocks.append(Block(domain, rows, domain.documents))
            elif len(rows):
                blocks.append(Block(domain, rows, domain.documents.take_rows(rows)))
    return blocks


def stacked_labels(blocks: list[Block]) -> NDArray[np.intp]:
    """Labels of the rows of all blocks, one block after the other."""
    return np.concatenate([block.labels for block in blocks])


def back_to_domains(
    problem: Problem, blocks: list[Block], values: NDArray[Any]
) -> list[NDArray[Any]]:
    """Values of the rows of all blocks as those of the rows of every domain."""
    found = {}
    for domain in problem.domains:
        found[domain.number] = np.empty((len(domain.labels), *values.shape[1:]), values.dtype)
    start = 0
    for block in blocks:
        stop = start + len(block.rows)
        found[block.domain.number][block.rows] = values[start:stop]
        start = stop
    return [found[domain.number] for domain in problem.domains]
