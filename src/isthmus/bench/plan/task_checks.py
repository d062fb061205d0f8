"""Checks on a single problem of a suite."""

from __future__ import annotations

from collections import Counter

from isthmus.bench.documents.bilingual import find_languages
from isthmus.bench.documents.tasks import Task, group_uses

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
    _check_new_documents(task, where)
    if task.vocabulary is not None:
        _check_one_language(task, where)
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
    drawn = {
        "keep_target": bool(task.keep_target),
        "sample": task.sample is not None,
        "sample_source": task.sample_source is not None,
    }
    beside = [name for name, is_drawn in drawn.items() if is_drawn]
    if task.folds is not None and beside:
        raise ValueError(
            f"Both 'folds' and '{beside[0]}' stand in {where}: a seed either names a fold or draws "
            "rows."
        )
    # A document in two domains would show a method the labels that it is scored on.
    uses = Counter(group_uses(task.sources + task.targets))
    uses.update(group for groups in task.pools.values() for group in groups)
    twice = [group for group, count in uses.items() if count > 1]
    if twice:
        raise ValueError(f"The group '{twice[0]}' is named more than once in {where}.")
    if task.labelled_target == 1:
        raise ValueError(
            f"The field 'labelled_target' in {where} must be below 1: no row is left to score."
        )


def _check_new_documents(task: Task, where: str) -> None:
    if not task.new_documents:
        return
    if task.labelled_target > 0:
        raise ValueError(
            f"Both 'new_documents' and 'labelled_target' stand in {where}: where the target's "
            "documents are new, none of them shows its label in the fit."
        )
    if not task.target_pools or not all(task.target_pools):
        raise ValueError(
            f"The field 'new_documents' in {where} keeps the target's documents from the fit, so "
            "every target needs a pool: name its groups in 'target_pool' ('target_pools' for "
            "several)."
        )


def _check_one_language(task: Task, where: str) -> None:
    used = {
        "folds": task.folds is not None,
        "new_documents": task.new_documents,
        "source_pool": bool(task.source_pools),
        "target_pool": bool(task.target_pools),
    }
    wrong = [name for name, is_used in used.items() if is_used]
    if wrong:
        raise ValueError(
            f"Both '{wrong[0]}' and 'vocabulary' stand in {where}, but the one is for problems of "
            "a single language and the other for those of two."
        )
