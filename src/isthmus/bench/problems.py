"""Cut the counts of a corpus down to one task, and draw the rows whose labels are shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from isthmus.bench.counts import Counted
from isthmus.bench.tasks import Selection, Task

__all__ = [
    "Chosen", "Problem", "choose_rows", "cut_problem", "draw_labelled", "scored_rows",
]  # fmt: skip

# Kept, sampled and labelled rows are drawn from streams of their own: one draw says nothing of
# another.
_KEPT, _SAMPLED = 1, 2


@dataclass(frozen=True)
class Problem:
    """The documents of a task, domain after domain: sources 0, 1, ..., then targets -1, -2, ...

    Attributes
    ----------
    counts : scipy.sparse.csr_matrix
        Counts of the terms kept.
    labels : ndarray of int
        True class number of every row, whether a method may see it or not.
    sample_domain : ndarray of int
        Domain of every row.
    classes : tuple of str
        Class names, in the order of the numbers.
    """

    counts: sparse.csr_matrix
    labels: np.ndarray
    sample_domain: np.ndarray
    classes: tuple[str, ...]


@dataclass(frozen=True)
class Chosen:
    """Rows of a corpus, domain after domain, with the class number and the domain of each."""

    rows: np.ndarray
    labels: np.ndarray
    sample_domain: np.ndarray


def choose_rows(groups: np.ndarray, task: Task, seed: int | None = None) -> Chosen:
    """Return the rows that make up a task.

    Of a target class in ``task.keep_target`` its share is drawn, one row or more, and of every
    class of every domain ``task.sample`` rows; ``seed`` is needed only there. Rows drawn for a
    smaller share or sample are among those of a larger one.
    """
    parts: list[Chosen] = []
    for position, (number, selection) in enumerate(task.domains.items()):
        rows, labels = _rows(groups, selection, task.classes)
        kept = np.ones(len(rows), bool)
        if number < 0 and task.keep_target:
            _keep_shares(kept, labels, task, position, seed)
        if task.sample is not None:
            _keep_sample(kept, labels, task, position, seed)
        rows, labels = rows[kept], labels[kept]
        parts.append(Chosen(rows, labels, np.full(len(rows), number)))
    return Chosen(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.sample_domain for part in parts]),
    )


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
    """
    chosen = choose_rows(counted.groups, task, seed)
    counts = counted.matrix[chosen.rows]
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
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
    )


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
                rows = _draw(rows, share, [_needed(seed, task, "labelled"), position, code])
            shown[rows] = share > 0
    if shown[problem.sample_domain < 0].all():
        raise ValueError(
            f"Every target row of task '{task.name}' is labelled, so there is none to score: "
            "lower labelled_target in the suite."
        )
    return shown


def scored_rows(problem: Problem, task: Task, shown: np.ndarray) -> np.ndarray:
    """Return which rows a score is about: those of targets whose label no method saw."""
    rows = (problem.sample_domain < 0) & ~shown
    return rows if task.scored is None else rows & (problem.sample_domain == -task.scored)


def _keep_shares(
    kept: np.ndarray, labels: np.ndarray, task: Task, position: int, seed: int | None
) -> None:
    """Take the rows of a target that are not drawn out of ``kept``."""
    for name, share in task.keep_target:
        code = task.classes.index(name)
        of_class = np.flatnonzero(labels == code)
        entropy = [_needed(seed, task, "target"), position, code, _KEPT]
        kept[of_class] = False
        kept[_draw(of_class, share, entropy)] = True


def _keep_sample(
    kept: np.ndarray, labels: np.ndarray, task: Task, position: int, seed: int | None
) -> None:
    """Take the rows of a domain that are not sampled out of ``kept``."""
    size = task.sample or 0
    kept[:] = False
    for code in np.unique(labels).tolist():
        of_class = np.flatnonzero(labels == code)
        if of_class.size < size:
            raise ValueError(
                f"Domain {position} of task '{task.name}' has {of_class.size} rows of the class "
                f"'{task.classes[code]}', fewer than sample={size}: lower it in the suite."
            )
        entropy = [_needed(seed, task, "its"), position, code, _SAMPLED]
        kept[np.random.default_rng(entropy).permutation(of_class)[:size]] = True


def _draw(rows: np.ndarray, share: float, entropy: list[int]) -> np.ndarray:
    """A share of rows, one or more of them; none of none."""
    order = np.random.default_rng(entropy)
    return order.permutation(rows)[: max(1, round(share * rows.size))]


def _needed(seed: int | None, task: Task, what: str) -> int:
    if seed is None:
        raise ValueError(f"The task '{task.name}' draws {what} rows: give a seed.")
    return seed


def _rows(
    groups: np.ndarray, selection: Selection, classes: tuple[str, ...]
) -> tuple[np.ndarray, np.ndarray]:
    number = np.full(len(groups), -1)
    for name, chosen in selection:
        number[np.isin(groups, chosen)] = classes.index(name)
    rows = np.flatnonzero(number >= 0)
    return rows, number[rows]
