"""Choose the rows of a corpus that make up a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isthmus_bench.documents.tasks import BenchmarkTask

__all__ = ["NO_CLASS", "TaskRows", "check_seeds", "choose_rows", "draw_share", "needed_seed"]

NO_CLASS = -1
"""The class number of a row of a pool."""

# Kept rows, samples and folds are drawn from separate random streams, so that one draw does not
# depend on another.
_KEPT, _SAMPLED = 1, 2
# Neither the seed of a run nor the position of a domain enters this draw: a domain has the same
# folds as a source and as a target, and the folds of one problem do not overlap.
_FOLDS = 20


@dataclass(frozen=True)
class TaskRows:
    """Rows of a corpus, domain after domain, with the class number and the domain of each.

    The rows of a domain's pool come last; their class number is :data:`NO_CLASS`.
    """

    rows: np.ndarray
    labels: np.ndarray
    sample_domain: np.ndarray

    def take(self, kept: np.ndarray) -> TaskRows:
        """Some of the rows."""
        return TaskRows(self.rows[kept], self.labels[kept], self.sample_domain[kept])


def choose_rows(groups: np.ndarray, task: BenchmarkTask, seed: int | None = None) -> TaskRows:
    """Return the rows of a task.

    The seed draws ``keep_target``, ``sample`` and ``sample_source``, and names the fold. The rows
    of a smaller fraction or sample are among those of a larger one. Pools are always complete.
    """
    parts: list[TaskRows] = []
    for position, (number, selection) in enumerate(task.domains.items()):
        codes = np.full(len(groups), NO_CLASS)
        for name, chosen in selection.items():
            codes[np.isin(groups, chosen)] = task.classes.index(name)
        rows = np.flatnonzero(codes != NO_CLASS)
        labels = codes[rows]
        kept = np.ones(len(rows), bool)
        if number < 0 and task.keep_target:
            _keep_shares(kept, labels, task, position, seed)
        if task.sample_of(number) is not None:
            _keep_sample(kept, labels, task, number, seed)
        if task.folds is not None:
            # Training and scored rows are in different folds.
            kept = _in_fold(labels, task, position, seed) == (number < 0)
        pool = np.flatnonzero(np.isin(groups, task.pools.get(number, ())))
        rows = np.concatenate([rows[kept], pool])
        labels = np.concatenate([labels[kept], np.full(len(pool), NO_CLASS)])
        parts.append(TaskRows(rows, labels, np.full(len(rows), number)))
    return TaskRows(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.sample_domain for part in parts]),
    )


def draw_share(rows: np.ndarray, share: float, entropy: list[int]) -> np.ndarray:
    """Draw a fraction of the rows, at least one; none of none."""
    order = np.random.default_rng(entropy)
    return order.permutation(rows)[: max(1, round(share * rows.size))]


def needed_seed(seed: int | None, task: BenchmarkTask) -> int:
    """The seed of a draw."""
    if seed is None:
        raise ValueError(f"The task '{task.name}' draws documents: give a seed.")
    return seed


def check_seeds(task: BenchmarkTask, seeds: Sequence[int | None]) -> None:
    """Raise ValueError if the task has folds and a seed is not the number of one."""
    for seed in seeds if task.folds is not None else ():
        if seed is None or not 0 <= seed < (task.folds or 0):
            raise ValueError(
                f"The seed {seed} names no fold of the problem '{task.name}': with "
                f"folds={task.folds} use seeds from 0 to {(task.folds or 0) - 1}."
            )


def _in_fold(
    labels: np.ndarray, task: BenchmarkTask, position: int, seed: int | None
) -> np.ndarray:
    """Which rows of a domain are in the fold that the seed names."""
    check_seeds(task, [seed])
    folds = task.folds or 0
    chosen = np.zeros(len(labels), bool)
    for code in np.unique(labels).tolist():
        rows = np.flatnonzero(labels == code)
        _check_enough(rows, folds, "folds", task, position, code)
        chosen[np.random.default_rng([_FOLDS, code]).permutation(rows)[seed::folds]] = True
    return chosen


def _keep_shares(
    kept: np.ndarray, labels: np.ndarray, task: BenchmarkTask, position: int, seed: int | None
) -> None:
    """Remove the target rows that are not drawn from ``kept``."""
    for name, share in task.keep_target.items():
        code = task.classes.index(name)
        of_class = np.flatnonzero(labels == code)
        kept[of_class] = False
        entropy = [needed_seed(seed, task), position, code, _KEPT]
        kept[draw_share(of_class, share, entropy)] = True


def _keep_sample(
    kept: np.ndarray, labels: np.ndarray, task: BenchmarkTask, number: int, seed: int | None
) -> None:
    """Remove the rows of a domain that are not sampled from ``kept``."""
    position, size = list(task.domains).index(number), task.sample_of(number) or 0
    field = "sample_source" if number >= 0 and task.sample_source is not None else "sample"
    kept[:] = False
    for code in np.unique(labels).tolist():
        of_class = np.flatnonzero(labels == code)
        _check_enough(of_class, size, field, task, position, code)
        entropy = [needed_seed(seed, task), position, code, _SAMPLED]
        kept[np.random.default_rng(entropy).permutation(of_class)[:size]] = True


def _check_enough(
    rows: np.ndarray, least: int, field: str, task: BenchmarkTask, position: int, code: int
) -> None:
    if rows.size < least:
        raise ValueError(
            f"Domain {position} of task '{task.name}' has {rows.size} rows of the class "
            f"'{task.classes[code]}', fewer than {field}={least}: lower it in the suite."
        )
