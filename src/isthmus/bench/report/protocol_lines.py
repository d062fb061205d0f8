"""Which documents a suite's problems have, in the words of the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from isthmus.bench.documents.tasks import SPLITS, Task
from isthmus.bench.plan.suite import Suite

__all__ = ["name_problems", "protocol_lines"]

T = TypeVar("T")


def protocol_lines(suite: Suite) -> list[str]:
    """A line for every rule by which problems get their rows, with the problems it holds for."""
    lines = []
    for size, named in _by(suite, lambda task: task.sample):
        lines.append(
            f"{size} documents of every class of every domain, drawn by the seed ({named})"
        )
    for size, named in _by(suite, lambda task: task.sample_source):
        lines.append(f"{size} documents of every class of the sources, drawn by the seed ({named})")
    for folds, named in _by(suite, lambda task: task.folds):
        lines.append(
            f"{folds} folds of every class of every domain, of which the seed names one: its "
            f"source documents are left out, and of the target it alone is scored ({named})"
        )
    for shares, named in _by(suite, lambda task: task.keep_target or None):
        kept = " and ".join(f"{100 * share:g} % of the class {name}" for name, share in shares)
        lines.append(f"of the target's documents {kept} are kept, drawn by the seed ({named})")
    for _, named in _by(suite, lambda task: bool(task.pools) or None):
        lines.append(
            "pools of documents without a label take part in every fit; those that equal a "
            f"scored document are left out ({named})"
        )
    for _, named in _by(suite, lambda task: task.new_documents or None):
        lines.append(
            "the scored documents are in no fit: terms and weights are those of the others "
            f"({named})"
        )
    return lines


def name_problems(suite: Suite, tasks: Sequence[Task]) -> str:
    """What problems to call: all, those of a split or of sets, or by their names."""
    if len(tasks) == len(suite.tasks):
        return "all problems"
    for split in SPLITS:
        if list(tasks) == [task for task in suite.tasks if task.split == split]:
            return f"{split} problems"
    sets = [group for group in suite.sets if len(group.tasks) > 1 and set(group.tasks) <= {*tasks}]
    if sum(len(group.tasks) for group in sets) == len(tasks):
        return ", ".join(f"the set {group.name}" for group in sets)
    return ", ".join(task.name for task in tasks)


def _by(suite: Suite, value_of: Callable[[Task], T | None]) -> list[tuple[T, str]]:
    """The values that problems have, with the names of those problems."""
    found: dict[T, list[Task]] = {}
    for task in suite.tasks:
        if (value := value_of(task)) is not None:
            found.setdefault(value, []).append(task)
    return [(value, name_problems(suite, tasks)) for value, tasks in found.items()]
