"""Rows of a problem split into blocks, and joined again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Domain, Problem
from isthmus.matrices.protocols import Documents


@dataclass(frozen=True)
class Block:
    """Rows of one domain."""

    domain: Domain
    rows: NDArray[np.intp]
    """Their positions in the domain."""
    documents: Documents

    @property
    def labels(self) -> NDArray[np.intp]:
        return self.domain.labels[self.rows]


def whole_domains(problem: Problem) -> list[Block]:
    """One block per domain."""
    return [Block(d, np.arange(len(d.labels)), d.documents) for d in problem.domains]


def by_label(problem: Problem) -> list[Block]:
    """For every domain one block of labeled and one of unlabeled rows; no empty blocks."""
    blocks = []
    for domain in problem.domains:
        for rows in (np.flatnonzero(domain.labeled), np.flatnonzero(~domain.labeled)):
            if len(rows) == len(domain.labels):
                blocks.append(Block(domain, rows, domain.documents))
            elif len(rows):
                blocks.append(Block(domain, rows, domain.documents.take_rows(rows)))
    return blocks


def stacked_labels(blocks: list[Block]) -> NDArray[np.intp]:
    """Labels of the rows of all blocks, one block after the other."""
    return np.concatenate([block.labels for block in blocks])


def split_by_domain(
    problem: Problem, blocks: list[Block], values: NDArray[Any]
) -> list[NDArray[Any]]:
    """Values of the stacked blocks as one array per domain, in the row order of the domain."""
    parts = {
        domain.number: np.empty((len(domain.labels), *values.shape[1:]), values.dtype)
        for domain in problem.domains
    }
    start = 0
    for block in blocks:
        stop = start + len(block.rows)
        parts[block.domain.number][block.rows] = values[start:stop]
        start = stop
    return [parts[domain.number] for domain in problem.domains]
