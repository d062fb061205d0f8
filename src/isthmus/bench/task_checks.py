"""Checks on a single problem of a suite."""

from __future__ import annotations

from collections import Counter

from isthmus.bench.bilingual import find_languages
from isthmus.bench.tasks import Task, group_uses

__all__ = ["check_task"]


def check_task(task: Task, where: str) -> None:
    """Raise ValueError if the fields of a problem do not fit together."""
    side = "tasks" if task.is_clustering else "sources"
    if len(task.classes) < 2:
        raise ValueError(f"The {side} of {where} must name two or more classes.")
    if task.scored is not None and task.scored > len(task.targets):
        raise ValueError(
            f"scored={task.scored} in {where} must be the number of one of its "
            f"{len(task.targets)} tasks, the first of which is 1."
        )
    _check_classes(task, where)
    _check_rows(task, where)
    if task.vocabulary is not None:
        find_languages(task, where)


def _check_classes(task: Task, where: str) -> None:
    unknown = [name for part in task.targets for name, _ in part if name not in task.classes]
    if unknown:
        raise ValueError(f"A target of {where} has the class '{unknown[0]}' that no source has.")
    present = {name for part in task.targets for name, _ in part}
    absent = [name for name, _ in task.keep_target if name not in present]
    if absent:
        raise ValueError(
            f"The field 'keep_target' in {where} has the class '{absent[0]}' that no target has."
        )


def _check_rows(task: Task, where: str) -> None:
    if task.sample is not None and task.keep_target:
        raise ValueError(
            f"Both 'sample' and 'keep_target' stand in {where}: the one says how many rows of a "
            "class there are, the other what share of them."
        )
    # A document in two domains would show a method the labels that it is scored on.
    uses = Counter(group_uses(task.sources + task.targets))
    twice = [group for group, count in uses.items() if count > 1]
    if twice:
        raise ValueError(f"The group '{twice[0]}' is named more than once in {where}.")
    if task.labelled_target == 1:
        raise ValueError(
            f"The field 'labelled_target' in {where} must be below 1: no row is left to score."
        )
