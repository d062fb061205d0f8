"""Checks on a suite as a whole: what would fail after hours of runs is told before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isthmus.bench.fields import names

if TYPE_CHECKING:
    from isthmus.bench.goals import Goal
    from isthmus.bench.suite import Suite

__all__ = ["check_suite"]


def check_suite(suite: Suite, where: str) -> None:
    """Raise ValueError if names of a suite are not unique or lead nowhere."""
    names({"entries": [entry.id for entry in suite.entries]}, "entries", where)
    names({"sets": [group.name for group in suite.sets]}, "sets", where)
    names({"tasks": [task.name for task in suite.tasks]}, "tasks", where)
    _check_min_df(suite, where)
    known = {entry.id for entry in suite.entries}
    used = {goal.entry for goal in suite.goals}
    if suite.difficulty is not None:
        used.add(suite.difficulty[0])
    if used - known:
        raise ValueError(f"There is no entry '{sorted(used - known)[0]}' in {where}.")
    for goal in suite.goals:
        _check_goal(suite, goal, where)
    _check_columns(suite, where)


def _check_min_df(suite: Suite, where: str) -> None:
    needing = [task.name for task in suite.tasks if task.vocabulary is None]
    if suite.text.min_df is None and needing:
        raise ValueError(
            f"The field 'min_df' is missing in the table 'text' of {where}: the problem "
            f"'{needing[0]}' needs it."
        )


def _check_goal(suite: Suite, goal: Goal, where: str) -> None:
    groups = {group.name: group for group in suite.sets}
    if goal.set_name not in groups:
        raise ValueError(f"A goal of {where} names the unknown set '{goal.set_name}'.")
    group = groups[goal.set_name]
    if not any(goal.split in (None, task.split) for task in group.tasks):
        raise ValueError(f"A goal of {where} asks for a split that '{group.name}' has not.")
    if goal.task is not None and goal.task not in {task.name for task in group.tasks}:
        raise ValueError(
            f"A goal of {where} names the task '{goal.task}' that '{group.name}' does not have."
        )
    column = next(entry.paper for entry in suite.entries if entry.id == goal.entry)
    if goal.above_paper and group.paper_accuracy(column, goal.task) is None:
        field = "paper.total" if goal.task is None else "paper.accuracy of the problem"
        raise ValueError(
            f"A goal of {where} compares '{goal.entry}' on '{goal.task or group.name}' with the "
            f"paper, but there is no such number: add it under {field}."
        )


def _check_columns(suite: Suite, where: str) -> None:
    rows = [row for group in suite.sets for row in group.paper.values()]
    rows += [
        row
        for group in suite.sets
        for papers in group.problem_papers.values()
        for row in papers.values()
    ]
    columns = {name for row in rows for name in row}
    for entry in suite.entries:
        if entry.paper is not None and entry.paper not in columns:
            raise ValueError(
                f"The entry '{entry.id}' of {where} names the column '{entry.paper}' of a paper, "
                "but no set has a number for it."
            )
