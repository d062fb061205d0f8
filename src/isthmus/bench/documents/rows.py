"""Choose the rows of a corpus that make up a task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isthmus.bench.documents.folds import in_fold
from isthmus.bench.documents.tasks import Selection, Task

__all__ = ["NO_CLASS", "Chosen", "choose_rows", "draw_share", "needed_seed"]

NO_CLASS = -1
"""The class number of a row of a pool: it has none, or none that anything may read."""

# Kept, sampled and labelled rows are drawn from streams of their own: one draw says nothing of
# another.
_KEPT, _SAMPLED = 1, 2


@dataclass(frozen=True)
class Chosen:
    """Rows of a corpus, domain after domain, with the class number and the domain of each.

    In a domain the rows of its pool come last; their class number is :data:`NO_CLASS`.
    """

    rows: np.ndarray
    labels: np.ndarray
    sample_domain: np.ndarray

    def only(self, kept: np.ndarray) -> Chosen:
        """Some of the rows."""
        return Chosen(self.rows[kept], self.labels[kept], self.sample_domain[kept])


def choose_rows(groups: np.ndarray, task: Task, seed: int | None = None) -> Chosen:
    """Return the rows that make up a task.

    Of a target class in ``task.keep_target`` its share is drawn, one row or more, and of every
    class of every domain ``task.sample`` rows, of the sources ``task.sample_source`` if it is
    set; ``seed`` is needed only there, and names the fold where the task has ``folds``. Rows drawn
    for a smaller share or sample are among those of a larger one. Pools are always whole.
    """
    parts: list[Chosen] = []
    for position, (number, selection) in enumerate(task.domains.items()):
        rows, labels = _rows(groups, selection, task.classes)
        kept = np.ones(len(rows), bool)
        if number < 0 and task.keep_target:
            _keep_shares(kept, labels, task, position, seed)
        if task.sample_of(number) is not None:
            _keep_sample(kept, labels, task, number, seed)
        if task.folds is not None:
            # What a source learns from and what a target is scored on lie in different folds.
            kept = in_fold(labels, task, position, seed) == (number < 0)
        pool = np.flatnonzero(np.isin(groups, task.pools.get(number, ())))
        rows = np.concatenate([rows[kept], pool])
        labels = np.concatenate([labels[kept], np.full(len(pool), NO_CLASS)])
        parts.append(Chosen(rows, labels, np.full(len(rows), number)))
    return Chosen(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.sample_domain for part in parts]),
    )


def draw_share(rows: np.ndarray, share: float, entropy: list[int]) -> np.ndarray:
    """A share of rows, one or more of them; none of none."""
    order = np.random.default_rng(entropy)
    return order.permutation(rows)[: max(1, round(share * rows.size))]


def needed_seed(seed: int | None, task: Task, what: str) -> int:
    """The seed of a draw; ``what`` says in the error which rows are drawn."""
    if seed is None:
        raise ValueError(f"The task '{task.name}' draws {what} rows: give a seed.")
    return seed


def _keep_shares(
    kept: np.ndarray, labels: np.ndarray, task: Task, position: int, seed: int | None
) -> None:
    """Take the rows of a target that are not drawn out of ``kept``."""
    for name, share in task.keep_target:
        code = task.classes.index(name)
        of_class = np.flatnonzero(labels == code)
        entropy = [needed_seed(seed, task, "target"), position, code, _KEPT]
        kept[of_class] = False
        kept[draw_share(of_class, share, entropy)] = True


def _keep_sample(
    kept: np.ndarray, labels: np.ndarray, task: Task, number: int, seed: int | None
) -> None:
    """Take the rows of a domain that are not sampled out of ``kept``."""
    position, size = list(task.domains).index(number), task.sample_of(number) or 0
    kept[:] = False
    for code in np.unique(labels).tolist():
        of_class = np.flatnonzero(labels == code)
        if of_class.size < size:
            of_source = number >= 0 and task.sample_source is not None
            field = "sample_source" if of_source else "sample"
            raise ValueError(
                f"Domain {position} of task '{task.name}' has {of_class.size} rows of the class "
                f"'{task.classes[code]}', fewer than {field}={size}: lower it in the suite."
            )
        entropy = [needed_seed(seed, task, "its"), position, code, _SAMPLED]
        kept[np.random.default_rng(entropy).permutation(of_class)[:size]] = True


def _rows(
    groups: np.ndarray, selection: Selection, classes: tuple[str, ...]
) -> tuple[np.ndarray, np.ndarray]:
    number = np.full(len(groups), NO_CLASS)
    for name, chosen in selection:
        number[np.isin(groups, chosen)] = classes.index(name)
    rows = np.flatnonzero(number != NO_CLASS)
    return rows, number[rows]
