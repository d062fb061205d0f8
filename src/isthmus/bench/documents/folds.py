"""Folds: a partition of the rows of every class, drawn once for all problems and methods."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isthmus.bench.documents.tasks import Task

__all__ = ["check_seeds", "in_fold"]

# Neither the seed of a run nor the place of a domain is in the draw: a domain has the same folds
# as a source and as a target, and the folds of one problem do not overlap.
_FOLDS = 20
"""Begins the entropy of the draw, a stream of its own beside those of the seeds."""


def check_seeds(task: Task, seeds: Sequence[int | None], where: str = "") -> None:
    """Raise ValueError if a task has folds and a seed names none; ``where`` says in which suite."""
    if task.folds is None:
        return
    wrong = [seed for seed in seeds if seed is None or not 0 <= seed < task.folds]
    if wrong:
        raise ValueError(
            f"The seed {wrong[0]} names no fold of the problem '{task.name}'{where}: with "
            f"folds={task.folds} give seeds from 0 to {task.folds - 1}."
        )


def in_fold(labels: np.ndarray, task: Task, position: int, seed: int | None) -> np.ndarray:
    """Return which rows of a domain are in the fold that the seed names.

    Parameters
    ----------
    labels : ndarray of int
        Class numbers of the domain's rows.
    task : Task
        A task with ``folds``.
    position : int
        The place of the domain among those of the task, for errors.
    seed : int or None
        The number of the fold, from 0 on.

    Returns
    -------
    ndarray of bool
        True for the rows of the fold.
    """
    check_seeds(task, [seed])
    folds = task.folds or 0
    chosen = np.zeros(len(labels), bool)
    for code in np.unique(labels).tolist():
        rows = np.flatnonzero(labels == code)
        if rows.size < folds:
            raise ValueError(
                f"Domain {position} of task '{task.name}' has {rows.size} rows of the class "
                f"'{task.classes[code]}', fewer than folds={folds}: lower it in the suite."
            )
        chosen[np.random.default_rng([_FOLDS, code]).permutation(rows)[seed::folds]] = True
    return chosen
