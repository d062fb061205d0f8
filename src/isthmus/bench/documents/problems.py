"""Cut the counts of a corpus down to one task, and draw the rows whose labels are shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from isthmus.bench.documents.corpora import find_corpus
from isthmus.bench.documents.counts import Counted
from isthmus.bench.documents.duplicates import find_duplicates
from isthmus.bench.documents.rows import NO_CLASS, Chosen, choose_rows, draw_share, needed_seed
from isthmus.bench.documents.tasks import Task

__all__ = ["Problem", "cut_problem", "draw_labelled", "fitted_rows", "scored_rows"]


@dataclass(frozen=True)
class Problem:
    """The documents of a task, domain after domain: sources 0, 1, ..., then targets -1, -2, ...

    Attributes
    ----------
    counts : scipy.sparse.csr_matrix
        Counts of the terms kept.
    labels : ndarray of int
        True class number of every row, whether a method may see it or not; -1 for a row of a
        pool, which has no class.
    sample_domain : ndarray of int
        Domain of every row.
    classes : tuple of str
        Class names, in the order of the numbers.
    n_duplicates : int
        Rows of pools that were left out because a scored row has the same counts.
    """

    counts: sparse.csr_matrix
    labels: np.ndarray
    sample_domain: np.ndarray
    classes: tuple[str, ...]
    n_duplicates: int = 0

    @property
    def pooled(self) -> np.ndarray:
        """Which rows are of a pool."""
        return np.asarray(self.labels == NO_CLASS)


def cut_problem(
    counted: Counted,
    task: Task,
    min_df: int,
    dtype: str,
    seed: int | None = None,
    max_terms: int | None = None,
) -> Problem:
    """Select the rows of a task and the terms that stand in ``min_df`` of them or more.

    Of more than ``max_terms`` terms those that stand in the most rows stay, the first of equals.
    Where the rows to score are new documents, terms are counted in the others alone. Rows of
    pools that equal a row of a target with a class are left out.
    """
    chosen = choose_rows(counted.groups, task, seed)
    counts = counted.matrix[chosen.rows]
    duplicates = _duplicates(counts, chosen, task)
    if duplicates.any():
        counts, chosen = counts[~duplicates], chosen.only(~duplicates)
    fitted = fitted_rows(chosen, task)
    in_fit = counts if fitted.all() else counts[fitted]
    frequency = np.bincount(in_fit.indices, minlength=counts.shape[1])
    kept = np.flatnonzero(frequency >= min_df)
    if not kept.size:
        raise ValueError(
            f"No term of task '{task.name}' stands in {min_df} documents: "
            "lower min_df in the suite."
        )
    if max_terms is not None:
        kept = np.sort(kept[np.argsort(-frequency[kept], kind="stable")[:max_terms]])
    return Problem(
        counts=sparse.csr_matrix(counts[:, kept], dtype=dtype),
        labels=chosen.labels,
        sample_domain=chosen.sample_domain,
        classes=task.classes,
        n_duplicates=int(np.count_nonzero(duplicates)),
    )


def fitted_rows(problem: Problem | Chosen, task: Task) -> np.ndarray:
    """Return which rows are in the fit: all, or all but the targets' that have a class."""
    if not task.new_documents:
        return np.ones(len(problem.labels), bool)
    return np.asarray((problem.sample_domain >= 0) | (problem.labels == NO_CLASS))


def draw_labelled(problem: Problem, task: Task, seed: int | None) -> np.ndarray:
    """Return which rows show their label to a method.

    Of every class of every domain the task's share is drawn, one row or more. Rows drawn for
    a smaller share are among those of a larger one, so that figures for growing shares differ
    by the added labels alone. ``seed`` is needed only where the task draws.
    """
    shown = np.zeros(len(problem.labels), bool)
    for position, number in enumerate(task.domains):
        share = task.labelled_source if number >= 0 else task.labelled_target
        for code in range(len(problem.classes)):
            rows = np.flatnonzero((problem.sample_domain == number) & (problem.labels == code))
            if 0 < share < 1 and rows.size:
                # A stream for every class of every domain: one share does not move another's draw.
                rows = draw_share(
                    rows, share, [needed_seed(seed, task, "labelled"), position, code]
                )
            shown[rows] = share > 0
    if shown[(problem.sample_domain < 0) & ~problem.pooled].all():
        raise ValueError(
            f"Every target row of task '{task.name}' is labelled, so there is none to score: "
            "lower labelled_target in the suite."
        )
    return shown


def scored_rows(problem: Problem, task: Task, shown: np.ndarray) -> np.ndarray:
    """Return which rows a score is about: those of targets whose label no method saw.

    Rows of pools have no class to be scored by.
    """
    rows = (problem.sample_domain < 0) & ~problem.pooled & ~shown
    return rows if task.scored is None else rows & (problem.sample_domain == -task.scored)


def _duplicates(counts: sparse.csr_matrix, chosen: Chosen, task: Task) -> np.ndarray:
    pooled = chosen.labels == NO_CLASS
    if not pooled.any():
        return pooled
    scored = (chosen.sample_domain < 0) & ~pooled
    return find_duplicates(counts, pooled, scored, find_corpus(task.corpus).pool_terms)
