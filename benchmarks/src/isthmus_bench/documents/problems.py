"""The documents of a task: counts, labels, and which rows are labeled, fitted and scored."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from isthmus.matrices.rows import duplicate_groups
from isthmus_bench.documents.corpora import find_corpus
from isthmus_bench.documents.counts import Counted
from isthmus_bench.documents.rows import NO_CLASS, TaskRows, choose_rows, draw_share, needed_seed
from isthmus_bench.documents.tasks import BenchmarkTask

__all__ = [
    "BenchmarkProblem", "cut_problem", "draw_labeled", "find_duplicates", "fitted_rows",
    "scored_rows",
]  # fmt: skip


@dataclass(frozen=True)
class BenchmarkProblem:
    """The documents of a task, domain after domain: sources 0, 1, ..., then targets -1, -2, ...

    Attributes
    ----------
    counts : scipy.sparse.csr_matrix
        Counts of the terms that are kept.
    labels : ndarray of int
        True class number of every row, visible to a method or not; -1 for a row of a pool.
    sample_domain : ndarray of int
        Domain of every row.
    classes : tuple of str
        Class names, in the order of the numbers.
    n_duplicates : int
        Rows of pools that were removed because a scored row has the same counts.
    rows : ndarray of int, optional
        The row of the corpus that every row comes from.
    """

    counts: sparse.csr_matrix
    labels: np.ndarray
    sample_domain: np.ndarray
    classes: tuple[str, ...]
    n_duplicates: int = 0
    rows: np.ndarray | None = None

    @property
    def pooled(self) -> np.ndarray:
        """Which rows belong to a pool."""
        return np.asarray(self.labels == NO_CLASS)

    def take(self, kept: np.ndarray) -> BenchmarkProblem:
        """The problem with some of its rows."""
        return replace(
            self,
            counts=self.counts[kept],
            labels=self.labels[kept],
            sample_domain=self.sample_domain[kept],
            rows=None if self.rows is None else self.rows[kept],
        )


def cut_problem(
    counted: Counted,
    task: BenchmarkTask,
    min_df: int,
    dtype: str,
    seed: int | None = None,
    max_terms: int | None = None,
) -> BenchmarkProblem:
    """Select the rows of a task and the terms that occur in ``min_df`` of them or more.

    At most ``max_terms`` terms are kept, those that occur in the most rows, the first of equals.
    New documents do not count. Rows of pools that equal a scored row are removed.
    """
    chosen = choose_rows(counted.groups, task, seed)
    counts = counted.matrix[chosen.rows]
    pooled = chosen.labels == NO_CLASS
    duplicates = pooled
    if pooled.any():
        scored = (chosen.sample_domain < 0) & ~pooled
        n_terms = find_corpus(task.corpus).pool_terms
        duplicates = find_duplicates(counts, pooled, scored, n_terms)
        counts, chosen = counts[~duplicates], chosen.take(~duplicates)
    fitted = fitted_rows(chosen, task)
    in_fit = counts if fitted.all() else counts[fitted]
    frequency = np.bincount(in_fit.indices, minlength=counts.shape[1])
    kept = np.flatnonzero(frequency >= min_df)
    if not kept.size:
        raise ValueError(
            f"No term of task '{task.name}' occurs in {min_df} documents: lower min_df in the "
            "suite."
        )
    if max_terms is not None:
        kept = np.sort(kept[np.argsort(-frequency[kept], kind="stable")[:max_terms]])
    return BenchmarkProblem(
        counts=sparse.csr_matrix(counts[:, kept], dtype=dtype),
        labels=chosen.labels,
        sample_domain=chosen.sample_domain,
        classes=task.classes,
        n_duplicates=int(np.count_nonzero(duplicates)),
        rows=chosen.rows,
    )


def find_duplicates(
    counts: sparse.csr_matrix, pooled: np.ndarray, scored: np.ndarray, n_terms: int | None = None
) -> np.ndarray:
    """Return which rows of pools have the same terms and counts as a scored row.

    Only the first ``n_terms`` terms are compared. A row without any of them is never a duplicate.
    """
    duplicates = np.zeros(counts.shape[0], bool)
    rows = np.flatnonzero(pooled | scored)
    compared = sparse.csr_matrix(counts[rows, :n_terms], copy=True)
    compared.sum_duplicates()
    numbers = duplicate_groups(compared)
    duplicates[rows] = pooled[rows] & np.isin(numbers, numbers[scored[rows]])
    return duplicates


def fitted_rows(
    problem: BenchmarkProblem | TaskRows, task: BenchmarkTask, trained_on: str = "all"
) -> np.ndarray:
    """Return which rows are in the fit: all except new documents, or those ``trained_on`` names.

    That is the target, or the rows with a class of the source or of the target for their folds.
    """
    if trained_on != "all":
        of_side = (problem.sample_domain < 0) == trained_on.startswith("target")
        return np.asarray(of_side & ((trained_on == "target") | (problem.labels != NO_CLASS)))
    if not task.new_documents:
        return np.ones(len(problem.labels), bool)
    return np.asarray((problem.sample_domain >= 0) | (problem.labels == NO_CLASS))


def draw_labeled(problem: BenchmarkProblem, task: BenchmarkTask, seed: int | None) -> np.ndarray:
    """Return which rows show their label to a method.

    The task's fraction of every class of every domain is drawn, at least one row. Rows drawn for a
    smaller fraction are among those of a larger one, so that results differ by the added labels
    only.
    """
    shown = np.zeros(len(problem.labels), bool)
    for position, number in enumerate(task.domains):
        share = task.labeled_source if number >= 0 else task.labeled_target
        for code in range(len(problem.classes)):
            rows = np.flatnonzero((problem.sample_domain == number) & (problem.labels == code))
            if 0 < share < 1 and rows.size:
                # One random stream per class and domain: the draws are independent.
                rows = draw_share(rows, share, [needed_seed(seed, task), position, code])
            shown[rows] = share > 0
    if shown[(problem.sample_domain < 0) & ~problem.pooled].all():
        raise ValueError(
            f"Every target row of task '{task.name}' is labeled, so there is none to score: "
            "lower labeled_target in the suite."
        )
    return shown


def scored_rows(problem: BenchmarkProblem, task: BenchmarkTask, shown: np.ndarray) -> np.ndarray:
    """Return which rows are scored: target rows with a class whose label no method saw."""
    rows = (problem.sample_domain < 0) & ~problem.pooled & ~shown
    return rows if task.scored is None else rows & (problem.sample_domain == -task.scored)
