"""Cut the counts of a corpus down to one task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from isthmus.bench.counts import Counted
from isthmus.bench.tasks import Selection, Task

__all__ = ["Problem", "cut_problem"]


@dataclass(frozen=True)
class Problem:
    """The documents of a task: source rows first, then target rows.

    Attributes
    ----------
    counts : scipy.sparse.csr_matrix
        Counts of the terms kept.
    labels : ndarray of int
        Class number of every row, of the target's also.
    classes : tuple of str
        Class names, in the order of the numbers.
    n_source : int
        How many rows are source.
    """

    counts: sparse.csr_matrix
    labels: np.ndarray
    classes: tuple[str, ...]
    n_source: int


def cut_problem(counted: Counted, task: Task, min_df: int, dtype: str) -> Problem:
    """Select the rows of a task and the terms that stand in ``min_df`` of them or more."""
    classes = tuple(name for name, _ in task.source)
    source_rows, source_labels = _rows(counted.groups, task.source, classes)
    target_rows, target_labels = _rows(counted.groups, task.target, classes)
    counts = counted.matrix[np.concatenate([source_rows, target_rows])]
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    kept = np.flatnonzero(frequency >= min_df)
    if not kept.size:
        raise ValueError(
            f"No term of task '{task.name}' stands in {min_df} documents: "
            "lower min_df in the suite."
        )
    return Problem(
        counts=sparse.csr_matrix(counts[:, kept], dtype=dtype),
        labels=np.concatenate([source_labels, target_labels]),
        classes=classes,
        n_source=len(source_rows),
    )


def _rows(
    groups: np.ndarray, selection: Selection, classes: tuple[str, ...]
) -> tuple[np.ndarray, np.ndarray]:
    number = np.full(len(groups), -1)
    for name, chosen in selection:
        number[np.isin(groups, chosen)] = classes.index(name)
    rows = np.flatnonzero(number >= 0)
    return rows, number[rows]
